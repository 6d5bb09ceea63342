"""Runs a WebAssembly program with its arguments; it sees all files. For `.ci/other-targets`."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "target/wasmtime"))

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig

config, engine = WasiConfig(), Engine()
config.argv, config.env = sys.argv[1:], os.environ.items()
config.inherit_stdin()
config.inherit_stdout()
config.inherit_stderr()
for directory in (".", "/"):
    config.preopen_dir(directory, directory)
store, linker = Store(engine), Linker(engine)
store.set_wasi(config)
linker.define_wasi()
try:
    linker.instantiate(store, Module.from_file(engine, sys.argv[1])).exports(store)["_start"](store)
except ExitTrap as trap:
    sys.exit(trap.code)
