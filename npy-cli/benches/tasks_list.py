"""The tasks of `tasks.py`: what is typed in each program, and what the right answer is."""

import re

PYTHON = (
    "import sys, numpy as n, pandas as p, matplotlib as m; "
    "print(f\"Python {sys.version.split()[0]}, NumPy {n.__version__}, pandas {p.__version__}, Matplotlib {m.__version__}\")"
)
# What prints the version of a program, and its commands.
PROGRAMS = {
    "npy": ("npy --version", ["npy"]),
    "NumPy": (f"python -c '{PYTHON}'", ["python"]),
    "npydump": ("python -c \"import importlib.metadata as m; print(m.version('npydump'))\"", ["npydump"]),
    "num-peek": ("num-peek --version", ["num-peek"]),
    "visidata": ("vd --version", ["vd"]),
    "HDF5 tools": ("h5ls --version", ["h5ls", "h5dump", "h5diff"]),
    "jq": ("jq --version", ["jq"]),
    "DuckDB": ("duckdb --version", ["duckdb"]),
    "zip": ("unzip -v", ["unzip", "zip"]),
}
IMPORT = "import numpy as np; "


class Task:
    """`lines` has a program, its command, and what of the answer it lacks. `batch`: what is run instead of keys that are pressed."""

    def __init__(self, name, text, check, lines, batch={}, outputs=(), copies=(), answer=None):
        self.name, self.text, self.check, self.answer = name, text, check, answer
        self.lines = [(*parts, "")[:3] for parts in lines]
        self.batch, self.outputs, self.copies = batch, outputs, copies
        self.anchor = re.sub(r"[^a-z0-9 -]", "", name.lower()).replace(" ", "-")


def python(line):
    return f'python -c "{IMPORT}{line}"'


