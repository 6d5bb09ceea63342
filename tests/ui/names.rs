use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct AliasIsAName {
    time: f64,
    #[npy(alias = "time", alias = "span")]
    span: f64,
}

#[derive(NpyRecord)]
struct AliasTwice {
    #[npy(alias = "t")]
    time: f64,
    #[npy(alias = "t")]
    span: f64,
}

#[derive(NpyRecord)]
struct DuplicateNames {
    time: f64,
    #[npy(rename = "time")]
    origin_time: f64,
    r#type: u8,
    #[npy(rename = "type")]
    kind: u8,
}

#[derive(NpyRecord)]
#[npy(rename_all = "UPPERCASE")]
struct RenameAllCollision {
    time: f64,
    #[npy(rename = "TIME")]
    other: f64,
}

#[derive(NpyRecord)]
struct TitleIsAName {
    time: f64,
    #[npy(title = "time")]
    span: f64,
}

fn main() {}
