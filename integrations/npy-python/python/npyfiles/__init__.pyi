from collections.abc import Sequence
from types import EllipsisType
from typing import Any, Literal, NamedTuple, Self, SupportsIndex

import numpy as np
from numpy.lib.npyio import NpzFile as _NpzFile
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import format as format
from .format import _Path, _Reader, _Stream
from .format import open_memmap as open_memmap

__version__: str


class NpyError(ValueError):
    path: str | None
    member: str | None
    offset: int | None
    kind: str

class UnpicklingError(NpyError): ...

class Opaque:
    module: str
    name: str
    arguments: tuple[Any, ...] | None
    state: Any
    items: list[Any]
    entries: list[tuple[Any, Any]]
    def __init__(
        self,
        module: str,
        name: str,
        arguments: tuple[Any, ...] | None = None,
        state: Any = None,
        items: Sequence[Any] = (),
        entries: Sequence[tuple[Any, Any]] = (),
    ) -> None: ...

class Header(NamedTuple):
    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype[Any]
    version: int
    data_offset: int

class Recovered(NamedTuple):
    before: int
    rows: int
    cut: int

class ArchiveRecovered(NamedTuple):
    members: int
    added: int
    dropped: int

class NpzFile(_NpzFile[Any]):
    def __init__(
        self,
        fid: _Path | _Reader,
        own_fid: bool = False,
        allow_pickle: bool = False,
        pickle_kwargs: dict[str, Any] | None = None,
        *,
        max_header_size: int = 10000,
        threads: int = 2,
        unknown_classes: Literal["refuse", "opaque"] = "refuse",
        mmap_mode: Literal["r", "c"] | None = None,
    ) -> None: ...
    @property
    def fid(self) -> Any: ...  # type: ignore[override]
    @property
    def zip(self) -> Any: ...  # type: ignore[override]
    def header(self, key: str) -> Header: ...
    def verify(self) -> None: ...
    def __enter__(self) -> Self: ...

class NpzWriter:
    def __init__(
        self,
        file: _Path | _Stream,
        *,
        append: bool = False,
        compressed: bool = False,
        level: int = 6,
        threads: int = 1,
        aligned: bool = False,
        durable: bool = False,
    ) -> None: ...
    def add(self, name: str, array: ArrayLike, *, allow_pickle: bool = True) -> None: ...
    def add_bytes(self, name: str, content: bytes) -> None: ...
    def close(self) -> None: ...
    def discard(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...

class Writer:
    dtype: np.dtype[Any]
    row_shape: tuple[int, ...]
    def __init__(self, path: _Path, dtype: DTypeLike | None = None, shape: int | Sequence[int] = ()) -> None: ...
    def write(self, rows: ArrayLike) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

class Map:
    def __init__(self, path: _Path, mode: Literal["r", "r+", "c"] = "r") -> None: ...
    @property
    def array(self) -> NDArray[Any]: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

def load(
    file: _Path | _Reader,
    mmap_mode: Literal["r", "r+", "w+", "c"] | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: Literal["ASCII", "latin1", "bytes"] = "ASCII",
    *,
    max_header_size: int = 10000,
    threads: int = 2,
    unknown_classes: Literal["refuse", "opaque"] = "refuse",
) -> Any: ...
def save(
    file: _Path | _Stream, arr: ArrayLike, allow_pickle: bool = True, *, durable: bool = False, in_place: bool = False
) -> None: ...
def savez(file: _Path | _Stream, *args: ArrayLike, allow_pickle: bool = True, durable: bool = False, **kwds: ArrayLike) -> None: ...
def savez_compressed(
    file: _Path | _Stream,
    *args: ArrayLike,
    allow_pickle: bool = True,
    level: int = 6,
    threads: int = 1,
    durable: bool = False,
    **kwds: ArrayLike,
) -> None: ...
def open_npz(
    path: _Path,
    mmap_mode: Literal["r", "c"] | None = None,
    *,
    allow_pickle: bool = False,
    max_header_size: int = 10000,
    threads: int = 2,
) -> NpzFile: ...
def append(path: _Path, array: ArrayLike) -> None: ...
def header(path: _Path) -> Header: ...
def columns(path: _Path, names: str | Sequence[str]) -> dict[str, NDArray[Any]]: ...
def read_rows(path: _Path, start: int = 0, stop: int | None = None) -> NDArray[Any]: ...
def read_region(path: _Path, key: SupportsIndex | slice | EllipsisType | tuple[SupportsIndex | slice | EllipsisType, ...]) -> Any: ...
def verify(path: _Path) -> None: ...
def recover(path: _Path) -> Recovered | ArchiveRecovered: ...
