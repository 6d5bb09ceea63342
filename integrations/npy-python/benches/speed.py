"""Compares npyfiles with NumPy: in one process, interleaved, medians of ratios.

    python benches/speed.py [directory]
"""

import os
import pickle
import statistics
import sys
import tempfile
import time
import warnings

import numpy as np

import npyfiles


def once(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def ratio(ours, theirs, rounds, calls=1):
    """The median of the ratios of neighbouring runs, each of some calls."""
    ratios, times = [], []
    for number in range(rounds + 2):
        pair = [theirs, ours] if number % 2 else [ours, theirs]
        measured = {function: sum(once(function) for _ in range(calls)) / calls for function in pair}
        if number >= 2:
            ratios.append(measured[ours] / measured[theirs])
            times.append((measured[theirs], measured[ours]))
    return statistics.median(ratios), *(statistics.median(column) for column in zip(*times))


def close(archive, name):
    with archive:
        return archive[name]


def jobs(directory):
    def path(name):
        return os.path.join(directory, name)

    small = np.arange(784, dtype="f4").reshape(28, 28)
    np.save(path("small.npy"), small)
    yield "load 28 x 28", 0.30, lambda: npyfiles.load(path("small.npy")), lambda: np.load(path("small.npy")), 200, 20
    yield "save 28 x 28", None, lambda: npyfiles.save(path("ours.npy"), small), lambda: np.save(path("theirs.npy"), small), 50, 10
    np.savez(path("small.npz"), x=small)
    overwrite = lambda: npyfiles.save(path("ours.npy"), small, in_place=True)
    yield "save 28 x 28, in place", None, overwrite, lambda: np.save(path("theirs.npy"), small), 50, 10
    yield "npz stored, 28 x 28", 0.25, lambda: close(npyfiles.load(path("small.npz")), "x"), lambda: close(np.load(path("small.npz")), "x"), 200, 10

    rng = np.random.default_rng(1)
    steps = np.cumsum(rng.integers(-5, 6, 2_000_000)).astype("i4")
    np.savez(path("stored.npz"), x=steps)
    yield "npz stored, 8 MB", 0.25, lambda: close(npyfiles.load(path("stored.npz")), "x"), lambda: close(np.load(path("stored.npz")), "x"), 30
    np.savez_compressed(path("deflated.npz"), x=steps)
    yield "npz deflated, 8 MB", 0.55, lambda: close(npyfiles.load(path("deflated.npz")), "x"), lambda: close(np.load(path("deflated.npz")), "x"), 15
    theirs = lambda: np.savez_compressed(path("theirs.npz"), x=steps)
    for threads, most in ((1, 0.75), (2, 0.45)):
        ours = lambda threads=threads: npyfiles.savez_compressed(path("ours.npz"), x=steps, threads=threads)
        yield f"savez_compressed, {threads} threads", most, ours, theirs, 7
    print(f"compressed: NumPy {os.path.getsize(path('theirs.npz'))}, here {os.path.getsize(path('ours.npz'))} bytes")

    large = rng.random(8 << 20)
    np.save(path("large.npy"), large)
    yield "load 64 MiB", 0.95, lambda: npyfiles.load(path("large.npy")), lambda: np.load(path("large.npy")), 25
    yield "load 64 MiB, 1 thread", None, lambda: npyfiles.load(path("large.npy"), threads=1), lambda: np.load(path("large.npy")), 25
    yield "save 64 MiB", 0.95, lambda: npyfiles.save(path("ours.npy"), large), lambda: np.save(path("theirs.npy"), large), 25
    overwrite = lambda: npyfiles.save(path("ours.npy"), large, in_place=True)
    yield "save 64 MiB, in place", 0.95, overwrite, lambda: np.save(path("theirs.npy"), large), 25

    texts = np.array([f"text {i} {'x' * (i % 20)}" for i in range(300_000)], object)
    np.save(path("texts.npy"), texts)
    ours = lambda: npyfiles.load(path("texts.npy"), allow_pickle=True)
    yield "300,000 texts, against pickle", 1.2, ours, lambda: np.load(path("texts.npy"), allow_pickle=True), 15
    with open(path("texts.npy"), "rb") as file:
        assert pickle.loads(file.read()[128:])[5] == texts[5]


def main():
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as directory:
        print(f"| job | NumPy {np.__version__} | here | ratio | goal |\n|---|---:|---:|---:|---:|")
        for title, goal, ours, theirs, rounds, *calls in jobs(directory):
            found, theirs, ours = ratio(ours, theirs, rounds, *calls)
            print(f"| {title} | {theirs * 1e3:.3f} ms | {ours * 1e3:.3f} ms | {found:.2f} | {goal or ''} |", flush=True)


if __name__ == "__main__":
    main()
