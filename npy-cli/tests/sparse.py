"""Compares `npy convert` of SciPy's sparse matrices in a pickle with the matrices themselves. Arguments: the command, a directory."""

import pathlib
import subprocess
import sys

import numpy as np
import scipy.sparse

npy, directory = sys.argv[1], pathlib.Path(sys.argv[2])
rng = np.random.default_rng(20261127)
CODES = ["?", "i1", "u2", "i8", "u8", "f4", "f8", "c8", "c16"]


def convert(path, out):
    subprocess.run([npy, "convert", path, out], cwd=directory, check=True)
    return scipy.sparse.load_npz(directory / out)


def check(found, matrix, name):
    saved = matrix.format not in ("lil", "dok")
    expected = matrix if saved else matrix.tocoo()
    assert type(found) is type(expected), (name, type(found), type(expected))
    assert found.dtype == expected.dtype and found.shape == expected.shape, name
    assert np.array_equal(found.toarray(), expected.toarray()), name


matrices = {}
for kind in ("matrix", "array"):
    for form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok"):
        make = getattr(scipy.sparse, f"{form}_{kind}")
        for code in CODES:
            dense = (rng.random((6, 8)) < 0.3) * rng.random((6, 8)) * 100
            matrices[f"{form}_{kind}_{np.dtype(code).name}"] = make(dense.astype(code))
        matrices[f"{form}_{kind}_empty"] = make((3, 4), dtype="f4")
np.save(directory / "all.npy", {"inner": matrices}, allow_pickle=True)
for name, matrix in matrices.items():
    # As the whole object, with the protocol of np.save, and in a dict.
    np.save(directory / "one.npy", np.array(matrix, dtype=object), allow_pickle=True)
    check(convert("one.npy:", "one.npz"), matrix, name)
for name in [name for name in matrices if "float64" in name or "bool" in name]:
    check(convert(f"all.npy:inner.{name}", "one.npz"), matrices[name], name)
print(f"{len(matrices)} matrices")
