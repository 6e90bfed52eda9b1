"""The C interface of include/kumiko/compiler.h as Python sees it: ctypes and the standard library alone.

Texts in, texts and lists out; what the library hands over is destroyed here.
"""
import ctypes as c
import json

YES, NO, BAD_CALL, BROKEN, NOT_SUPPORTED, ENVIRONMENT, STOPPED = 0, 1, 2, 3, 4, 5, 6
F32 = 12


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("element_type", c.c_uint32), ("rank", c.c_uint32),
                ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64))]


class Operand(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", c.c_char_p), ("origin", c.c_char_p)]


class Problem(c.Structure):
    _fields_ = [("struct_bytes", c.c_uint32), ("code", c.c_uint32), ("severity", c.c_uint32), ("answer", c.c_uint32),
                ("message", c.c_char_p), ("file", c.c_char_p), ("node", c.c_int64), ("name", c.c_char_p),
                ("op", c.c_char_p), ("opset", c.c_int64), ("within", c.c_char_p), ("operand_count", c.c_uint64),
                ("operands", c.POINTER(Operand)), ("help", c.c_char_p)]


PROGRESS = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_uint64, c.c_uint64)
CANCELLED = c.CFUNCTYPE(c.c_int, c.c_void_p)


class Watch(c.Structure):
    _fields_ = [("struct_bytes", c.c_uint32), ("reserved", c.c_uint32), ("user", c.c_void_p), ("progress", PROGRESS),
                ("cancelled", CANCELLED)]


class Run(c.Structure):
    _fields_ = [("struct_bytes", c.c_uint32), ("threads", c.c_uint32), ("input_count", c.c_uint64),
                ("inputs", c.POINTER(Tensor)), ("input_names", c.POINTER(c.c_char_p)), ("output_count", c.c_uint64),
                ("outputs", c.POINTER(Tensor)), ("output_names", c.POINTER(c.c_char_p))]


def floats(shape, values=None):
    """An array of floats with its tensor; the array must be kept."""
    count = 1
    for extent in shape:
        count *= extent
    array = (c.c_float * count)(*(values or [0.0] * count))
    return array, Tensor(c.cast(array, c.c_void_p), F32, len(shape), (c.c_int64 * len(shape))(*shape), None)


class Failure(Exception):
    """What a call answered, and its problems."""

    def __init__(self, answer, problems, text, json_text):
        super().__init__(text)
        self.answer, self.problems, self.json = answer, problems, json_text


class Library:
    def __init__(self, path):
        self.lib = c.CDLL(path)
        for name in ("problems_create", "settings_create"):
            getattr(self.lib, "kumiko_" + name).restype = c.c_void_p
        for name in ("problems_text", "problems_json", "compiler_version"):
            getattr(self.lib, "kumiko_" + name).restype = c.c_char_p
        for name in ("problems_count", "bytes_size", "result_count"):
            getattr(self.lib, "kumiko_" + name).restype = c.c_uint64
        self.lib.kumiko_bytes_data.restype = c.c_void_p
        self.problems = c.c_void_p(self.lib.kumiko_problems_create())

    def close(self):
        self.lib.kumiko_problems_destroy(self.problems)

    def call(self, name, *arguments, allowed=(YES,)):
        """Calls a function whose last argument is the problems; any other answer than those allowed raises."""
        answer = getattr(self.lib, "kumiko_" + name)(*arguments, self.problems)
        if answer not in allowed:
            found = []
            for number in range(self.lib.kumiko_problems_count(self.problems)):
                problem = Problem(struct_bytes=c.sizeof(Problem))
                assert self.lib.kumiko_problems_get(self.problems, c.c_uint64(number), c.byref(problem)) == YES
                texts = {name: getattr(problem, name).decode() for name in ("message", "file", "name", "op", "help")}
                texts["operands"] = [operand.name.decode() for operand in problem.operands[:problem.operand_count]]
                found.append((problem.code, texts))
            text = self.lib.kumiko_problems_text(self.problems).decode()
            raise Failure(answer, found, text, json.loads(self.lib.kumiko_problems_json(self.problems)))
        return answer

    def settings(self, watch=None, **given):
        settings = c.c_void_p(self.lib.kumiko_settings_create())
        for name, value in given.items():
            for one in value if isinstance(value, list) else [value]:
                self.call("settings_set", settings, name.replace("_", "-").encode(), one and one.encode())
        if watch:
            self.call("settings_watch", settings, c.byref(watch))
        return settings

    def source(self, model, name="net.onnx", folder=None):
        """Of a path or of bytes."""
        source = c.c_void_p()
        if isinstance(model, bytes):
            self.call("source_from_memory", model, c.c_uint64(len(model)), name.encode(), folder and folder.encode(),
                      c.byref(source))
        else:
            self.call("source_open", model.encode(), c.byref(source))
        return source

    def compile(self, model, watch=None, name="net.onnx", folder=None, **settings):
        source, program = self.source(model, name, folder), c.c_void_p()
        chosen = self.settings(watch, **settings)
        try:
            self.call("compile", source, chosen, c.byref(program))
        finally:
            self.lib.kumiko_settings_destroy(chosen)
            self.lib.kumiko_source_destroy(source)
        return program

    def take(self, place):
        """The content of bytes, which go."""
        content = c.string_at(self.lib.kumiko_bytes_data(place), self.lib.kumiko_bytes_size(place))
        self.lib.kumiko_bytes_destroy(place)
        return content

    def bytes_of(self, program, file):
        place = c.c_void_p()
        self.call("program_bytes", program, None, file.encode(), c.byref(place))
        return self.take(place)

    def explain(self, program):
        place = c.c_void_p()
        self.call("program_explain", program, c.byref(place))
        return json.loads(self.take(place))

    def ask(self, question, model, allowed=(YES,), watch=None, **settings):
        """The answer to inspect, verify or bisect, and its JSON."""
        source, chosen, place = self.source(model), self.settings(watch, **settings), c.c_void_p()
        more = [None] if question == "bisect" else []
        try:
            answer = self.call(question, source, chosen, *more, c.byref(place), allowed=allowed)
        finally:
            self.lib.kumiko_settings_destroy(chosen)
            self.lib.kumiko_source_destroy(source)
        return answer, json.loads(self.take(place)) if place else None

    def run(self, program, inputs, names=None, outputs=(), threads=1):
        """Lists of floats by output's name; nothing when the caller brings all outputs."""
        run = Run(c.sizeof(Run), threads, len(inputs), (Tensor * len(inputs))(*inputs), None, len(outputs),
                  (Tensor * len(outputs))(*outputs), None)
        if names:
            run.input_names = (c.c_char_p * len(names))(*[name.encode() for name in names])
        result = c.c_void_p()
        self.call("program_run", program, c.byref(run), None if outputs else c.byref(result))
        found = {}
        for number in range(self.lib.kumiko_result_count(result)):
            tensor, name = Tensor(), c.c_char_p()
            assert self.lib.kumiko_result_output(result, c.c_uint64(number), c.byref(name), c.byref(tensor)) == YES
            count = 1
            for extent in tensor.shape[:tensor.rank]:
                count *= extent
            found[name.value.decode()] = list(c.cast(tensor.data, c.POINTER(c.c_float))[:count])
        self.lib.kumiko_result_destroy(result)
        return found

    def drop(self, program):
        self.lib.kumiko_program_destroy(program)
