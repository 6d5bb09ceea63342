"""A program of a user, which `mypy --strict` reads and nothing runs."""

import numpy as np
import npyfiles as npy

npy.save("a.npy", np.arange(6.0), durable=True)
a = npy.load("a.npy", threads=2)
with npy.NpzWriter("a.npz", append=True) as archive:
    archive.add("x", [1, 2])
with npy.open_npz("a.npz", mmap_mode="r") as opened:
    shape: tuple[int, ...] = opened.header("x").shape
with npy.Writer("log.npy", dtype="<f8", shape=(3,)) as log:
    log.write([[1, 2, 3]])
part = npy.read_region("a.npy", (slice(1, 2), ...))
try:
    npy.verify("a.npy")
except npy.NpyError as error:
    where: int | None = error.offset
npy.format.write_array(open("x", "wb"), np.arange(3))
