"""Random records, and expressions that DataFrame.eval understands too, for npy-cli/tests/filter.rs.

    python filters_pandas.py SEED COUNT

Standard output gets three frames for each case, as from filters.py: pandas parses and evaluates the same text, but for calls, which are
methods there.
"""

import random
import sys
import warnings

import numpy as np
import pandas

import filters
from frames import frame, saved

RANDOM = random.Random()
SIGNS = list(filters.COMPARISONS)
# Sums and products of these do not overflow 64 bits.
SMALL = ["i1", "i2", "u1", "u2"]
WHOLE = [*SMALL, "i4", "u4", "i8"]


def table(array):
    """The fields of records as columns; integers have 64 bits."""
    columns = {name: array[name].astype("i8") for name in WHOLE}
    columns |= {name: array[name].astype(name) for name in ("f4", "f8")}
    columns["ok"] = array["ok"]
    columns |= {name: array[name].astype("M8[s]").astype("M8[us]") for name in ("t", "t2")}
    columns |= {name: [str(text) for text in array[name]] for name in ("word", "name")}
    return pandas.DataFrame(columns)


def whole(depth):
    if depth == 0 or RANDOM.random() < 0.3:
        return RANDOM.choice(SMALL)
    sign = RANDOM.choice(["+", "-", "*", "//", "%"])
    if sign in ("//", "%"):
        return f"{whole(depth - 1)} {sign} {RANDOM.choice([1, 3, 7, 1000])}"
    other = RANDOM.choice([whole(depth - 1), RANDOM.choice([0, 1, 5, 100])])
    return RANDOM.choice(["{} {} {}", "({} {} {})", "-{} {} {}"]).format(whole(depth - 1), sign, other)


def real(depth):
    if depth == 0 or RANDOM.random() < 0.3:
        return "f8"
    other = RANDOM.choice([real(depth - 1), RANDOM.choice([*SMALL, "0.5", "3", "1e-3"])])
    return RANDOM.choice(["{} {} {}", "({} {} {})", "-{} {} {}"]).format(real(depth - 1), RANDOM.choice("+-*/"), other)


def leaf(array):
    """An expression for npy, and one for pandas."""
    sign, sort = RANDOM.choice(SIGNS), RANDOM.randrange(10)
    if sort == 0:
        name = RANDOM.choice(WHOLE)
        return (f"{name} {sign} {RANDOM.choice([int(array[name][0]), 0, 1, -1])}",) * 2
    if sort == 1:
        return (f"{whole(2)} {sign} {whole(2)}",) * 2
    if sort == 2:
        return (f"{real(2)} {sign} {RANDOM.choice([real(1), '0', '0.1', '-1.5'])}",) * 2
    if sort == 3:
        return (f"f4 {sign} {RANDOM.choice(['0.1', '0.5', '3', '-1.5'])}",) * 2
    if sort == 4:
        return (f"{RANDOM.randrange(-9, 0)} <= {RANDOM.choice(WHOLE)} < {RANDOM.randrange(1, 300)}",) * 2
    if sort == 5:
        name = RANDOM.choice(WHOLE)
        items = [int(value) for value in RANDOM.choices(array[name], k=3)] + list(range(RANDOM.randrange(20)))
        return (f"{name} {RANDOM.choice(['in', 'not in'])} {items}",) * 2
    if sort == 6:
        name, word = RANDOM.choice(["word", "name"]), RANDOM.choice(filters.TEXTS)
        words = RANDOM.sample(filters.TEXTS, 3)
        return (RANDOM.choice([f"{name} {sign} '{word}'", f"{name} in {words}", f"{name} not in {words}"]),) * 2
    if sort == 7:
        name, word, pattern = RANDOM.choice(["word", "name"]), RANDOM.choice(filters.TEXTS), RANDOM.choice(filters.PATTERNS)
        return RANDOM.choice([
            (f"startswith({name}, '{word}')", f"{name}.str.startswith('{word}')"),
            (f"endswith({name}, '{word}')", f"{name}.str.endswith('{word}')"),
            (f"contains({name}, '{word}')", f"{name}.str.contains('{word}', regex=False)"),
            (f"{name} ~ '{pattern}'", f"{name}.str.contains('{pattern}')"),
        ])
    if sort == 8:
        # There NaT is unequal to a time, and no time is equal to a text.
        sign, order = RANDOM.choice([sign for sign in SIGNS if sign != "!="]), RANDOM.choice(["<", "<=", ">", ">="])
        moment = RANDOM.choice(["1970-01-01", "1970-01-02T00", "2000-02-29", "2000-02-29T00:00:01", "2050-07-01T12:30"])
        span = RANDOM.choice(["0 s", "5 h", "-400 D", "10000 D"])
        return RANDOM.choice([
            (f"t {order} '{moment}'",) * 2,
            (f"t {sign} t2",) * 2,
            (f"t - t2 {sign} '{span}'", f"t - t2 {sign} @pandas.Timedelta('{span}')"),
            ("isnat(t)", "t.isna()"),
        ])
    return RANDOM.choice([("ok",) * 2, ("isnan(f8)", "f8.isna()"), ("not ok",) * 2])


def expression(array, depth):
    if depth == 0:
        return leaf(array)
    one, other = expression(array, depth - 1), expression(array, RANDOM.randrange(depth))
    # Without brackets, precedence is compared too.
    form = RANDOM.choice(["{} and {}", "{} or {}", "({} or {}) and ok", "not ({} and {})", "not {} or {}", "({}) and not ({})"])
    return tuple(form.format(a, b) for a, b in zip(one, other))


def main():
    RANDOM.seed(int(sys.argv[1]))
    filters.RANDOM.seed(int(sys.argv[1]))
    # A column of months has seconds there, so that spans compare.
    filters.UNITS.remove("M")
    np.seterr(all="ignore")
    # Of groups in patterns.
    warnings.simplefilter("ignore")
    for _ in range(int(sys.argv[2])):
        array = filters.records(RANDOM.choice([1, 5, 50, 300]))
        ours, theirs = expression(array, RANDOM.randrange(4))
        mask = np.asarray(table(array).eval(theirs, engine="python", local_dict={"pandas": pandas}), bool)
        frame(saved(array))
        frame(ours.encode())
        frame(" ".join(map(str, np.flatnonzero(mask))).encode())


main()
