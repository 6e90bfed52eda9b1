"""What an object file holds, but for the order in which a linker lays down its strings."""
import struct


class Object:
    """Sections of a 64-bit little-endian ELF file: name -> bytes, strings and references to them resolved."""

    def __init__(self, data):
        (headers,) = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        self.sections = []
        for number in range(count):
            name, kind, _, _, offset, length, link, info = struct.unpack_from("<IIQQQQII", data, headers + number * size)
            self.sections.append((name, kind, data[offset : offset + (0 if kind == 8 else length)], link, info))
        self.names = self.sections[names][2]

    def name(self, number):
        start = self.sections[number][0]
        return self.names[start : self.names.index(0, start)].decode()

    def holds(self):
        """name and number -> what is compared."""
        result = {}
        for number, (_, kind, content, link, _) in enumerate(self.sections):
            name = self.name(number)
            if ".str" in name and name.startswith(".rodata"):
                content = sorted(content.split(b"\0"))
            elif kind == 4:  # relocations with addends
                content = [self.reference(content[at : at + 24], link) for at in range(0, len(content), 24)]
            elif kind == 2:  # symbols
                content = [self.symbol(content[at : at + 24]) for at in range(0, len(content), 24)]
            result[f"{name} {number}"] = content
        return result

    def string(self, section, offset):
        """The string at an offset of a section; None where the section has none."""
        if section >= len(self.sections) or ".str" not in self.name(section):
            return None
        strings = self.sections[section][2]
        return strings[offset : strings.index(0, offset)] if offset < len(strings) else b""

    def symbol(self, entry):
        name, info, other, section, value, size = struct.unpack("<IBBHQQ", entry)
        string = None if info & 15 == 3 else self.string(section, value)  # that of a section stands for all of it
        return name, info, other, section, value if string is None else string, size

    def reference(self, entry, symbols):
        offset, info, addend = struct.unpack("<QQq", entry)
        section, value = struct.unpack_from("<HQ", self.sections[symbols][2], 24 * (info >> 32) + 6)
        string = self.string(section, value + addend)
        return offset, info, addend if string is None else string
