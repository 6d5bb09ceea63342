"""Answers to cases that may crash, hang or take all memory: a child finds them, within limits, and another one goes on behind the
case that killed it."""

import os
import resource
import signal
import struct
import traceback

MEMORY = 2 << 30
SECONDS = 20
# Of the clock, for a case that waits for a lock that nobody releases.
PATIENCE = 60


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # No file can be written, whatever a case calls.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def isolated(cases, answer, count):
    """The `count` frames that `answer` gives for each case. Where the child dies, the first says how, and the others are empty."""
    done = 0
    while done < len(cases):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            try:
                answer_all(cases[done:], answer, write)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            frames = list(split(stream.read()))
        _, status = os.waitpid(child, 0)
        for begin in range(0, len(frames) - len(frames) % count, count):
            yield frames[begin:begin + count]
            done += 1
        if status != 0:
            yield [b"died: %d" % os.waitstatus_to_exitcode(status)] + [b""] * (count - 1)
            done += 1


def answer_all(cases, answer, write):
    limit()
    with os.fdopen(write, "wb") as out:
        for case in cases:
            # Of the processor's time, because the machine may have other things to do.
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
            out.write(b"".join(struct.pack("<I", len(frame)) + frame for frame in answer(case)))
            out.flush()
    os._exit(0)


def split(data):
    """The complete frames of `data`."""
    at = 0
    while at + 4 <= len(data):
        length, = struct.unpack_from("<I", data, at)
        if at + 4 + length > len(data):
            return
        yield data[at + 4:at + 4 + length]
        at += 4 + length
