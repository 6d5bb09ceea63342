//! Texts of dtypes, as NumPy takes and prints them, and those that it refuses.

use npy_core::DType;

use crate::support::{as_little_endian, native};

/// What each text stands for, where native is little-endian; `None` if it is refused.
fn check(texts: &[(&str, Option<&str>)]) {
    for (text, expected) in texts {
        let found = text.parse::<DType>().map(as_little_endian);
        match expected {
            Some(expected) => assert_eq!(found.as_ref().ok(), Some(&as_little_endian(expected)), "{text}: {found:?}"),
            None => assert!(found.is_err(), "{text}: {found:?}"),
        }
    }
}

#[test]
fn names_are_those_of_numpy() {
    check(&[
        ("bool_", Some("|b1")),
        ("byte", Some("|i1")),
        ("short", Some("<i2")),
        ("intc", Some("<i4")),
        ("int", Some("<i8")),
        ("ubyte", Some("|u1")),
        ("uint16", Some("<u2")),
        ("uintc", Some("<u4")),
        ("ulonglong", Some("<u8")),
        ("half", Some("<f2")),
        ("single", Some("<f4")),
        ("double", Some("<f8")),
        ("float96", Some("<f12")),
        ("longdouble", Some("<f16")),
        ("csingle", Some("<c8")),
        ("complex", Some("<c16")),
        ("complex192", Some("<c24")),
        ("clongdouble", Some("<c32")),
        ("str", Some("<U0")),
        ("bytes", Some("|S0")),
        ("void", Some("|V0")),
        ("object", Some("|O")),
        ("bfloat16", Some("<V2")),
        ("float8_e5m2", Some("<f1")),
        ("complex32", Some("<W4")),
        ("float8_e4m3fn", Some("float8_e4m3fn")),
        ("float8_e8m0fnu", Some("float8_e8m0fnu")),
        ("float4_e2m1fn", Some("float4_e2m1fn")),
        ("int4", Some("int4")),
        ("uint1", Some("uint1")),
        ("bcomplex32", None),
        ("int3", None),
        ("float8", None),
        ("float65", None),
        ("<float64", None),
    ]);
}

#[test]
fn codes_have_sizes_and_byte_orders() {
    check(&[
        ("f8", Some("<f8")),
        ("=f8", Some("<f8")),
        ("|f8", Some("<f8")),
        ("|u 1", Some("|u1")),
        ("|u+1", Some("|u1")),
        ("u-1", None),
        ("u_1", None),
        ("i3", None),
        ("f1", None),
        ("W4", None),
        ("V1", Some("|V1")),
        ("O", Some("|O")),
        ("O4", Some("|O")),
        ("O0", None),
        ("T", Some("|O")),
        ("T4", None),
        ("S", Some("|S0")),
        ("a3", Some("|S3")),
        ("Sx", None),
        ("", None),
        ("<", None),
    ]);
    assert!("<f1".parse::<DType>().is_ok() && "<W4".parse::<DType>().is_ok());
}

/// A comma behind a length belongs to it, and one behind a code makes a record.
#[test]
fn lengths_of_sub_arrays_have_commas() {
    check(&[
        (">1,f8", Some("('>f8', (1,))")),
        ("1,f8", Some("('<f8', (1,))")),
        ("2,3,f8", Some("('<f8', (2, 3))")),
        ("2,3f8", Some("('<f8', (2, 3))")),
        (">2 , f8", Some("('>f8', (2,))")),
        ("0,f8", Some("('<f8', (0,))")),
        ("2,f8,i4", Some("[('f0', '<f8', (2,)), ('f1', '<i4')]")),
        ("f8,2,i4", Some("[('f0', '<f8'), ('f1', '<i4', (2,))]")),
        ("f8,", Some("[('f0', '<f8')]")),
        ("2,f8,", Some("[('f0', '<f8', (2,))]")),
        (">1,", None),
        (">,f8", None),
        ("(2,),f8", None),
        ("f8,>1", None),
        ("01,f8", None),
        ("2,,f8", None),
        (",f8", None),
    ]);
}

#[test]
fn single_letters_are_those_of_the_c_types() {
    for (letters, expected) in [
        ("?", "|b1"),
        ("b", "|i1"),
        ("B", "|u1"),
        ("h", "<i2"),
        ("H", "<u2"),
        ("i", "<i4"),
        ("I", "<u4"),
        ("lqnp", "<i8"),
        ("LQNP", "<u8"),
        ("e", "<f2"),
        ("f", "<f4"),
        ("d", "<f8"),
        ("g", "<f16"),
        ("F", "<c8"),
        ("D", "<c16"),
        ("G", "<c32"),
        ("c", "|S1"),
    ] {
        for letter in letters.chars() {
            check(&[(&format!("<{letter}"), Some(expected)), (&format!("<{letter}0"), None)]);
        }
    }
    check(&[(">h", Some(">i2")), (">D", Some(">c16")), ("u", None), ("W", None), ("x", None)]);
}

