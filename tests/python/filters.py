"""Random records and expressions on them, for npy-cli/tests/filter.rs.

    python filters.py SEED COUNT

Standard output gets three frames for each case: the array as np.save writes it, the expression, and the numbers of the rows of which it is
true. Integers are Python's, so that they are exact; floats are NumPy's, with Python's constants.
"""

import operator
import random
import re
import sys

import numpy as np

from frames import frame, saved

RANDOM = random.Random()
COMPARISONS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod}
TEXTS = ["", "a", "ab", "abc", "b", "ba", "Ab", "é", "aé", "zz"]
PATTERNS = ["^a", "b$", "a.", "[ab]c?$", "^$", "é", "(a|z)+", "^[A-Z]"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f2", "f4", "f8"]
UNITS = ["M", "D", "h", "s", "ms", "us", "ns"]
SPANS = ["D", "h", "s", "ms", "us", "ns"]


def ordered(code):
    return RANDOM.choice("<>") + code


def integers(code, count):
    info = np.iinfo(code)
    few = [info.min, info.max, info.max - 1, info.max // 2, 0, 1, 2, 3]
    far = [value for value in (-1, -7, 2**24 + 1, 2**53, 2**53 + 1, 2**63 - 1) if info.min <= value <= info.max]
    return [RANDOM.choice(few + far) if RANDOM.random() < 0.5 else RANDOM.randint(max(info.min, -9), 9) for _ in range(count)]


def floats(count):
    few = [0.0, -0.0, np.nan, np.inf, -np.inf, 0.1, 0.5, -1.5, 3.0, 7.0, 2.0**53, 2.0**63, 60000.0, 1e-7]
    return [RANDOM.choice(few) if RANDOM.random() < 0.6 else RANDOM.uniform(-9, 9) for _ in range(count)]


def records(count):
    fields = [("id", "<u4"), ("ok", "?"), ("is", "?")]
    fields += [(code, ordered(code)) for code in INTEGERS + FLOATS]
    fields += [("p", [("x", ordered("f8")), ("n", ordered("i4"))], (2,)), ("a", ordered("i2"), (3,))]
    fields += [("t", ordered(f"M8[{RANDOM.choice(UNITS)}]")), ("t2", ordered(f"M8[{RANDOM.choice(UNITS)}]"))]
    fields += [("d", ordered(f"m8[{RANDOM.choice(SPANS)}]")), ("s", "S3"), ("word", ordered("U3")), ("name", ordered("U4"))]
    RANDOM.shuffle(fields)
    array = np.zeros(count, np.dtype(fields, align=RANDOM.random() < 0.5))
    array["id"] = np.arange(count)
    for name in ("ok", "is"):
        array[name] = [RANDOM.random() < 0.5 for _ in range(count)]
    with np.errstate(all="ignore"):
        for code in INTEGERS:
            array[code] = np.array(integers(code, count), code)
        for code in FLOATS:
            array[code] = floats(count)
        for index in range(2):
            array["p"]["x"][:, index] = floats(count)
            array["p"]["n"][:, index] = integers("i4", count)
        for index in range(3):
            array["a"][:, index] = integers("i2", count)
    for name in ("t", "t2"):
        seconds = [RANDOM.choice([0, 1, 86400, 951782400]) if RANDOM.random() < 0.5 else RANDOM.randint(-10**9, 4 * 10**9) for _ in range(count)]
        array[name] = np.array(seconds, "M8[s]").astype(array.dtype[name])
        array[name][[RANDOM.random() < 0.1 for _ in range(count)]] = "NaT"
    array["d"] = np.array([RANDOM.choice([0, 1, 5, 60, 86400, -3600]) for _ in range(count)], "m8[s]").astype(array.dtype["d"])
    array["d"][[RANDOM.random() < 0.1 for _ in range(count)]] = "NaT"
    for name in ("word", "name"):
        array[name] = [RANDOM.choice(TEXTS) for _ in range(count)]
    array["s"] = [RANDOM.choice(TEXTS).encode()[:3] for _ in range(count)]
    return array


def mask_of(values):
    return np.array(list(values), bool)


def whole_column(array):
    """The text of an integer field, its values as NumPy's and as Python's."""
    sort = RANDOM.random()
    if sort < 0.7:
        name = RANDOM.choice(INTEGERS)
        return name, array[name]
    if sort < 0.8:
        index = RANDOM.randrange(3)
        return f"a[{index - RANDOM.choice([0, 3])}]", array["a"][:, index]
    if sort < 0.9:
        index = RANDOM.randrange(2)
        return RANDOM.choice([f"p[{index}].n", f"p.n[{index}]", f"['p'][{index}]['n']"]), array["p"]["n"][:, index]
    return "row", np.arange(len(array))


def whole(array, depth):
    """An integer expression and Python's integers, none of which overflows."""
    while True:
        text, values = any_whole(array, depth)
        if all(abs(value) < 2**127 for value in values):
            return text, values


def any_whole(array, depth):
    if depth == 0 or RANDOM.random() < 0.4:
        text, values = whole_column(array)
        return text, [int(value) for value in values]
    sort = RANDOM.random()
    text, values = whole(array, depth - 1)
    if sort < 0.15:
        return f"abs({text})", [abs(value) for value in values]
    if sort < 0.3:
        return f"-({text})", [-value for value in values]
    sign = RANDOM.choice(list(ARITHMETIC))
    if sign in ("//", "%"):
        other = RANDOM.choice([1, 2, 3, -3, 7, 10, 1000, -(2**40)])
        return f"(({text}) {sign} {other})", [ARITHMETIC[sign](value, other) for value in values]
    if RANDOM.random() < 0.5:
        other = RANDOM.choice([0, 1, -5, 100, 2**31, 2**64])
        return f"({text} {sign} {other})", [ARITHMETIC[sign](value, other) for value in values]
    other, others = whole(array, depth - 1)
    return f"({text} {sign} {other})", [ARITHMETIC[sign](value, by) for value, by in zip(values, others)]


def real(array, depth):
    """A float expression and NumPy's floats."""
    if depth == 0 or RANDOM.random() < 0.4:
        if RANDOM.random() < 0.2:
            index = RANDOM.randrange(2)
            return f"p[{index}].x", array["p"]["x"][:, index]
        name = RANDOM.choice(FLOATS)
        return name, array[name]
    text, values = real(array, depth - 1)
    sort = RANDOM.random()
    if sort < 0.1:
        return f"abs({text})", np.abs(values)
    if sort < 0.2:
        return f"-({text})", -values
    signs = {**ARITHMETIC, "/": operator.truediv}
    sign = RANDOM.choice(list(signs))
    apply = signs[sign]
    if sort < 0.4:
        other = RANDOM.choice([0, 1, 2, -3, 0.1, 0.5, 1e-3, 9.25])
        return (f"({text} {sign} {other})", apply(values, other)) if RANDOM.random() < 0.7 else (f"({other} {sign} ({text}))", apply(other, values))
    if sort < 0.6:
        other, others = whole_column(array)
        return f"({text} {sign} {other})", apply(values, others)
    if sort < 0.75:
        (one, a), (other, b) = whole_column(array), whole_column(array)
        if RANDOM.random() < 0.5:
            return f"({one} / {other})", a / b
        constant = RANDOM.choice([0.5, 2.5, -0.1])
        return f"({one} {sign} {constant})", apply(a, constant)
    other, others = real(array, depth - 1)
    return f"({text} {sign} ({other}))", apply(values, others)


def comparison(array):
    sign = RANDOM.choice(list(COMPARISONS))
    compare = COMPARISONS[sign]
    sort = RANDOM.randrange(9)
    if sort == 0:
        text, values = whole(array, 2)
        other = RANDOM.choice([*values[:4], 0, 1, -1, 2.5, -0.5, 1e30, 2**53 + 1, 9007199254740992.0])
        return f"{text} {sign} {other!r}", mask_of(compare(value, other) for value in values)
    if sort == 1:
        (one, a), (other, b) = whole(array, 2), whole(array, 2)
        return f"{one} {sign} {other}", mask_of(compare(x, y) for x, y in zip(a, b))
    if sort == 2:
        (one, a), (other, b) = whole(array, 1), real(array, 1)
        return f"{one} {sign} {other}", mask_of(compare(x, float(y)) for x, y in zip(a, b))
    if sort == 3:
        text, values = real(array, 2)
        constants = [float(value) for value in values[:3] if np.isfinite(value) and abs(value) < 6e4]
        other = RANDOM.choice([*constants, 0, 1, 0.1, 0.5, -1.5, 3])
        return f"{text} {sign} {other!r}", compare(values, other)
    if sort == 4:
        (one, a), (other, b) = real(array, 2), real(array, 2)
        return f"{one} {sign} {other}", compare(a, b)
    if sort == 5:
        (one, a) = whole(array, 1)
        low, high = sorted(RANDOM.sample(range(-9, 300), 2))
        return f"{low} <= {one} < {high}", mask_of(low <= x < high for x in a)
    if sort == 6:
        text, values = whole(array, 1)
        items = RANDOM.choices([*values, 1, 2, 3], k=RANDOM.choice([0, 1, 3, 3, 40]))
        name = RANDOM.choice(["in", "not in"])
        return f"{text} {name} {items}", mask_of((value in items) == (name == "in") for value in values)
    if sort == 7:
        text, values = real(array, 2)
        return f"isnan({text})", np.isnan(values)
    name = RANDOM.choice(["ok", "is"])
    return RANDOM.choice([(name, array[name]), (f"{name} == (i4 > 0)", array[name] == (array["i4"] > 0)), (f"{name} < u1", array[name] < array["u1"])])


def time(array):
    sign = RANDOM.choice(list(COMPARISONS))
    compare = COMPARISONS[sign]
    name = RANDOM.choice(["t", "t2", "d"])
    values = array[name]
    if RANDOM.random() < 0.3:
        return difference(array, sign, compare)
    if RANDOM.random() < 0.2:
        return f"{RANDOM.choice(['isnat', 'isnan'])}({name})", np.isnat(values)
    if name == "d":
        number, unit = RANDOM.choice([0, 1, 5, 60, 3600, -3600]), RANDOM.choice(SPANS)
        text, other = f"d {sign} '{number} {unit}'", np.timedelta64(number, unit)
    elif RANDOM.random() < 0.3:
        text, other = f"t {sign} t2", array["t2"]
        values = array["t"]
    else:
        moment = RANDOM.choice(["1970", "1970-01", "1970-01-01", "1970-01-02T00", "2000-02-29", "2000-02-29T00:00:00.5", "1969-12-31T23:59:59", "2050-07-01T12:30"])
        text, other = f"{name} {sign} '{moment}'", np.datetime64(moment)
    return text, compare(values, other) & ~np.isnat(values) & ~np.isnat(other)


def difference(array, sign, compare):
    one, other = RANDOM.choice([("t", "t2"), ("t2", "t"), ("d", "d"), ("t", "t")])
    values = array[one] - array[other]
    number, unit = RANDOM.choice([0, 1, -1, 12, -400]), RANDOM.choice(SPANS)
    if np.datetime_data(values.dtype)[0] in "YM":
        unit = "M"
    space, text = RANDOM.choice(["", " "]), f"{one} - {other}"
    if RANDOM.random() < 0.3:
        text, values = f"abs({text})", np.abs(values)
    return f"{text} {sign} '{number}{space}{unit}'", compare(values, np.timedelta64(number, unit)) & ~np.isnat(values)


def words(array):
    sign = RANDOM.choice(list(COMPARISONS))
    name = RANDOM.choice(["s", "word", "name"])
    values = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in array[name]]
    word = RANDOM.choice([text for text in TEXTS if name != "s" or text.isascii()])
    sort = RANDOM.randrange(7)
    if sort == 0 and name != "s":
        others = [str(value) for value in array["word"]]
        return f"{name} {sign} word", mask_of(COMPARISONS[sign](a, b) for a, b in zip(values, others))
    if sort == 1:
        return f"startswith({name}, '{word}')", mask_of(value.startswith(word) for value in values)
    if sort == 2:
        return f"endswith({name}, '{word}')", mask_of(value.endswith(word) for value in values)
    if sort == 3:
        return f"contains({name}, '{word}')", mask_of(word in value for value in values)
    if sort == 4:
        pattern = RANDOM.choice(PATTERNS)
        return f"{name} ~ '{pattern}'", mask_of(re.search(pattern, value) is not None for value in values)
    if sort == 5:
        others = [text for text in TEXTS if name != "s" or text.isascii()][: RANDOM.randrange(len(TEXTS))]
        return f"{name} in {[word, *others]}", mask_of(value in (word, *others) for value in values)
    return f"{name} {sign} '{word}'", mask_of(COMPARISONS[sign](value, word) for value in values)


def expression(array, depth):
    sort = RANDOM.random()
    if depth == 0 or sort < 0.3:
        return RANDOM.choice([comparison, comparison, comparison, time, words])(array)
    text, mask = expression(array, depth - 1)
    if sort < 0.45:
        return f"not ({text})", ~mask
    other, others = expression(array, depth - 1)
    if sort < 0.75:
        return f"({text}) and ({other})", mask & others
    return f"({text}) or ({other})", mask | others


def main():
    RANDOM.seed(int(sys.argv[1]))
    np.seterr(all="ignore")
    for _ in range(int(sys.argv[2])):
        array = records(RANDOM.choice([1, 5, 50, 300, 5000]))
        text, mask = expression(array, RANDOM.randrange(3))
        frame(saved(array))
        frame(text.encode())
        frame(" ".join(map(str, np.flatnonzero(mask))).encode())


if __name__ == "__main__":
    main()
