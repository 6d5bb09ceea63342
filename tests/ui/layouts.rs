use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct FlattenDuplicateNamePlace {
    x: f64,
    #[npy(alias = "t")]
    y: f64,
}

#[derive(NpyRecord)]
struct FlattenDuplicateName {
    t: f64,
    #[npy(flatten)]
    place: FlattenDuplicateNamePlace,
}

#[derive(NpyRecord)]
#[npy(itemsize = 12)]
struct ItemsizeTooSmall {
    time: f64,
    depth: f64,
}

#[derive(NpyRecord)]
struct OffsetOverlaps {
    time: f64,
    #[npy(offset = 4)]
    depth: f64,
}

#[derive(NpyRecord)]
#[npy(view, align)]
#[repr(C, packed)]
struct ViewAlignedOtherwise {
    quality: u8,
    time: f64,
}

#[derive(NpyRecord, Clone, Copy)]
#[npy(view)]
#[repr(u8, align(4))]
enum ViewOfAlignedEnumPhase {
    P,
    S,
}

#[derive(NpyRecord)]
#[npy(view, align)]
#[repr(C)]
struct ViewOfAlignedEnum {
    phase: ViewOfAlignedEnumPhase,
    count: u32,
}

#[derive(NpyRecord)]
#[npy(view)]
#[repr(C)]
struct ViewWithPadding {
    quality: u8,
    time: f64,
}

fn main() {}
