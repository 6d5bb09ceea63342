//! Arrays as text: what needs no NumPy to compare with, and what it does not print at all.

use std::fmt::Write as _;

use npy_core::__private::{printed, printed_edges};
use npy_core::print::{self, PrintOptions};
use npy_core::{Datetime64, DynValues, NpyRecord, Order, unit};

fn values(descr: &str, shape: &[usize], bytes: impl Into<Vec<u8>>) -> DynValues {
    DynValues::new(descr.parse().unwrap(), Order::C, shape, bytes.into()).unwrap()
}

#[derive(NpyRecord)]
struct Pick {
    station: String,
    time: Datetime64<unit::Second>,
    pose: Pose,
}

#[derive(NpyRecord)]
struct Pose {
    position: [f32; 2],
    quality: f64,
}

fn picks(count: u8) -> Vec<Pick> {
    let pick = |number: u8| Pick {
        station: ["GRF", "it's", "", "ÄÖ\n"][usize::from(number % 4)].to_owned(),
        time: if number == 1 { Datetime64::NAT } else { Datetime64::new(i64::from(number) * 1_000_000) },
        pose: Pose { position: [f32::from(number), -0.5], quality: 1.0 / f64::from(number) },
    };
    (0..count).map(pick).collect()
}

#[test]
fn slices_of_records() {
    insta::assert_snapshot!(print::display(&picks(3)), @r#"
    [('GRF', '1970-01-01T00:00:00', ([ 0. , -0.5], inf))
     ("it's",                 'NaT', ([ 1. , -0.5], 1. ))
     ('', '1970-01-24T03:33:20', ([ 2. , -0.5], 0.5))]
    "#);
    insta::assert_snapshot!(print::display::<Pick>(&[]), @"[]");
    insta::assert_snapshot!(print::display(&[[1_u8, 2], [3, 40]]), @"
    [[ 1  2]
     [ 3 40]]
    ");
    insta::assert_snapshot!(print::display(&vec![[0_u8; 400]; 500]), @"
    [[0 0 0 ... 0 0 0]
     [0 0 0 ... 0 0 0]
     [0 0 0 ... 0 0 0]
     ...
     [0 0 0 ... 0 0 0]
     [0 0 0 ... 0 0 0]
     [0 0 0 ... 0 0 0]]
    ");
    insta::assert_snapshot!(print::display(&["a\0b".to_owned(), "c\0".to_owned()]), @r"['a\x00b' 'c']");
}

/// A record whose text may not fit its dtype.
#[derive(NpyRecord)]
struct Short {
    #[npy(dtype = "S2")]
    name: String,
}

#[test]
fn slices_that_cannot_be_stored_say_why() {
    let names = |names: &[&str]| names.iter().map(|&name| Short { name: name.to_owned() }).collect::<Vec<_>>();
    insta::assert_snapshot!(print::display(&names(&["ab", "c"])), @"[(b'ab',) (b'c',)]");
    insta::assert_snapshot!(print::display(&names(&["abc"])), @"<element 0, name: a text of length 3 does not fit |S2>");
    insta::assert_snapshot!(print::display(&names(&["ab", "abc"])), @"<element 1, name: a text of length 3 does not fit |S2>");
    let last = print::display(&names(&[&["ab"; 2000][..], &["abc"]].concat())).to_string();
    assert_eq!(last, "<element 2000, name: a text of length 3 does not fit |S2>");
}

#[test]
fn tables_of_records() {
    let table = DynValues::from_slice(&picks(5)).unwrap();
    insta::assert_snapshot!(table.table(), @r"
       station                 time  pose.position  pose.quality
    0  GRF      1970-01-01T00:00:00  [ 0. , -0.5]            inf
    1  it's                     NaT  [ 1. , -0.5]     1.
    2           1970-01-24T03:33:20  [ 2. , -0.5]     0.5
    3  ÄÖ\n     1970-02-04T17:20:00  [ 3. , -0.5]     0.33333333
    4  GRF      1970-02-16T07:06:40  [ 4. , -0.5]     0.25
    ");
    insta::assert_snapshot!(table.table().most_rows(3), @"
         station                 time  pose.position  pose.quality
    0    GRF      1970-01-01T00:00:00  [ 0. , -0.5]            inf
    1    it's                     NaT  [ 1. , -0.5]           1.
    ...  ...                      ...  ...                     ...
    4    GRF      1970-02-16T07:06:40  [ 4. , -0.5]           0.25
    ");
    insta::assert_snapshot!(table.table().most_rows(1).options(&PrintOptions::new().precision(2)), @"
         station                 time  pose.position  pose.quality
    0    GRF      1970-01-01T00:00:00  [ 0. , -0.5]            inf
    ...  ...                      ...  ...                     ...
    ");
    insta::assert_snapshot!(table.table().most_rows(0), @"
         station  time  pose.position  pose.quality
    ...  ...       ...  ...                     ...
    ");
    let empty = DynValues::from_slice::<Pick>(&[]).unwrap();
    insta::assert_snapshot!(empty.table(), @"station  time  pose.position  pose.quality");

    // In Fortran order, with more than one axis.
    let dtype = "[('n', '|i1'), ('text', '|S2'), ('raw', '|V1')]".parse().unwrap();
    let bytes = b"\x01a\0\x00\xffbc\x01\x03\n\0\x02\x7fd\xff\x03".to_vec();
    let square = DynValues::new(dtype, Order::Fortran, &[2, 2], bytes).unwrap();
    insta::assert_snapshot!(square.table(), @r"
           n  text   raw
    0,0    1  a      b'\x00'
    0,1    3  \n     b'\x02'
    1,0   -1  bc     b'\x01'
    1,1  127  d\xff  b'\x03'
    ");
    insta::assert_snapshot!(square, @r"
    [[(  1, b'a', b'\x00') (  3, b'\n', b'\x02')]
     [( -1, b'bc', b'\x01') (127, b'd\xff', b'\x03')]]
    ");
    insta::assert_snapshot!(values("[('n', '|i1')]", &[], [7]).table(), @"
    n
    7
    ");
    insta::assert_snapshot!(values("|i1", &[2], [7, 8]).table(), @"[7 8]");
    assert_eq!(values("[]", &[2], []).table().to_string(), "\n0\n1");
}

/// What NumPy refuses to print, or knows no dtype for.
#[test]
fn what_numpy_does_not_print() {
    insta::assert_snapshot!(values("<M8", &[2], [5_i64.to_le_bytes(), i64::MIN.to_le_bytes()].concat()), @"[  '5' 'NaT']");
    insta::assert_snapshot!(values("<U2", &[2], [0x11_0000_u32, 65, 0xd800, 0].map(u32::to_le_bytes).concat()), @r"['�A' '\ud800']");
    insta::assert_snapshot!(values("<U2", &[], [0xd800_u32, 65].map(u32::to_le_bytes).concat()), @"�A");
    insta::assert_snapshot!(values("<f1", &[4], [0x3c, 0x3d, 0xfc, 0x01]), @"[1.0e+00 1.2e+00    -inf 1.5e-05]");
    insta::assert_snapshot!(values("<W4", &[1], [0x00, 0x3c, 0x00, 0xbe]), @"[1.-1.5j]");
    insta::assert_snapshot!(values("<V2", &[1], [0x80, 0x3f]), @r"[b'\x80\x3F']");
    insta::assert_snapshot!(values("<f12", &[1], [0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x3f, 1, 2]), @"[1.5]");
}

/// Short headers can claim any number of elements without a byte.
#[test]
fn elements_without_bytes_are_not_printed_without_end() {
    let six_in_64_axes = values("|V0", &[1; 64], []);
    assert_eq!(six_in_64_axes.to_string().len(), 64 + 64 + 3);
    insta::assert_snapshot!(values("|V0", &[1 << 62], []), @"[b'' b'' b'' ... b'' b'' b'']");
    insta::assert_snapshot!(values("|V0", &[6; 24], []), @"[...]");
    insta::assert_snapshot!(values("[('x', '<i4', (2147483647, 0))]", &[1], []), @"[...]");
    insta::assert_snapshot!(values("[('x', '|S0', (1000, 2))]", &[1], []), @"[([[b'', b''], [b'', b''], [b'', b''], ..., [b'', b''], [b'', b''], [b'', b'']],)]");
    let fields: String = (0..500).map(|field| format!("('f{field}', '|S0', (1000,)), ")).collect();
    let crowded = values(&format!("[{fields}('last', '|u1')]"), &[1000], [7; 1000]);
    assert_eq!(crowded.to_string().matches("..., ").count(), 500 * 1000);
    assert_eq!(crowded.to_string().matches(" 7)").count(), 1000);
    let mut nested = "'|S0'".to_owned();
    for _ in 0..60 {
        nested = format!("[('x', {nested}, (9,)), ('y', '|V0')]");
    }
    insta::assert_snapshot!(values(&nested, &[2], []), @"[... ...]");
    insta::assert_snapshot!(values(&nested, &[2], []).table(), @"
       x    y
    0  ...  b''
    1  ...  b''
    ");
}

#[test]
fn corners_alone_are_printed_as_the_whole_array_is() {
    let options = PrintOptions::new().threshold(20).edge_items(2);
    let shape = [7_usize, 3, 6];
    let number = |index: usize| u8::try_from(index * 37 % 251).unwrap();
    let whole = values("|u1", &shape, (0..126).map(number).collect::<Vec<_>>());
    assert_eq!(printed_edges(&shape, &options), [Some(2), None, Some(2)]);
    let is_printed = |&index: &usize| [0, 1, 5, 6].contains(&(index / 18)) && [0, 1, 4, 5].contains(&(index % 6));
    let corners: Vec<u8> = (0..126).filter(is_printed).map(number).collect();
    let expected = whole.display_with(&options).to_string();
    assert_eq!(printed(&values("|u1", &[4, 3, 4], corners.clone()), &shape, &options).to_string(), expected);

    // The same with the first axis fastest.
    let corner = |i: usize, j: usize, k: usize| corners[(i * 3 + j) * 4 + k];
    let reversed = (0..4).flat_map(|k| (0..3).flat_map(move |j| (0..4).map(move |i| (i, j, k)))).map(|(i, j, k)| corner(i, j, k));
    let fortran = DynValues::new("|u1".parse().unwrap(), Order::Fortran, &[4, 3, 4], reversed.collect()).unwrap();
    assert_eq!(printed(&fortran, &shape, &options).to_string(), expected);
}

#[test]
fn a_large_array_is_printed_by_its_corners() {
    let whole = values("<f8", &[3000, 3000], vec![0; 72_000_000]);
    let began = std::time::Instant::now();
    let text = whole.to_string();
    assert_eq!(text.lines().count(), 7);
    assert!(began.elapsed().as_millis() < 500, "{:?}", began.elapsed());
}

#[test]
fn errors_of_the_writer_are_handed_on() {
    struct Full(usize);
    impl std::fmt::Write for Full {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 = self.0.checked_sub(text.len()).ok_or(std::fmt::Error)?;
            Ok(())
        }
    }
    let values = DynValues::from_slice(&picks(4)).unwrap();
    for text in [&values as &dyn std::fmt::Display, &values.table(), &print::display(&[[1, 2], [3, 4]])] {
        let length = text.to_string().len();
        for room in 0..length {
            assert!(write!(Full(room), "{text}").is_err());
        }
        assert!(write!(Full(length), "{text}").is_ok());
    }
}
