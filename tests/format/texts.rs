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

/// Checks texts and what each stands for: `text → dtype; text → dtype`.
fn accepted(table: &str) {
    for row in table.split("; ") {
        let (text, expected) = row.split_once(" → ").unwrap_or_else(|| panic!("{row} has no dtype"));
        check(&[(text, Some(expected))]);
    }
}

/// Checks texts that are no dtypes.
fn refused(texts: &str) {
    texts.split("; ").for_each(|text| check(&[(text, None)]));
}

#[test]
fn names_are_those_of_numpy() {
    accepted(
        "bool_ → |b1; byte → |i1; short → <i2; intc → <i4; int → <i8; ubyte → |u1; uint16 → <u2; uintc → <u4; \
         ulonglong → <u8; half → <f2; single → <f4; double → <f8; float96 → <f12; longdouble → <f16; csingle → <c8; \
         complex → <c16; complex192 → <c24; clongdouble → <c32; str → <U0; bytes → |S0; void → |V0; object → |O; \
         bfloat16 → <V2; float8_e5m2 → <f1; complex32 → <W4; float8_e4m3fn → float8_e4m3fn; \
         float8_e8m0fnu → float8_e8m0fnu; float4_e2m1fn → float4_e2m1fn; int4 → int4; uint1 → uint1",
    );
    refused("bcomplex32; int3; float8; float65; <float64");
}

#[test]
fn codes_have_sizes_and_byte_orders() {
    accepted("f8 → <f8; =f8 → <f8; |f8 → <f8; |u 1 → |u1; |u+1 → |u1; V1 → |V1; O → |O; O4 → |O; T → |O; S → |S0; a3 → |S3");
    refused("u-1; u_1; i3; f1; W4; O0; T4; Sx; <");
    check(&[("", None)]);
    assert!("<f1".parse::<DType>().is_ok() && "<W4".parse::<DType>().is_ok());
}

/// A comma behind a length belongs to it, and one behind a code makes a record.
#[test]
fn lengths_of_sub_arrays_have_commas() {
    accepted(
        ">1,f8 → ('>f8', (1,)); 1,f8 → ('<f8', (1,)); 2,3,f8 → ('<f8', (2, 3)); 2,3f8 → ('<f8', (2, 3)); \
         >2 , f8 → ('>f8', (2,)); 0,f8 → ('<f8', (0,)); 2,f8,i4 → [('f0', '<f8', (2,)), ('f1', '<i4')]; \
         f8,2,i4 → [('f0', '<f8'), ('f1', '<i4', (2,))]; f8, → [('f0', '<f8')]; 2,f8, → [('f0', '<f8', (2,))]",
    );
    refused(">1,; >,f8; (2,),f8; f8,>1; 01,f8; 2,,f8; ,f8");
}

#[test]
fn single_letters_are_those_of_the_c_types() {
    let table = "? |b1; b |i1; B |u1; h <i2; H <u2; i <i4; I <u4; lqnp <i8; LQNP <u8; e <f2; f <f4; d <f8; g <f16; F <c8; D <c16; G <c32; c |S1";
    for (letters, expected) in table.split("; ").filter_map(|row| row.split_once(' ')) {
        for letter in letters.chars() {
            check(&[(&format!("<{letter}"), Some(expected)), (&format!("<{letter}0"), None)]);
        }
    }
    check(&[(">h", Some(">i2")), (">D", Some(">c16")), ("u", None), ("W", None), ("x", None)]);
}

#[test]
fn sizes_are_digits_within_the_limit_of_numpy() {
    accepted("S2147483647 → |S2147483647; U536870911 → <U536870911; V2147483647 → |V2147483647");
    refused("S2147483648; U536870912; V2147483648; u++1; S99999999999999999999");
}

#[test]
fn lists_and_shapes_stand_before_codes() {
    check(&[(&native("=(2,)<f8"), Some("('<f8', (2,))"))]);
    accepted(
        "f8, → [('f0', '<f8')]; f8,i4 → [('f0', '<f8'), ('f1', '<i4')]; f8, (2,)i4 → [('f0', '<f8'), ('f1', '<i4', (2,))]; \
         3f8 → ('<f8', (3,)); 0f8 → ('<f8', (0,)); (3,)f8 → ('<f8', (3,)); (2, 3)f8 → ('<f8', (2, 3)); ()f8 → <f8; \
         (2,)f8, i4 → [('f0', '<f8', (2,)), ('f1', '<i4')]; M8[s], i4 → [('f0', '<M8[s]'), ('f1', '<i4')]; \
         >(2,)f8 → ('>f8', (2,)); <(2,)<f8 → ('<f8', (2,))",
    );
    refused("03f8; (3)f8; (3,x)f8; (+3,)f8; (3,f8; (x; <(2,)>f8; 2f 8; 2f+8");
}

#[test]
fn times_have_units_and_divisors() {
    accepted(
        "M → <M8; M8 → <M8; M08[s] → <M8[s]; M 8 → <M8; datetime64 → <M8; datetime64[ns] → <M8[ns]; \
         timedelta64[25s] → <m8[25s]; M8[+25s] → <M8[25s]; m8[ 5s] → <m8[5s]; m8[\t+5s] → <m8[5s]; \
         m8[24h/ +2] → <m8[720m]; M8[generic] → <M8; M8[\u{3bc}s] → <M8[us]; M8[2147483647s] → <M8[2147483647s]; \
         M8[s/1] → <M8[s]; M8[s/10] → <M8[100ms]; M8[3s/4000] → <M8[750us]; M8[2000000s/10] → <M8[200000000ms]; \
         m8[Y/12] → <m8[M]; m8[Y/26] → <m8[2W]; m8[M/4] → <m8[W]; m8[W/7] → <m8[D]; m8[D/24] → <m8[h]; m8[h/60] → <m8[m]; \
         m8[m/60] → <m8[s]; m8[ms/1000] → <m8[us]; m8[us/1000] → <m8[ns]; m8[ns/1000] → <m8[ps]; m8[ps/1000] → <m8[fs]; \
         m8[fs/1000] → <m8[as]",
    );
    refused(
        "M 8[s]; M4; M8[ns; M8ns]; M8[+s]; m8[ s]; m8[5 s]; m8[+ 5s]; m8[-5s]; M8[generic/2]; M8[2147483648s]; M8[q]; \
         M8[s/7]; M8[s/0]; M8[s/]; M8[as/10]; M8[2000000000s/10]",
    );
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
    let codes = [(1, "S3 V5 ?"), (2, "<i2"), (4, "<U3 <f4 <c8 <f12 <c24"), (8, "<f8 <c16 <M8[s]"), (16, "<f16 <c32")];
    for (alignment, code) in codes.iter().flat_map(|(alignment, codes)| codes.split(' ').map(|code| (*alignment, code))) {
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
