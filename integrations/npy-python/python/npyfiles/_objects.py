"""Objects of classes that are not known, as data."""

from __future__ import annotations

import sys

__all__ = ["Opaque"]


class Opaque:
    """An object of a class that is not imported: its name and the data with which Python would have made it.

    ``load(file, allow_pickle=True, unknown_classes="opaque")`` returns such objects.

    Attributes
    ----------
    module, name : str
        The class or function.
    arguments : tuple or None
        The arguments of the call; None for the class or function itself.
    state : object or None
        What ``__setstate__`` would have been given.
    items : list
        What would have been appended or added.
    entries : list of (key, value)
        What would have been set by key.
    """

    __slots__ = ("module", "name", "arguments", "state", "items", "entries")

    def __init__(self, module, name, arguments=None, state=None, items=(), entries=()):
        self.module, self.name, self.arguments = module, name, arguments
        self.state, self.items, self.entries = state, list(items), list(entries)

    def __repr__(self):
        return f"<Opaque {self.module}.{self.name}>"


def refuse_names_of_python_2(pickle: bytes) -> None:
    """Raise ``ImportError`` for names that Python 3 does not have, where ``fix_imports=False`` forbids to translate them."""
    import pickletools
    from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING

    for opcode, argument, _ in pickletools.genops(pickle):
        if opcode.name == "GLOBAL":
            module, name = argument.split(" ", 1)
            known = sys.modules.get(module)
            if known is None and (module in IMPORT_MAPPING or (module, name) in NAME_MAPPING):
                raise ModuleNotFoundError(f"No module named {module!r}; `fix_imports=True` translates it", name=module)