#[test]
fn sizes_are_digits_within_the_limit_of_numpy() {
    check(&[
        ("S2147483647", Some("|S2147483647")),
        ("S2147483648", None),
        ("U536870911", Some("<U536870911")),
        ("U536870912", None),
        ("V2147483647", Some("|V2147483647")),
        ("V2147483648", None),
        ("u++1", None),
        ("S99999999999999999999", None),
    ]);
}

#[test]
fn lists_and_shapes_stand_before_codes() {
    check(&[
        ("f8,", Some("[('f0', '<f8')]")),
        ("f8,i4", Some("[('f0', '<f8'), ('f1', '<i4')]")),
        ("f8, (2,)i4", Some("[('f0', '<f8'), ('f1', '<i4', (2,))]")),
        ("3f8", Some("('<f8', (3,))")),
        ("03f8", None),
        ("0f8", Some("('<f8', (0,))")),
        ("(3,)f8", Some("('<f8', (3,))")),
        ("(2, 3)f8", Some("('<f8', (2, 3))")),
        ("()f8", Some("<f8")),
        ("(3)f8", None),
        ("(3,x)f8", None),
        ("(+3,)f8", None),
        ("(2,)f8, i4", Some("[('f0', '<f8', (2,)), ('f1', '<i4')]")),
        ("M8[s], i4", Some("[('f0', '<M8[s]'), ('f1', '<i4')]")),
        ("(3,f8", None),
        ("(x", None),
        (">(2,)f8", Some("('>f8', (2,))")),
        ("<(2,)<f8", Some("('<f8', (2,))")),
        (native("=(2,)<f8").as_str(), Some("('<f8', (2,))")),
        ("<(2,)>f8", None),
        ("2f 8", None),
        ("2f+8", None),
    ]);
}

#[test]
fn times_have_units_and_divisors() {
    check(&[
        ("M", Some("<M8")),
        ("M8", Some("<M8")),
        ("M08[s]", Some("<M8[s]")),
        ("M 8", Some("<M8")),
        ("M 8[s]", None),
        ("M4", None),
        ("M8[ns", None),
        ("M8ns]", None),
        ("datetime64", Some("<M8")),
        ("datetime64[ns]", Some("<M8[ns]")),
        ("timedelta64[25s]", Some("<m8[25s]")),
        ("M8[+25s]", Some("<M8[25s]")),
        ("M8[+s]", None),
        ("m8[ 5s]", Some("<m8[5s]")),
        ("m8[\t+5s]", Some("<m8[5s]")),
        ("m8[24h/ +2]", Some("<m8[720m]")),
        ("m8[ s]", None),
        ("m8[5 s]", None),
        ("m8[+ 5s]", None),
        ("m8[-5s]", None),
        ("M8[generic]", Some("<M8")),
        ("M8[generic/2]", None),
        ("M8[\u{3bc}s]", Some("<M8[us]")),
        ("M8[2147483647s]", Some("<M8[2147483647s]")),
        ("M8[2147483648s]", None),
        ("M8[q]", None),
        ("M8[s/1]", Some("<M8[s]")),
        ("M8[s/10]", Some("<M8[100ms]")),
        ("M8[3s/4000]", Some("<M8[750us]")),
        ("M8[s/7]", None),
        ("M8[s/0]", None),
        ("M8[s/]", None),
        ("M8[as/10]", None),
        ("M8[2000000s/10]", Some("<M8[200000000ms]")),
        ("M8[2000000000s/10]", None),
        ("m8[Y/12]", Some("<m8[M]")),
        ("m8[Y/26]", Some("<m8[2W]")),
        ("m8[M/4]", Some("<m8[W]")),
        ("m8[W/7]", Some("<m8[D]")),
        ("m8[D/24]", Some("<m8[h]")),
        ("m8[h/60]", Some("<m8[m]")),
        ("m8[m/60]", Some("<m8[s]")),
        ("m8[ms/1000]", Some("<m8[us]")),
        ("m8[us/1000]", Some("<m8[ns]")),
        ("m8[ns/1000]", Some("<m8[ps]")),
        ("m8[ps/1000]", Some("<m8[fs]")),
        ("m8[fs/1000]", Some("<m8[as]")),
    ]);
}

