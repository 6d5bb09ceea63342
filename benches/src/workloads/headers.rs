//! Headers: parsing and writing.

use std::fmt::Write as _;
use std::hint::black_box;

use npy_core::{Header, Order};
use npyz::WriterBuilder;

use crate::harness::bench::{Bench, Job};
use crate::harness::case::repeat;
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::target::Target;
use crate::peers::{NDARRAY_NPY, NPYZ};

const FIVE: &str = "[('id','<u8'),('t','<f8'),('xyz','<f4',(3,)),('flag','?'),('name','S8')]";
/// Next to nothing: a few kilobytes.
const NEED: Need = Need::of(0, 0);

pub(super) fn run(bench: &mut Bench) {
    let fields: Vec<_> = (0..1000).map(|i| format!("('field{i}', '<f8')")).collect();
    let thousand = format!("[{}]", fields.join(", "));
    // The name, the title, the dtype, the calls of a run, the targets of parsing and writing.
    let kinds = [
        ("plain", "a plain dtype", "<f8", 2000, 30e-9, Some(20e-9)),
        ("five", "five fields", FIVE, 1000, 100e-9, None),
        ("thousand", "a thousand fields", &thousand, 20, 15e-6, None),
    ];
    for (name, title, descr, calls, parsed_in, written_in) in kinds {
        let header = Header::new(descr.parse().unwrap(), Order::C, &[1000]).unwrap();
        bench.case_in_memory(&format!("headers.parse.{name}"), &format!("parse the header of {title}"), NEED, |job| {
            parse(job, &header.to_bytes(), job.size(calls, calls.div_ceil(10)), parsed_in)
        });
        bench.case_in_memory(&format!("headers.write.{name}"), &format!("write the header of {title}"), NEED, |job| {
            write(job, &header, job.size(calls, calls.div_ceil(10)), written_in)
        });
    }
}

fn parse(job: &Job<'_>, header: &[u8], calls: u32, most: f64) -> Outcome {
    give_to_numpy(job, header);
    let mut case = job.case();
    case.rounds(21);
    case.units(calls, "call");
    case.numpy(job.numpy, "np.lib.format.read_array_header_1_0", format!("parse({calls})"));
    case.ours("Header::parse", repeat(calls, || drop(black_box(Header::parse(black_box(header)).unwrap()))));
    case.peer(
        NDARRAY_NPY,
        repeat(calls, || {
            drop(black_box(ndarray_npy::npy::header::Header::from_reader(&mut black_box(header)).unwrap()));
        }),
    );
    case.peer(NPYZ, repeat(calls, || drop(black_box(npyz::NpyHeader::from_reader(black_box(header)).unwrap()))));
    case.targets([Target::time("Header::parse", most)]);
    case.measure()
}

fn write(job: &Job<'_>, header: &Header, calls: u32, most: Option<f64>) -> Outcome {
    let bytes = header.to_bytes();
    give_to_numpy(job, &bytes);
    let of_ndarray_npy = ndarray_npy::npy::header::Header::from_reader(&mut &bytes[..]).unwrap();
    let dtype = npyz::NpyHeader::from_reader(&bytes[..]).unwrap().dtype();

    let mut case = job.case();
    case.rounds(21);
    case.units(calls, "call");
    case.numpy(job.numpy, "np.lib.format.write_array_header_1_0", format!("write({calls})"));
    case.ours("Header::to_bytes", repeat(calls, || drop(black_box(black_box(header).to_bytes()))));
    case.peer(NDARRAY_NPY, repeat(calls, || drop(black_box(black_box(&of_ndarray_npy).to_bytes().unwrap()))));
    case.peer(
        NPYZ,
        repeat(calls, || {
            let options = npyz::WriteOptions::new_header_only().dtype(black_box(&dtype).clone()).shape(&[1000]);
            drop(black_box(options.writer(Vec::new()).write_header_only().unwrap()));
        }),
    );
    case.targets(most.map(|most| Target::time("Header::to_bytes", most)));
    case.measure()
}

/// Defines `parse(calls)` and `write(calls)`.
fn give_to_numpy(job: &Job<'_>, header: &[u8]) {
    let hex = header.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    job.numpy.define(&format!(
        "import io
from numpy.lib import format
stream = io.BytesIO(bytes.fromhex('{hex}'))
def parse(calls):
 for _ in range(calls):
  stream.seek(0)
  format.read_magic(stream)
  shape, order, dtype = format.read_array_header_1_0(stream, max_header_size=1 << 20)
 return dict(descr=format.dtype_to_descr(dtype), fortran_order=order, shape=shape)
fields = parse(1)
def write(calls):
 for _ in range(calls): format.write_array_header_1_0(io.BytesIO(), fields)"
    ));
}
