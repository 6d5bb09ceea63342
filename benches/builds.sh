#!/usr/bin/env bash
# Measures what a dependency costs: clean release builds of small programs, by this workspace and by other crates.
# Prints a table in Markdown. Each program is built `ROUNDS` times in turn (default 3); the least time counts.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rounds=${ROUNDS:-3}
names=()

program() {
  local name=$1 dependencies=$2
  mkdir -p "$work/$name/src"
  printf '[package]\nname = "program"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\n%s\n[workspace]\n' "$dependencies" >"$work/$name/Cargo.toml"
  cat >"$work/$name/src/main.rs"
  cp "$here/Cargo.lock" "$work/$name/Cargo.lock"
  names+=("$name")
}

# The program that reads and writes a vector by npyz.
of_npyz() {
  cat <<RUST
use npyz::WriterBuilder;
fn main() {
    let file = std::io::BufReader::new(std::fs::File::open("a.npy").unwrap());
    let items: Vec<$1> = npyz::NpyFile::new(file).unwrap().into_vec().unwrap();
    let file = std::io::BufWriter::new(std::fs::File::create("b.npy").unwrap());
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(&[items.len() as u64]).writer(file).begin_nd().unwrap();
    writer.extend(items).unwrap();
    writer.finish().unwrap();
}
RUST
}

ours="path = \"$here/npy-ndarray\""
core="path = \"$here/npy-core\""

program "npy-core" "npy-core = { $core }" <<'RUST'
fn main() {
    let items: Vec<f64> = npy_core::load("a.npy").unwrap();
    npy_core::save("b.npy", &items).unwrap();
}
RUST
program "npyz" 'npyz = "0.9"' <<RUST
$(of_npyz f64)
RUST
program "npy-ndarray" "npy-ndarray = { $ours }
ndarray = \"0.17\"" <<'RUST'
use npy_ndarray::{ReadNpyExt, WriteNpyExt};
fn main() {
    let array = ndarray::Array2::<f64>::load_npy("a.npy").unwrap();
    array.save_npy("b.npy").unwrap();
}
RUST
program "ndarray-npy" 'ndarray-npy = { version = "0.10", default-features = false }
ndarray = "0.17"' <<'RUST'
fn main() {
    let array: ndarray::Array2<f64> = ndarray_npy::read_npy("a.npy").unwrap();
    ndarray_npy::write_npy("b.npy", &array).unwrap();
}
RUST
program "npy-ndarray with npz" "npy-ndarray = { $ours, features = [\"npz\"] }
ndarray = \"0.17\"" <<'RUST'
fn main() {
    let array: ndarray::Array2<f64> = npy_ndarray::NpzReader::open("a.npz").unwrap().by_name("a").unwrap();
    println!("{array}");
}
RUST
program "ndarray-npy with npz" 'ndarray-npy = { version = "0.10", features = ["compressed_npz"] }
ndarray = "0.17"' <<'RUST'
fn main() {
    let mut archive = ndarray_npy::NpzReader::new(std::fs::File::open("a.npz").unwrap()).unwrap();
    let array: ndarray::Array2<f64> = archive.by_name("a").unwrap();
    println!("{array}");
}
RUST
record='struct Sample { id: u64, time: f64, place: [f32; 3], flag: bool }'
program "npy-core with derive" "npy-core = { $core, features = [\"derive\"] }" <<RUST
#[derive(npy_core::NpyRecord)]
$record
fn main() {
    let items: Vec<Sample> = npy_core::load("a.npy").unwrap();
    npy_core::save("b.npy", &items).unwrap();
}
RUST
program "npyz with derive" 'npyz = { version = "0.9", features = ["derive"] }' <<RUST
#[derive(npyz::Deserialize, npyz::Serialize, npyz::AutoSerialize)]
$record
$(of_npyz Sample)
RUST

declare -A least crates size
for round in $(seq "$rounds"); do
  for name in "${names[@]}"; do
    cd "$work/$name"
    cargo fetch --quiet
    rm -rf target
    began=$(date +%s%N)
    CARGO_TARGET_DIR=target cargo build --release --quiet
    time=$((($(date +%s%N) - began) / 1000000))
    if [ -z "${least[$name]:-}" ] || [ "$time" -lt "${least[$name]}" ]; then least[$name]=$time; fi
    crates[$name]=$(($(cargo tree --edges normal,build --prefix none --no-dedupe | awk '{print $1, $2}' | sort -u | wc -l) - 1))
    strip target/release/program
    size[$name]=$(($(stat -c %s target/release/program) / 1024))
    echo "round $round: $name, $time ms" >&2
    rm -rf target
  done
done

echo "| program | clean release build | crates built | size of the stripped program |"
echo "|---|---:|---:|---:|"
for name in "${names[@]}"; do
  printf '| %s | %d.%02d s | %d | %d KiB |\n' "$name" $((least[$name] / 1000)) $((least[$name] % 1000 / 10)) "${crates[$name]}" "${size[$name]}"
done
