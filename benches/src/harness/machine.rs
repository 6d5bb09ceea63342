//! Facts about the machine and the versions, to judge the figures by.

use std::fs;
use std::process::Command;
use std::thread;

use crate::peers::numpy::NumPy;

/// The versions that Cargo chose.
const LOCK: &str = include_str!("../../../Cargo.lock");
const PEERS: [&str; 7] = ["ndarray-npy", "npyz", "rawarray", "png", "hdf5-metno", "zip", "libdeflater"];

/// The facts, a line each.
pub(crate) fn facts(numpy: &NumPy, file_systems: &[&str]) -> Vec<String> {
    let cores = thread::available_parallelism().map_or_else(|_| "unknown".to_owned(), |count| count.to_string());
    let peers: Vec<_> = PEERS.iter().filter_map(|name| Some(format!("{name} {}", version_of(name)?))).collect();
    vec![
        format!("cores: {cores}, {}", processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned())),
        format!("transparent huge pages: {}", huge_pages().unwrap_or_else(|| "unknown".to_owned())),
        format!("file systems: {}", file_systems.join(", ")),
        format!("compiler: {}", compiler().unwrap_or_else(|| "unknown".to_owned())),
        numpy.version().unwrap_or_else(|| "NumPy: not found, figures missing".to_owned()),
        format!("peers: {}", peers.join(", ")),
        format!("HDF5: {}", if cfg!(npy_bench_hdf5) { "measured" } else { "not built in, figures missing" }),
    ]
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// When memory comes in huge pages: `always`, `madvise` or `never`.
pub(crate) fn huge_pages() -> Option<String> {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    // The choice stands in brackets.
    Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())
}

fn compiler() -> Option<String> {
    let output = Command::new("rustc").arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    // `rustc 1.89.0 (29483883e 2025-08-04)`
    text.split_whitespace().nth(1).map(|version| format!("rustc {version}, for the baseline of {}", std::env::consts::ARCH))
}

fn version_of(name: &str) -> Option<&'static str> {
    // Of several versions, the last is the newest, which is the measured one.
    let (_, package) = LOCK.rsplit_once(&format!("name = \"{name}\"\n"))?;
    package.lines().next()?.strip_prefix("version = \"")?.strip_suffix('"')
}
