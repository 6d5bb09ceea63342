use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(bound = "T Trait")]
struct BoundMalformed<T> {
    time: T,
}

#[derive(NpyRecord)]
#[npy(deny_unknown_fields, fill_unknown_fields)]
struct DenyAndFill {
    time: f64,
}

#[derive(NpyRecord)]
#[npy(crate = npy_core)]
#[npy(crate = npy_core)]
struct DuplicateAttribute {
    #[npy(rename = "t", rename = "u")]
    time: f64,
    #[npy(default)]
    #[npy(default)]
    phase: u8,
}

#[derive(NpyRecord)]
#[npy(endian = "network")]
struct EndianUnknown {
    time: f64,
}

#[derive(NpyRecord)]
#[npy(align = true, view = "yes")]
struct FlagWithValue {
    #[npy(skip = true)]
    time: f64,
    #[npy(flatten(all))]
    depth: f64,
}

#[derive(NpyRecord)]
struct MalformedAttribute {
    #[npy(rename = 5)]
    time: f64,
    #[npy(rename)]
    phase: u8,
    #[npy(default = 1 + 2)]
    id: u32,
    #[npy = "x"]
    station: u8,
    #[npy(skip = true)]
    quality: u8,
}

#[derive(NpyRecord)]
#[npy(itemsize = "16")]
struct OffsetIsNoNumber {
    #[npy(offset = -8)]
    time: f64,
    #[npy(offset)]
    depth: f64,
}

#[derive(NpyRecord)]
#[npy(rename_all = "Camel")]
struct RenameAllUnknown {
    arrival_time: f64,
}

#[derive(NpyRecord)]
struct RenamedAndSkipped {
    #[npy(skip, rename = "t")]
    time: f64,
}

#[derive(NpyRecord)]
#[npy(align, align, colour = "red")]
struct SeveralAttributesWrong<'a> {
    #[npy(dtype = "U", alias = 7)]
    name: String,
    #[npy(rename = "name", widen = 3)]
    time: &'a f64,
}

#[derive(NpyRecord)]
#[npy(rename_everything = "lowercase", crate = npy_core)]
struct UnknownAttribute {
    #[npy(renam = "t")]
    time: f64,
    #[npy(default, skipped)]
    phase: u8,
    #[npy(rename::all = "x")]
    id: u32,
}

fn main() {}