#[test]
fn dicts_and_calls_lay_fields_out() {
    let dict = |rest: &str| format!("{{'names': ['a', 'b'], 'formats': ['u1', '<f8']{rest}}}");
    let (packed, aligned) = ("[('a', '|u1'), ('b', '<f8')]", "[('a', '|u1'), ('', '|V7'), ('b', '<f8')]");
    for (rest, expected) in [
        ("", Some(packed)),
        (", 1: 2", Some(packed)),
        (", 'aligned': False", Some(packed)),
        (", 'aligned': True", Some(aligned)),
        (", 'aligned': 1", None),
        (", 'offsets': [0, 8]", Some(aligned)),
        (", 'offsets': [0]", None),
        (", 'titles': [None, 't']", Some("[('a', '|u1'), (('t', 'b'), '<f8')]")),
        (", 'itemsize': 9", Some(packed)),
        (", 'itemsize': 8", None),
        (", 'aligned': True, 'itemsize': 17", None),
    ] {
        check(&[(&dict(rest), expected)]);
    }
    check(&[
        (&format!("dtype({}, align=True)", dict(", 'aligned': False")), Some(aligned)),
        ("{}", Some("[]")),
        ("{'names': ['a']}", None),
        ("{'names': ['\\ud800'], 'formats': ['u1']}", Some("[('\\ud800', '|u1')]")),
        ("dtype([('a', 'u1'), ('b', '<f8')], align=True)", Some(aligned)),
        ("np.dtype([('a', 'u1'), ('b', '<f8')], align=False,)", Some(packed)),
        ("numpy.dtype('u1,f8', align=True)", Some("[('f0', '|u1'), ('', '|V7'), ('f1', '<f8')]")),
        (
            "dtype([('a', 'u1'), ('o', 'O'), ('b', 'u1')], align=True)",
            Some("[('a', '|u1'), ('', '|V7'), ('o', '|O'), ('b', '|u1'), ('', '|V7')]"),
        ),
        ("dtype('f8')", Some("<f8")),
        ("dtype('u1,f8')", Some("[('f0', '|u1'), ('f1', '<f8')]")),
        (
            "{'names': ['r'], 'formats': [[('a', 'u1'), ('b', '<i4')]], 'aligned': True}",
            Some("[('r', [('a', '|u1'), ('', '|V3'), ('b', '<i4')])]"),
        ),
        ("dtype('f8', align=1)", None),
        ("dtype('f8', align)", None),
        ("dtype('f8'", None),
        ("dtype(('f8', 2), align=True)", Some("('<f8', (2,))")),
        ("(numpy.record, [('a', '<f8')])", Some("[('a', '<f8')]")),
        ("(numpy.records, [('a', '<f8')])", None),
        ("[('a', '<f8', (.,))]", None),
        ("[('a', '<f8', (1.,))]", None),
        ("[('a', '<f8', (1,))]", Some("[('a', '<f8', (1,))]")),
    ]);
}

/// That of the C type on 64-bit platforms; of texts that of a character, of complex numbers that of a part.
#[test]
fn aligned_fields_begin_at_multiples_of_their_alignment() {
    for (code, alignment) in [
        ("S3", 1),
        ("V5", 1),
        ("?", 1),
        ("<i2", 2),
        ("<U3", 4),
        ("<f4", 4),
        ("<c8", 4),
        ("<f12", 4),
        ("<c24", 4),
        ("<f8", 8),
        ("<c16", 8),
        ("<M8[s]", 8),
        ("<f16", 16),
        ("<c32", 16),
    ] {
        let dtype: DType = format!("dtype([('a', 'u1'), ('b', '{code}')], align=True)").parse().unwrap();
        let DType::Record(record) = &dtype else { panic!("{dtype}") };
        assert_eq!(record.fields()[1].offset(), alignment, "{code}");
        assert!(record.itemsize().is_multiple_of(alignment), "{code}");
    }
}

/// In memory they are pointers, which offsets count and the bytes of a file do not.
#[test]
fn offsets_count_the_pointers_of_objects() {
    let dict = |formats: &str, offsets: &str| format!("{{'names': ['a', 'b', 'c'], 'formats': {formats}, 'offsets': {offsets}}}");
    check(&[
        (&dict("['u1', 'O', 'u1']", "[0, 8, 16]"), Some("[('a', '|u1'), ('', '|V7'), ('b', '|O'), ('c', '|u1')]")),
        (&dict("['u1', 'O', 'u1']", "[0, 8, 15]"), None),
        (&dict("['u1', ('O', 2), 'u1']", "[0, 8, 24]"), Some("[('a', '|u1'), ('', '|V7'), ('b', '|O', (2,)), ('c', '|u1')]")),
        (&dict("['u1', ('O', 2), 'u1']", "[0, 8, 23]"), None),
        (&dict("['u1', [('o', 'O')], 'u1']", "[0, 1, 9]"), Some("[('a', '|u1'), ('b', [('o', '|O')]), ('c', '|u1')]")),
    ]);
}
