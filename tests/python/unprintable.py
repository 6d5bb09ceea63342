"""Prints npy-core/src/dtype/unprintable.rs: the characters from U+0080 on that Python's repr escapes.

Run it with a current Python and let rustfmt have the last word. The table depends on the Unicode version of that Python.
"""
import sys
import unicodedata

ranges = []
for code in range(0x80, sys.maxunicode + 1):
    if 0xD800 <= code <= 0xDFFF:  # no Rust character
        continue
    if not chr(code).isprintable():
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])

print("//! Characters that Python's `repr` escapes, by Unicode %s. Made by tests/python/unprintable.py." % unicodedata.unidata_version)
print()
print("/// First and last character of each range from U+0080 on whose category is Cc, Cf, Cn, Co, Cs, Zl, Zp or Zs.")
print("#[rustfmt::skip]")
print('#[expect(clippy::unreadable_literal, reason = "code points are written without separators")]')
print("pub(super) const UNPRINTABLE: [(u32, u32); %d] = [" % len(ranges))
for start in range(0, len(ranges), 6):
    print("    " + " ".join("(0x%x, 0x%x)," % tuple(pair) for pair in ranges[start : start + 6]))
print("];")