TASKS = [
    Task("What is in a file", "The dtype, shape and order of an array.", "shape", [
        ("npy", "npy info grid.npy"),
        ("NumPy", python("a=np.load('grid.npy','r'); print(a.dtype,a.shape,a.flags.c_contiguous)")),
        ("npydump", "npydump grid.npy --meta"),
        ("num-peek", "num-peek grid.npy", "no order; lists all distinct values"),
        ("HDF5 tools", "h5ls -v grid.h5", "HDF5 has C order only"),
        ("DuckDB", "duckdb -c \"from parquet_schema('grid.parquet') select name, type, num_children\"", "types of columns, no count of rows"),
    ]),
    Task("All arrays of an archive", "Name, dtype and shape of each member.", "members", [
        ("npy", "npy info model.npz"),
        ("NumPy", python("z=np.load('model.npz'); [print(k,z[k].dtype,z[k].shape) for k in z]")),
        ("npydump", "npydump model.npz --meta"),
        ("visidata", "vd model.npz", "no dtype, only the first axis"),
        ("HDF5 tools", "h5ls -r model.h5", "no dtype without `-v`"),
        ("zip", "unzip -l model.npz", "no dtype, no shape"),
    ], batch={"visidata": "vd -b model.npz -o -"}),
    Task("Print as NumPy prints", "The text of `print(array)`, with the middle left out.", "print", [
        ("npy", "npy show grid.npy"),
        ("NumPy", python("print(np.load('grid.npy','r'))")),
    ]),
    Task("A slice", "Ten rows of two columns.", "slice", [
        ("npy", "npy show grid.npy '[10:20, 2:4]'"),
        ("NumPy", python("print(np.load('grid.npy','r')[10:20, 2:4])")),
        ("npydump", "npydump grid.npy --slice '10:20, 2:4'"),
        ("HDF5 tools", "h5dump -d grid -s 10,2 -c 10,2 grid.h5"),
        ("jq", "head -20 grid.ndjson | tail -10 | jq -c '.[2:4]'"),
        ("DuckDB", "duckdb -c \"select c2,c3 from 'grid.parquet' limit 10 offset 10\""),
    ]),
    Task("A table of records", "The first five records, in columns.", "table", [
        ("npy", "npy show events.npy --table --head 5"),
        ("NumPy", python("import pandas as pd; print(pd.DataFrame(np.load('events.npy','r')[:5]))")),
        ("npydump", "npydump events.npy --head 5", "tuples, no columns"),
        ("visidata", "vd events.npy", "of times the day only; reads all rows"),
        ("HDF5 tools", "h5dump -d events -c 5 events.h5", "a line for each value"),
        ("jq", "head -5 events.ndjson | jq -r '[.[]]|@tsv'", "columns are not aligned"),
        ("DuckDB", "duckdb -c \"from 'events.parquet' limit 5\""),
    ], batch={"visidata": "vd -b events.npy -O -"}),
    Task("Statistics", "Count, min, max, mean and standard deviation of all values.", "statistics", [
        ("npy", "npy stats grid.npy"),
        ("NumPy", python("a=np.load('grid.npy'); print(a.size,a.min(),a.max(),a.mean(),a.std())")),
        ("npydump", "npydump grid.npy --meta --stat"),
        ("num-peek", "num-peek grid.npy", "min and max only"),
        ("visidata", "vd grid.npy⏎I", "of each column only"),
        ("jq", "jq -n 'reduce (inputs|.[]) as $x ({n:0,s:0,q:0,a:infinite,b:-infinite}; .n+=1|.s+=$x|.q+=$x*$x|.a=([.a,$x]|min)|.b=([.b,$x]|max))|.n,.a,.b,.s/.n,(.q/.n-pow(.s/.n;2)|sqrt)' grid.ndjson"),
        ("DuckDB", "duckdb -c \"select count(value),min(value),max(value),avg(value),stddev_pop(value) from (unpivot 'grid.parquet' on *)\""),
    ], batch={"visidata": "vd -b grid.npy -p describe.vdj -o -"}, answer={
        "num-peek": ["min", "max"], "visidata": ["min of a column", "max of a column", "std of a column"], None: ["count", "min", "max", "mean", "std"]}),
    Task("Filter rows", "Two fields of the records where `ok` holds and `x` is greater than 3, all of them.", "filter", [
        ("npy", "npy show events.npy --where 'ok and x > 3' \"[['id','x']]\" --csv"),
        ("NumPy", python("a=np.load('events.npy','r'); print(a[a['ok']&(a['x']>3)][['id','x']].tolist())")),
        ("visidata", "vd events.npy⏎z|ok and x>3⏎\"", "floats with two digits"),
        ("jq", "jq -c 'select(.ok and .x>3)|[.id,.x]' events.ndjson"),
        ("DuckDB", "duckdb -csv -c \"select id,x from 'events.parquet' where ok and x>3\""),
    ], batch={"visidata": "vd -b events.npy -p filter.vdj -o -"}),
    Task("Glance over a checkpoint", "A line of figures for each tensor: range, mean, standard deviation, NaN.", "glance", [
        ("npy", "npy stats model.npz --brief"),
        ("NumPy", python("z=np.load('model.npz'); [print(k,a.shape,np.nanmin(a),np.nanmax(a),np.nanmean(a),np.nanstd(a),np.isnan(a).sum()) for k,a in z.items()]")),
        ("npydump", "npydump model.npz --meta --stat", "NaN for what has a NaN, 12 lines for each"),
    ]),
    Task("Draw y over x", "Two arrays of an archive as a picture.", "file", [
        ("npy", "npy plot track.npz:v --x track.npz:t -o track.png"),
        ("NumPy", python("import matplotlib.pyplot as p; z=np.load('track.npz'); p.plot(z['t'],z['v']); p.savefig('track.png')")),
    ], outputs=["track.png"]),
    Task("Compare two files", "How many values differ, and where.", "compare", [
        ("npy", "npy diff grid.npy new.npy"),
        ("NumPy", python("a,b=np.load('grid.npy','r'),np.load('new.npy','r'); d=np.argwhere(a!=b); print(len(d),d)")),
        ("HDF5 tools", "h5diff -r grid.h5 new.h5"),
        ("DuckDB", "duckdb -c \"with r as (select row_number() over ()-1 i,a,b from 'grid.parquet' a positional join 'new.parquet' b) select count(*) over (),i,a,b from r where a<>b\"", "the row, both rows as text"),
    ]),
    Task("To CSV", "All records, so that nothing is lost.", "file", [
        ("npy", "npy convert events.npy events.csv"),
        ("NumPy", python("import pandas as pd; pd.DataFrame(np.load('events.npy','r')).to_csv('events.csv',index=False)")),
        ("npydump", "npydump events.npy --all --format csv --out events.csv", "a tuple in quotes for each record"),
        ("visidata", "vd -b events.npy -o events.csv", "floats with two digits, of times the day only"),
        ("jq", "(echo id,t,station,ok,x,y; jq -r '[.[]]|@csv' events.ndjson) >events.csv"),
        ("DuckDB", "duckdb -c \"copy (from 'events.parquet') to 'events.csv'\""),
    ], outputs=["events.csv"]),
    Task("Replace an array of an archive", "Another tensor for one of the checkpoint; the others stay.", "file", [
        ("npy", "npy set work.npz:layers.0.weight --from layers.0.weight.npy"),
        ("NumPy", python("z=dict(np.load('work.npz')); z['layers.0.weight']=np.load('layers.0.weight.npy'); np.savez('work.npz',**z)")),
        ("zip", "zip -0 work.npz layers.0.weight.npy"),
    ], outputs=["work.npz"], copies=[("model.npz", "work.npz")]),
    Task("An array out of a pickled dict", "The array `Vcorr` of `np.save('ops.npy', {…})`, as a file. NumPy runs what is in the pickle.", "file", [
        ("npy", "npy convert ops.npy:Vcorr Vcorr.npy"),
        ("NumPy", python("np.save('Vcorr.npy',np.load('ops.npy',allow_pickle=True).item()['Vcorr'])")),
    ], outputs=["Vcorr.npy"]),
    Task("Find damage", "A flipped bit in the last member of an archive.", "damage", [
        ("npy", "npy verify damaged.npz"),
        ("NumPy", python("z=np.load('damaged.npz'); [z[k] for k in z]")),
        ("zip", "unzip -tq damaged.npz"),
    ]),
    Task("The end of a log", "The last ten records; `npy tail -f` goes on while a writer appends.", "last", [
        ("npy", "npy tail events.npy"),
        ("NumPy", python("print(np.load('events.npy','r')[-10:])"), "does not follow"),
        ("jq", "tail -10 events.ndjson | jq -c ."),
        ("DuckDB", "duckdb -c \"from 'events.parquet' offset (select count(*)-10 from 'events.parquet')\"", "does not follow"),
    ]),
]

