use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[repr(u8)]
#[npy(rename_all = "UPPERCASE", align)]
enum EnumAttributes {
    #[npy(rename = "p")]
    P,
}

#[derive(NpyRecord)]
#[repr(usize)]
enum EnumOfUsize {
    P,
}

#[derive(NpyRecord)]
#[repr(u8)]
enum EnumWithData {
    P,
    Other(u8),
    Named { name: u8 },
}

#[derive(NpyRecord)]
enum EnumWithoutRepr {
    P,
    S,
}

#[derive(NpyRecord)]
struct FlattenRenamedPlace {
    x: f64,
}

#[derive(NpyRecord)]
struct FlattenRenamed {
    #[npy(flatten, rename = "position", default)]
    place: FlattenRenamedPlace,
}

#[derive(NpyRecord)]
struct Lifetime<'a, T> {
    text: &'a str,
    value: T,
}

#[derive(NpyRecord)]
#[npy(transparent, rename_all = "UPPERCASE", align)]
struct TransparentRenamed {
    #[npy(rename = "t", alias = "s")]
    time: f64,
}

#[derive(NpyRecord)]
#[npy(transparent)]
struct TransparentSeveral {
    time: f64,
    depth: f64,
}

#[derive(NpyRecord)]
struct TransparentSkipped(#[npy(skip)] f64);

#[derive(NpyRecord)]
union Union {
    float: f32,
    integer: u32,
}

#[derive(NpyRecord)]
struct UnitStruct;

fn main() {}
