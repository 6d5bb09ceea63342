//! Names of fields and types.

use super::*;

#[test]
fn rename_all_and_rename() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    #[npy(rename_all = "camelCase")]
    struct Camel {
        arrival_time: f32,
        #[npy(rename = "SNR")]
        ratio: f32,
        r#type: u8,
    }
    round_trip(&[Camel { arrival_time: 1.0, ratio: 2.0, r#type: 3 }], "[('arrivalTime', '<f4'), ('SNR', '<f4'), ('type', '|u1')]");

    macro_rules! name_of {
        ($rule:literal) => {{
            #[derive(NpyRecord)]
            #[npy(rename_all = $rule)]
            struct Renamed {
                peak_ground_motion: u8,
            }
            Renamed::field_names()[0]
        }};
    }
    assert_eq!(name_of!("lowercase"), "peak_ground_motion");
    assert_eq!(name_of!("UPPERCASE"), "PEAK_GROUND_MOTION");
    assert_eq!(name_of!("PascalCase"), "PeakGroundMotion");
    assert_eq!(name_of!("camelCase"), "peakGroundMotion");
    assert_eq!(name_of!("snake_case"), "peak_ground_motion");
    assert_eq!(name_of!("SCREAMING_SNAKE_CASE"), "PEAK_GROUND_MOTION");
    assert_eq!(name_of!("kebab-case"), "peak-ground-motion");
    assert_eq!(name_of!("SCREAMING-KEBAB-CASE"), "PEAK-GROUND-MOTION");
}

#[test]
fn keywords_of_python_and_of_rust_are_names() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Keywords {
        lambda: u8,
        class: u8,
        def: u8,
        r#yield: u8,
        r#fn: u8,
        #[npy(rename = "None")]
        none: u8,
    }
    round_trip(
        &[Keywords { lambda: 1, class: 2, def: 3, r#yield: 4, r#fn: 5, none: 6 }],
        "[('lambda', '|u1'), ('class', '|u1'), ('def', '|u1'), ('yield', '|u1'), ('fn', '|u1'), ('None', '|u1')]",
    );
}

#[test]
fn aliases_are_read_and_never_written() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Pick {
        #[npy(alias = "t", alias = "origin time")]
        time: f64,
        #[npy(alias = "q", default)]
        quality: u8,
    }
    let picks = [Pick { time: 1.5, quality: 2 }];
    round_trip(&picks, "[('time', '<f8'), ('quality', '|u1')]");
    for dtype in ["[('q', '|u1'), ('t', '<f8')]", "[('origin time', '>f8'), ('quality', '|u1')]"] {
        assert_eq!(npy_core::read::<Pick>(&written_as(&picks, dtype)[..]).unwrap(), picks);
    }
    // The name comes before the alias.
    #[derive(NpyRecord, Clone)]
    struct Both {
        t: f64,
        time: f64,
    }
    let both = npy_core::read::<Pick>(&written(&[Both { t: 0.5, time: 1.5 }])[..]).unwrap();
    assert_eq!(both[0].time, 1.5);
    // A mismatch names the field as the file does.
    let found = mismatches::<Pick>(&zeros("[('t', '<f4')]"));
    assert_eq!(found[0].0, "t");
}

#[test]
fn titles_are_written() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Station {
        #[npy(title = "height above sea level in m")]
        height: f32,
        #[npy(rename = "name", title = "Größe")]
        size: u8,
    }
    round_trip(
        &[Station { height: 1.0, size: 2 }],
        "[(('height above sea level in m', 'height'), '<f4'), (('Größe', 'name'), '|u1')]",
    );
    // Matching is by name.
    assert_eq!(npy_core::read::<Station>(&zeros("[('height', '<f4'), ('name', '|u1')]")[..]).unwrap().len(), 2);
}

#[test]
fn the_title_of_a_column_that_is_left_out() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Reading {
        #[npy(title = "depth in km")]
        depth: Option<f32>,
        #[npy(title = "time in s")]
        t: f64,
        #[npy(title = "weight in kg")]
        weight: Option<f32>,
        id: u8,
    }
    let bare = Reading { depth: None, t: 1.0, weight: None, id: 2 };
    assert_eq!(dtype_of_file(&written(&[bare.clone()])), native("[(('time in s', 't'), '<f8'), ('id', '|u1')]"));
    let full = Reading { depth: Some(1.0), weight: Some(2.0), ..bare };
    assert_eq!(dtype_of_file(&written(&[full])), Reading::dtype().to_string());
}

#[test]
fn unknown_fields_are_skipped_or_denied() {
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    struct Open {
        x: f32,
    }
    #[derive(NpyRecord, Clone, Debug, PartialEq)]
    #[npy(deny_unknown_fields)]
    struct Closed {
        x: f32,
        #[npy(alias = "z", default)]
        y: f32,
    }
    round_trip(&[Closed { x: 1.0, y: 2.0 }], "[('x', '<f4'), ('y', '<f4')]");
    let file = zeros("[('x', '<f4'), ('z', '<f4'), ('note', '|S3'), ('w', '<i2')]");
    assert_eq!(npy_core::read::<Open>(&file[..]).unwrap().len(), 2);
    let found = mismatches::<Closed>(&file);
    assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["note", "w"]);
    assert_eq!(found[0].1, "unknown field of dtype |S3: expected x, y");
    let nested = mismatches::<Nested<Closed>>(&zeros(
        "[('before', '|u1'), ('alone', [('x', '<f4'), ('u', '<f4')]), ('several', [('x', '<f4')], (1, 2))]",
    ));
    assert_eq!(nested[0].0, "alone.u");
}
