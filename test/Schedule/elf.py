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
            result[f"{name} {number}"] = content
        return result

    def reference(self, entry, symbols):
        offset, info, addend = struct.unpack("<QQq", entry)
        (section,) = struct.unpack_from("<H", self.sections[symbols][2], 24 * (info >> 32) + 6)
        if section < len(self.sections) and ".str" in self.name(section):
            strings = self.sections[section][2]
            return offset, info, strings[addend : strings.index(0, addend)]
        return offset, info, addend
