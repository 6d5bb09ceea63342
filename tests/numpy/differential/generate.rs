//! Random and mutated files of arrays, and what is asked of them.

use npy_core::num_complex::Complex;
use npy_core::region::AxisRange;
use npy_core::{Casting, Header, NpyNumber};
use npy_ndarray::{DynArray, WriteNpyExt};

use super::MOST_DATA;
use crate::support::{data, files_below};

pub(super) type Target = (&'static str, fn(&DynArray) -> Result<Vec<u8>, String>);

const TARGETS: [Target; 14] = [
    ("?", cast::<bool>),
    ("u1", cast::<u8>),
    ("u2", cast::<u16>),
    ("u4", cast::<u32>),
    ("u8", cast::<u64>),
    ("i1", cast::<i8>),
    ("i2", cast::<i16>),
    ("i4", cast::<i32>),
    ("i8", cast::<i64>),
    ("f2", cast::<npy_core::half::f16>),
    ("f4", cast::<f32>),
    ("f8", cast::<f64>),
    ("c8", cast::<Complex<f32>>),
    ("c16", cast::<Complex<f64>>),
];

fn cast<T: NpyNumber>(array: &DynArray) -> Result<Vec<u8>, String> {
    let mut file = Vec::new();
    let cast = array.cast_as::<T>(Casting::SameKind).map_err(|error| error.to_string())?;
    cast.write_npy(&mut file).map_err(|error| error.to_string())?;
    Ok(file)
}

/// A file, and what is asked of it.
pub(super) struct Case {
    pub(super) class: &'static str,
    pub(super) file: Vec<u8>,
    pub(super) region: Vec<AxisRange>,
    axes: String,
    pub(super) target: Target,
    is_printed: bool,
}

impl Case {
    pub(super) fn random(random: &mut Random, golden: &[Vec<u8>]) -> Self {
        let file = random.pick(golden);
        let (class, file) = match random.below(8) {
            0 => ("golden file, bytes changed", changed(random, file)),
            1 => ("golden file, cut or lengthened", resized(random, file)),
            2 => ("golden file, header rewritten", rewritten(random, file)),
            3 | 4 => ("plain header", written(random, false)),
            _ => ("odd header", written(random, true)),
        };
        // The region is one of the shape that both read, if both do.
        let (mut region, mut axes) = (Vec::new(), Vec::new());
        if let Ok((header, _)) = Header::parse(&file) {
            for &length in header.shape() {
                let start = random.below(length.min(50) as u64 + 1) as usize;
                let stop = start + random.below((length - start).min(50) as u64 + 1) as usize;
                let step = 1 + random.below(4) as usize;
                axes.push(format!("{start}:{stop}:{step}"));
                region.push(AxisRange::from(start..stop).step_by(step));
            }
        }
        let is_printed = random.below(3) == 0;
        Self { class, file, region, axes: axes.join(" "), target: *random.pick(&TARGETS), is_printed }
    }

    pub(super) fn asked(&self) -> String {
        format!("{}|{}|{}", self.axes, self.target.0, if self.is_printed { "print" } else { "" })
    }
}

/// SplitMix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub(super) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// Small files by every version of NumPy that there is.
pub(super) fn golden() -> Vec<Vec<u8>> {
    let files = files_below(&data(""), ".npy").into_iter().map(|path| std::fs::read(path).unwrap());
    let files: Vec<Vec<u8>> = files.filter(|file| file.len() < 2 * MOST_DATA).collect();
    assert!(files.len() > 100, "{}", files.len());
    files
}

fn changed(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let header = file.len().min(128) as u64;
    for _ in 0..=random.below(3) {
        let within = if random.one_in(4) { file.len() as u64 } else { header };
        let at = random.below(within) as usize;
        file[at] = match random.below(3) {
            0 => file[at] ^ 1 << random.below(8),
            1 => *random.pick(b" ,'()[]{}:0123456789-<>|=fiubVSUMmLTrue#\\\n\t"),
            _ => random.next() as u8,
        };
    }
    file
}

fn resized(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let at = random.below(file.len() as u64 + 1) as usize;
    match random.below(4) {
        0 => file.truncate(at),
        1 => file.extend((0..random.below(40)).map(|i| i as u8)),
        2 => drop(file.drain(at..file.len().min(at + 1 + random.below(4) as usize))),
        _ => drop(file.splice(at..at, (0..=random.below(3)).map(|i| b" ,('["[i as usize]))),
    }
    file
}

/// The text of a golden header, changed as text, with a length that is true.
fn rewritten(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let start = if file[6] == 1 { 10 } else { 12 };
    let Ok((_, data_offset)) = Header::parse(file) else { return file.to_vec() };
    let mut header = file[start..data_offset].to_vec();
    let changes: [(&str, &str); 18] = [
        (", ", ","),
        (": ", " : "),
        ("'", "\""),
        ("'descr'", "u'descr'"),
        ("'<", "'>"),
        ("'|", "'<"),
        ("False", "True"),
        ("False", "0"),
        (",)", ", )"),
        (",)", "L,)"),
        (",)", ")"),
        ("(", "( "),
        (", }", "}"),
        ("{", " {"),
        ("}", "}#"),
        ("descr", "\\x64escr"),
        (", 'shape'", ",\n'shape'"),
        (", 'shape'", ", 'extra': 1, 'shape'"),
    ];
    for _ in 0..=random.below(2) {
        let (from, to) = random.pick(&changes);
        if let Some(at) = header.windows(from.len()).position(|part| part == from.as_bytes()) {
            header.splice(at..at + from.len(), to.bytes());
        }
    }
    crate::support::file_with_header(if header.len() > 65_535 { 2 } else { file[6] }, &header, &file[data_offset..])
}

/// The first 36 are what NumPy writes.
const SCALARS: &str = "|b1 |i1 |u1 <i2 >i2 <u2 <i4 >i4 <u4 <i8 >u8 <u8 <f2 >f2 <f4 >f4 <f8 >f8 <f16 <c8 >c8 <c16 |S3 |S1 \
                       |S0 <U2 >U1 <U0 |V3 |V0 <M8[ns] >M8[D] <M8[25us] <m8[s] <m8 <M8[Y] =f8 |f8 f8 float32 i ? B <S2 <b1 \
                       2<i4";

fn descr(random: &mut Random, depth: u64, is_odd: bool) -> String {
    let scalar = |random: &mut Random| {
        if is_odd && random.one_in(6) {
            let odd: Vec<&str> =
                "'O'|None|5|'xyz'|''|b'<f8'|u'<i4'|'<f' '8'|'<f3'|'i4,f8'|'(2,)f4'|'<M8[q]'|'T'|'<U-1'|'\\x3cf8'|[]|\
                ()|r'<i2'|'a5'"
                    .split('|')
                    .collect();
            (*random.pick(&odd)).to_owned()
        } else {
            let scalars: Vec<&str> = SCALARS.split(' ').take(if is_odd { usize::MAX } else { 36 }).collect();
            format!("'{}'", random.pick(&scalars))
        }
    };
    match random.below(10) {
        0..=5 => scalar(random),
        6 if is_odd => format!("({}, ({},))", descr(random, depth + 1, is_odd), random.below(3)),
        _ if depth < 3 => {
            let mut fields = Vec::new();
            for i in 0..random.below(4) + u64::from(!is_odd) {
                let name = match random.below(if is_odd { 9 } else { 5 }) {
                    0 => format!("('title {i}', 'f{i}')"),
                    1 => format!("'gr\u{f6}\u{df}e{i}'"),
                    5 => "''".to_owned(),
                    6 => "'same'".to_owned(),
                    7 => format!("'\u{96ea}{i}'"),
                    8 => format!("b'f{i}'"),
                    _ => format!("'f{i}'"),
                };
                let dtype = descr(random, depth + 1, is_odd);
                let shape = match random.below(8) {
                    0 => ", (2,)",
                    1 => ", (2, 3)",
                    2 if is_odd => ", 3",
                    3 if is_odd => ", (0,)",
                    4 if is_odd => ", ()",
                    5 if is_odd => ", [2]",
                    _ => "",
                };
                fields.push(format!("({name}, {dtype}{shape})"));
                if random.one_in(5) {
                    fields.push("('', '|V2')".to_owned());
                }
            }
            format!("[{}]", fields.join(", "))
        }
        _ => scalar(random),
    }
}

fn shape(random: &mut Random, is_odd: bool) -> String {
    let odd: Vec<&str> = "(0, 9223372036854775807)|(9223372036854775808, 0)|(4294967296, 4294967296)|(-1,)|(True,)|(2.0,)|\
        (None,)|[2]|2|(2)|(3L,)|(2L, 3L)|(0x3,)|(1_0,)|(+3,)|(- 1,)|(03,)|(0, -1)|('2',)|(2,),|\
        (1000000000000,)|(2**2,)|()|(,)|(0,) |(0o3,)|(3,2,)|(99999999999999999999,)|(0b11,)|(00,)|(-0,)|\
        (0, 4611686018427387904, 4)|(70000,)|(1+2,)|(1j,)"
        .split('|')
        .collect();
    if is_odd && random.one_in(2) {
        return (*random.pick(&odd)).to_owned();
    }
    let most = if random.one_in(20) { 70 } else { 5 };
    let axes = random.below(most);
    let lengths = (0..axes).map(|_| if axes > 6 { 1 } else { (1 + random.below(6)) * u64::from(!random.one_in(12)) });
    let lengths: Vec<String> = lengths.map(|length| length.to_string()).collect();
    format!("({}{})", lengths.join(", "), if lengths.len() == 1 { "," } else { "" })
}

/// A file of a header that was never another.
fn written(random: &mut Random, is_odd: bool) -> Vec<u8> {
    let orders: &[&str] = if is_odd { &["False", "True", "0", "1", "None", "'True'", "false", "1.0"] } else { &["False", "True"] };
    let order = if is_odd && !random.one_in(4) { &orders[..2] } else { orders };
    let mut entries = [
        format!("'descr': {}", descr(random, 0, is_odd)),
        format!("'fortran_order': {}", random.pick(order)),
        format!("'shape': {}", shape(random, is_odd)),
    ];
    let mut end = ", }";
    if is_odd {
        for i in 0..3 {
            entries.swap(i, random.below(3) as usize);
        }
        end = *random.pick(&[
            ", }",
            "}",
            ",}",
            " , } ",
            ", } # end",
            ", 'shape': (2,)}",
            ", 'extra': 0}",
            ", }, ",
            ";}",
            ",\n}",
            "}\u{c}",
        ]);
    }
    let separator: &str =
        if is_odd { random.pick::<&str>(&[", ", ",", " ,  ", ",\n ", ",\t", ",\r\n", ", \\\n", ",\u{a0}"]) } else { ", " };
    let mut header = format!("{{{}{end}", entries.join(separator));
    let is_latin = header.chars().all(|char| (char as u32) < 256);
    let version = if random.one_in(4) || !is_latin { 3 } else { 1 + u8::from(random.one_in(4)) };
    if !(is_odd && random.one_in(4)) {
        header.push('\n');
    }
    let header = if version == 3 { header.into_bytes() } else { header.chars().map(|char| char as u8).collect() };
    let file = crate::support::file_with_header(version, &header, b"");
    let needed = Header::parse(&file).ok().and_then(|(header, _)| header.element_count().checked_mul(header.dtype().itemsize()));
    let length = needed.unwrap_or(64).min(MOST_DATA);
    let length = match random.below(12) {
        0 => length.saturating_sub(1),
        1 => length + 3,
        _ => length,
    };
    let bytes = (0..length).map(|_| if random.one_in(3) { 0 } else { random.next() as u8 });
    file.into_iter().chain(bytes).collect()
}
