import os
from typing import Any, Final, Literal, Protocol, TypeAlias, TypedDict

import numpy as np
from numpy.lib.format import drop_metadata as drop_metadata
from numpy.typing import DTypeLike, NDArray

_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

class _Reader(Protocol):
    def read(self, size: int, /) -> bytes: ...

class _Stream(Protocol):
    def write(self, data: Any, /) -> Any: ...

class _HeaderDict(TypedDict):
    shape: tuple[int, ...]
    fortran_order: bool
    descr: Any

EXPECTED_KEYS: Final[set[str]]
MAGIC_PREFIX: Final[bytes]
MAGIC_LEN: Final = 8
ARRAY_ALIGN: Final = 64
BUFFER_SIZE: Final = 262144
GROWTH_AXIS_MAX_DIGITS: Final = 21

def magic(major: int, minor: int) -> bytes: ...
def read_magic(fp: _Reader) -> tuple[int, int]: ...
def dtype_to_descr(dtype: np.dtype[Any]) -> Any: ...
def descr_to_dtype(descr: Any) -> np.dtype[Any]: ...
def header_data_from_array_1_0(array: NDArray[Any]) -> _HeaderDict: ...
def write_array_header_1_0(fp: _Stream, d: _HeaderDict) -> None: ...
def write_array_header_2_0(fp: _Stream, d: _HeaderDict) -> None: ...
def read_array_header_1_0(fp: _Reader, max_header_size: int = 10000) -> tuple[tuple[int, ...], bool, np.dtype[Any]]: ...
def read_array_header_2_0(fp: _Reader, max_header_size: int = 10000) -> tuple[tuple[int, ...], bool, np.dtype[Any]]: ...
def write_array(
    fp: _Stream,
    array: NDArray[Any],
    version: tuple[int, int] | None = None,
    allow_pickle: bool = True,
    pickle_kwargs: dict[str, Any] | None = None,
) -> None: ...
def read_array(
    fp: _Reader,
    allow_pickle: bool = False,
    pickle_kwargs: dict[str, Any] | None = None,
    *,
    max_header_size: int = 10000,
    unknown_classes: Literal["refuse", "opaque"] = "refuse",
) -> NDArray[Any]: ...
def open_memmap(
    filename: _Path,
    mode: Literal["r", "r+", "w+", "c"] = "r+",
    dtype: DTypeLike | None = None,
    shape: tuple[int, ...] | None = None,
    fortran_order: bool = False,
    version: tuple[int, int] | None = None,
    *,
    max_header_size: int = 10000,
) -> np.memmap[Any, Any]: ...
def isfileobj(f: object) -> bool: ...
