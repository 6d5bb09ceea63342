#!/usr/bin/env bash
# Measures what a dependency costs: clean builds of small programs, by this workspace and by other crates.
#
# Prints two tables in Markdown: the CPU time of each program as a ratio to that with ndarray-npy and its defaults, with the number of
# crates built and the size of the stripped program; and what a derived struct of twenty fields adds to a build.
# Each program is built `ROUNDS` times in turn (default 3); the least time counts. Times on a busy machine mean nothing.
# `--brief` builds three of the programs, and ten structs instead of forty.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rounds=${ROUNDS:-3}
# Lints of the caller would be compiled in.
unset RUSTFLAGS
names=()
declare -A least crates size

program() {
  local dependencies=$2 place
  place=$(directory_of "$1")
  mkdir -p "$place/src"
  printf '[package]\nname = "program"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\n%s\n[workspace]\n' "$dependencies" >"$place/Cargo.toml"
  cat >"$place/src/main.rs"
  cp "$here/Cargo.lock" "$place/Cargo.lock"
}

# A colon in it would divide the search paths of the compiler.
directory_of() {
  echo "$work/${1//[^a-z0-9]/-}"
}

# Milliseconds of CPU time that a command takes, of all its processes.
cpu_of() {
  local times
  TIMEFORMAT='%U %S'
  times=$({ time "$@" >/dev/null 2>&1; } 2>&1) || {
    echo "failed: $*" >&2
    return 1
  }
  awk '{printf "%d", ($1 + $2) * 1000}' <<<"$times"
}

note() {
  if [ -z "${least[$1]:-}" ] || [ "$2" -lt "${least[$1]}" ]; then least[$1]=$2; fi
}

ratio() {
  awk "BEGIN {printf \"%.2f\", $1 / $2}"
}

ours="path = \"$here/npy-ndarray\""
core="path = \"$here/npy-core\""
all=$(sed -n '/^\[features\]/,/^\[dependencies\]/s/^\([a-z][a-z0-9_-]*\) = .*/"\1"/p' "$here/npy-ndarray/Cargo.toml" | grep -v '"default"' | paste -sd,)

array_program() {
  names+=("$1")
  program "$1" "npy-ndarray = { $ours$2 }
ndarray = \"0.17\"" <<'RUST'
use npy_ndarray::{ReadNpyExt, WriteNpyExt};
fn main() {
    let array = ndarray::Array2::<f64>::load_npy("a.npy").unwrap();
    array.save_npy("b.npy").unwrap();
}
RUST
}

names+=("ndarray-npy")
program "ndarray-npy" 'ndarray-npy = "0.10"
ndarray = "0.17"' <<'RUST'
fn main() {
    let array: ndarray::Array2<f64> = ndarray_npy::read_npy("a.npy").unwrap();
    ndarray_npy::write_npy("b.npy", &array).unwrap();
}
RUST
array_program "npy-ndarray" ""
array_program "npy-ndarray: derive, npz" ', features = ["derive", "npz"]'
array_program "npy-ndarray: dynamic, print" ', features = ["dynamic", "print"]'
array_program "npy-ndarray: all features" ", features = [$all]"
names+=("npy-core")
program "npy-core" "npy-core = { $core }" <<'RUST'
fn main() {
    let items: Vec<f64> = npy_core::load("a.npy").unwrap();
    npy_core::save("b.npy", &items).unwrap();
}
RUST
names+=("npyz")
program "npyz" 'npyz = "0.9"' <<'RUST'
use npyz::WriterBuilder;
fn main() {
    let file = std::io::BufReader::new(std::fs::File::open("a.npy").unwrap());
    let items: Vec<f64> = npyz::NpyFile::new(file).unwrap().into_vec().unwrap();
    let file = std::io::BufWriter::new(std::fs::File::create("b.npy").unwrap());
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(&[items.len() as u64]).writer(file).begin_nd().unwrap();
    writer.extend(items).unwrap();
    writer.finish().unwrap();
}
RUST

if [ "${1-}" = --brief ]; then names=("${names[@]:0:3}"); fi
for round in $(seq "$rounds"); do
  for name in "${names[@]}"; do
    cd "$(directory_of "$name")"
    cargo fetch --quiet
    for profile in dev release; do
      rm -rf target
      cpu=$(CARGO_TARGET_DIR=target cpu_of cargo build --profile "$profile")
      note "$name $profile" "$cpu"
    done
    echo "round $round: $name, ${least[$name release]} ms of CPU time" >&2
    crates[$name]=$(($(cargo tree --edges normal,build --prefix none --no-dedupe | awk '{print $1, $2}' | sort -u | wc -l) - 1))
    strip target/release/program
    size[$name]=$(($(stat -c %s target/release/program) / 1024))
    rm -rf target
  done
done

echo "| program | release | debug | crates built | stripped |"
echo "|---|---:|---:|---:|---:|"
for name in "${names[@]}"; do
  printf '| %s | %s | %s | %d | %d KiB |\n' "$name" "$(ratio "${least[$name release]}" "${least[ndarray-npy release]}")" \
    "$(ratio "${least[$name dev]}" "${least[ndarray-npy dev]}")" "${crates[$name]}" "${size[$name]}"
done

# Programs of this many structs: derived only, and with what else is done with each.
count=40
if [ "${1-}" = --brief ]; then count=10; fi
structs() {
  local name=$1 use=$2 i k types=(u64 f64 i32 f32 bool u8 i16 u32 i64 '[f32; 3]')
  {
    echo '#![allow(dead_code, reason = "nothing reads the fields")]'
    for i in $(seq "$count"); do
      echo "#[derive(npy_core::NpyRecord)] struct S$i {"
      for k in $(seq 20); do echo "f$k: ${types[$(((i + k) % 10))]},"; done
      echo '}'
    done
    echo 'fn main() {'
    for i in $(seq "$count"); do echo "${use//TYPE/S$i}"; done
    echo '}'
  } | program "$name" "npy-core = { $core, features = [\"derive\"] }"
}

structs "none" ""
sed -i 's/^#\[derive(npy_core::NpyRecord)\]//' "$(directory_of none)/src/main.rs"
structs "derived" ""
structs "loaded" 'let _: Vec<TYPE> = npy_core::load("a.npy").unwrap();'
structs "loaded and saved" 'npy_core::save("b.npy", &npy_core::load::<TYPE>("a.npy").unwrap()).unwrap();'
echo
echo "| a struct of twenty fields, one of $count | release | debug |"
echo "|---|---:|---:|"
for name in none derived loaded "loaded and saved"; do
  cd "$(directory_of "$name")"
  for profile in dev release; do
    export CARGO_TARGET_DIR=$work/target
    cargo build --quiet --profile "$profile"
    for round in $(seq "$rounds"); do
      touch src/main.rs
      cpu=$(cpu_of cargo build --profile "$profile")
      note "$name $profile" "$cpu"
    done
  done
  [ "$name" = none ] || printf '| %s | %d ms | %d ms |\n' "$name" $(((least[$name release] - least[none release]) / count)) $(((least[$name dev] - least[none dev]) / count))
done