NUMBER = re.compile(r"(?<![\w.])[-+]?(\d+\.?(\d*)|\.(\d+))(?:[eE]([-+]?\d+))?")


def numbers(text):
    """Each number of a text, with half a unit of its last digit."""
    for match in NUMBER.finditer(text):
        decimals = match[2] or match[3] or ""
        yield float(match[0]), 0.51 * 10.0 ** (int(match[4] or 0) - len(decimals)) if decimals else 0.0


def equal(wanted, found):
    """Integers exactly, others to five digits or to those that are shown."""
    value, unit = found
    return value == wanted if isinstance(wanted, int) else abs(wanted - value) <= max(unit, 5.1e-5 * abs(wanted))


def in_order(text, wanted):
    """Whether the numbers occur in a text one after another."""
    found = numbers(text)
    return all(any(equal(value, number) for number in found) for value in wanted)


def any_order(text, wanted):
    found = list(numbers(text))
    return all(any(equal(value, number) for number in found) for value in wanted)


def shape(task, program, status, text, expected):
    axes = expected["shape"][1:] if program == "DuckDB" else expected["shape"]
    return any_order(text.replace("/", " "), axes) and re.search(r"f8|float64|double|Float", text, re.I)


def members(task, program, status, text, expected):
    plain = text.replace("/", ".")
    return all(name in plain for name in expected["members"])


def statistics(task, program, status, text, expected):
    names = task.answer.get(program, task.answer[None])
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    return any_order(text, [expected["statistics"][name] for name in names])


CHECKS = {
    "shape": shape,
    "members": members,
    "statistics": statistics,
    "print": lambda task, program, status, text, expected: text == expected["print"],
    "slice": lambda task, program, status, text, expected: in_order(re.sub(r"\(\d+,\d+\)", "", text), expected["slice"]),
    "table": lambda task, program, status, text, expected: in_order(text, expected["table"][:1 if program == "visidata" else None]),
    "filter": lambda task, program, status, text, expected: in_order(text.replace(",", " "), expected["filter"]),
    "glance": lambda task, program, status, text, expected: in_order(text, expected["glance"]),
    "compare": lambda task, program, status, text, expected: any_order(text, expected["compare"][:2 if program == "DuckDB" else None]),
    "last": lambda task, program, status, text, expected: in_order(text.replace(",", " "), expected["last"]),
    "damage": lambda task, program, status, text, expected: status != 0 and list(expected["members"])[-1] in text,
    "file": lambda task, program, status, text, expected: status == 0,
}
