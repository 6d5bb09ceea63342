"""Everyday tasks with `npy` and with other programs: what is typed, whether the answer is right, processor time and memory.

    python npy-cli/benches/tasks.py DIRECTORY [--npy target/release/npy] [--rounds 7] [--task NAME] [--size small]

Needs NumPy, pandas, h5py and pyarrow for the files; programs that are not on PATH are left out. DIRECTORY takes 5 GB and keeps the
files for the next run. Prints `npy-cli/docs/tasks.md` without its introduction.
"""

import argparse
import json
import os
import random
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

import tasks_files
from tasks_list import CHECKS, PROGRAMS, TASKS

SECONDS = 60  # of processor time that a run may take
BYTES = 8 << 30  # of memory
ONCE = 10  # seconds beyond which a run is not repeated


def limits():
    """For this process too, so that starting another takes no copy of it."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))


def words(line, programs):
    """The arguments of a process; a line with a pipe takes a shell."""
    if any(sign in line for sign in (" | ", " >")):
        names = "\n".join(f"{name}() {{ {shlex.join(argv)} \"$@\"; }}" for name, argv in programs.items() if name.isalnum())
        return ["sh", "-c", f"{names}\n{line}"]
    name, *rest = shlex.split(line)
    return [*programs.get(name, [name]), *rest]


def run(argv, directory, text):
    """Runs a command: its exit status, and the processor time of its processes in seconds."""
    with open(text, "wb") as out, open(text + ".errors", "wb") as errors:
        process = subprocess.Popen(argv, cwd=directory, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def run_for_memory(argv, directory, text):
    """The same, and the peak memory of the largest process: by `time`, because a child begins with the peak of its parent."""
    with tempfile.NamedTemporaryFile("r") as report:
        result = run(["/usr/bin/time", "-q", "-o", report.name, "-f", "%M", *argv], directory, text)
        return *result, int(report.read().split()[-1]) * 1024


class Entry:
    """A program at a task, with files of one size."""

    def __init__(self, program, line, lacks):
        self.program, self.line, self.lacks = program, line, lacks
        self.times, self.peak, self.verdict = [], None, None


def measure(task, directory, programs, rounds):
    entries = [Entry(*parts) for parts in task.lines if there(parts[0], programs)]
    with open(os.path.join(directory, "expected.json")) as file:
        expected = json.load(file)
    text = os.path.join(directory, "output.txt")
    for entry in entries:  # also to warm up
        argv = words(task.batch.get(entry.program, entry.line), programs)
        prepare(task, directory)
        status, seconds, entry.peak = run_for_memory(argv, directory, text)
        entry.verdict = judge(task, entry, status, text, expected, directory, programs)
        if seconds > ONCE or entry.verdict != "right":
            entry.times = [seconds]
    for _ in range(rounds):
        for entry in random.sample(entries, len(entries)):
            if entry.verdict == "right" and entry.times[:1] <= [ONCE]:
                prepare(task, directory)
                entry.times.append(run(words(task.batch.get(entry.program, entry.line), programs), directory, text)[1])
    return entries


def prepare(task, directory):
    """The directory as it was before the command ran."""
    for name in task.outputs:
        if os.path.exists(os.path.join(directory, name)):
            os.remove(os.path.join(directory, name))
    for old, copy in task.copies:
        shutil.copyfile(os.path.join(directory, old), os.path.join(directory, copy))


def beginning_and_end(path, most=8 << 20):
    with open(path, "rb") as file:
        data = file.read(most)
        if os.path.getsize(path) > most:
            file.seek(-most, os.SEEK_END)
            data += b"\n" + file.read()
    return data.decode("utf-8", "replace")


def judge(task, entry, status, text, expected, directory, programs):
    output, complaint = beginning_and_end(text), beginning_and_end(text + ".errors")
    if status in (-24, 152, -9, 137):
        return f"not within {SECONDS} s"
    if status < 0 or status > 128 or "MemoryError" in complaint or "llocat" in complaint:
        return f"not within {BYTES >> 30} GiB"
    answer = CHECKS[task.check](task, entry.program, status, output + complaint, expected)
    if answer and task.check == "file":
        check = [*programs["python"], tasks_files.__file__, "--check", task.outputs[0], directory]
        answer = subprocess.run(check, stderr=subprocess.DEVNULL).returncode == 0
    if not answer:
        print(f"{task.name}: {entry.program}: {status}: {(output + complaint)[-600:]}", file=sys.stderr)
    return "right" if answer else "wrong"


def find(options):
    """The commands that are there, by the names that lines have for them."""
    programs = {"python": [sys.executable], "npy": [os.path.abspath(options.npy) if os.path.sep in options.npy else options.npy]}
    for name in {name for _, known in PROGRAMS.values() for name in known}:
        place = shutil.which(name) or shutil.which(name, path=os.path.dirname(sys.executable))
        if place:
            programs.setdefault(name, [place])
    return programs


def there(program, programs):
    return all(name in programs for name in PROGRAMS[program][1])


def amount(seconds):
    return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def size(count):
    return f"{count / (1 << 20):.0f} MiB" if count < 1 << 30 else f"{count / (1 << 30):.1f} GiB"


def figures(entry):
    if entry.verdict not in ("right", "wrong"):
        return f"{entry.verdict} | "
    once = ", once" if entry.times[0] > ONCE else ""
    return f"{amount(statistics.median(entry.times))}{once} | {size(entry.peak)}"


def cell(entry, least):
    if entry.verdict != "right":
        return entry.verdict
    time = statistics.median(entry.times)
    return f"{amount(time)}, in part" if entry.lacks else f"**{amount(time)}**" if time == least else amount(time)


def render(results, sizes):
    columns = "".join(f"{name}: processor | memory | " for name in sizes)
    shown = [program for program in PROGRAMS if any(e.program == program for _, by_size in results for e in by_size[0])]
    print("| task | " + " | ".join(shown) + " |\n|---" + "|---:" * len(shown) + "|")
    for task, by_size in results:
        least = min(statistics.median(e.times) for e in by_size[-1] if e.verdict == "right" and not e.lacks)
        cells = {e.program: cell(e, least) for e in by_size[-1]}
        print(f"| [{task.name}](#{task.anchor}) | " + " | ".join(cells.get(program, "–") for program in shown) + " |")
    for task, by_size in results:
        print(f"\n## {task.name}\n\n{task.text}\n\n| program | characters | {columns}answer |")
        print("|---|---:|" + "---:|---:|" * len(sizes) + "---|")
        for parts in zip(*by_size):
            one = parts[0]
            answer = next((e.verdict for e in parts if e.verdict != "right"), "in part" if one.lacks else "right")
            answer += f": {one.lacks}" if one.lacks else ""
            print(f"| {one.program} | {len(one.line)} | " + " | ".join(figures(e) for e in parts) + f" | {answer} |")
        print("\n```sh\n" + "\n".join(f"{e.line}" for e in by_size[0]) + "\n```")


def versions(programs):
    for program, (line, _) in PROGRAMS.items():
        if there(program, programs):
            result = subprocess.run(words(line, programs), capture_output=True, text=True)
            yield f"{program}: {' '.join((result.stdout or result.stderr).split())[:85]}"
        else:
            yield f"{program}: not there"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--npy", default="npy")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--task", action="append")
    parser.add_argument("--size", action="append", choices=["small", "large"])
    options = parser.parse_args()
    programs = find(options)
    results = [(task, []) for task in TASKS if options.task is None or task.name in options.task]
    sizes = options.size or ["small", "large"]
    for size_name in sizes:
        directory = os.path.join(options.directory, size_name)
        if not os.path.exists(os.path.join(directory, "expected.json")):
            subprocess.run([sys.executable, tasks_files.__file__, size_name, directory], check=True)
    limits()
    for size_name in sizes:
        directory = os.path.join(options.directory, size_name)
        for task, by_size in results:
            print(size_name, task.name, file=sys.stderr, flush=True)
            by_size.append(measure(task, directory, programs, options.rounds))
    render(results, sizes)
    print("\n## Versions\n\n" + "\n".join(f"- {line}" for line in versions(programs)))


if __name__ == "__main__":
    main()
