#!/usr/bin/env python3
"""Makes ml_dtypes.tsv: the number that each byte is, as ml_dtypes converts it.

    python3 make_ml_dtypes.py > ml_dtypes.tsv

Columns: the name of the type, and the bits of the 256 numbers as f4, in hex.
Each NaN is 7fc00000. Needs the package ml_dtypes (0.5.3 or later).
"""
import ml_dtypes
import numpy as np

NAMES = """float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz
float8_e4m3fn float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu int1 int2 int4 uint1 uint2 uint4"""

for name in NAMES.split():
    numbers = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, name)).astype(np.float32)
    numbers[np.isnan(numbers)] = np.float32("nan")
    print(name, " ".join("%08x" % bits for bits in numbers.view(np.uint32)), sep="\t")
