//! Headers and dtypes as text.

use npy_core::{DType, Header};

/// The text of a header, behind a preamble that fits it: a copy of the header parses to the same.
pub fn header(input: &[u8]) {
    // A whole file is a seed, so that its preamble is taken off.
    let (major, text) = match input {
        [0x93, b'N', b'U', b'M', b'P', b'Y', major, _, rest @ ..] => {
            let text = rest.get(if *major == 1 { 2 } else { 4 }..).unwrap_or_default();
            (*major, text.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default())
        }
        [major, text @ ..] => (*major, text),
        [] => return,
    };
    let major = 1 + major.wrapping_sub(1) % 3;
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([major, 0]);
    match major {
        1 => file.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes()),
        _ => file.extend(u32::try_from(text.len()).unwrap().to_le_bytes()),
    }
    file.extend(text);
    let Some(((parsed, length), read)) = super::same_verdict(Header::parse(&file), Header::read(&file[..]), "parsed and read")
    else {
        return;
    };
    assert_eq!(parsed, read);
    assert!(length <= file.len() && Header::bytes_needed(&file).is_ok_and(|needed| needed <= length));
    let copy = parsed.to_bytes();
    let (again, copied) = Header::parse(&copy).unwrap_or_else(|error| panic!("{error}: {}", copy.escape_ascii()));
    assert_eq!(copied, copy.len());
    assert_eq!((again.dtype(), again.order(), again.shape()), (parsed.dtype(), parsed.order(), parsed.shape()));
    assert_eq!(again.to_bytes(), copy, "the copy of a copy differs");
    same_dtype(parsed.dtype());
}

/// The text of a dtype: what is printed parses to the same.
pub fn dtype(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Ok(dtype) = text.parse::<DType>() {
        same_dtype(&dtype);
    }
}

fn same_dtype(dtype: &DType) {
    let text = dtype.to_string();
    let again = text.parse::<DType>().unwrap_or_else(|error| panic!("{error}: {text}"));
    // A field without a name that a title made one is padding without it, in NumPy too.
    if text.contains("('', ") {
        return;
    }
    assert_eq!(again, *dtype, "{text}");
    assert_eq!(dtype.descr().parse::<DType>().unwrap_or_else(|error| panic!("{error}: {}", dtype.descr())), *dtype);
    assert!(!dtype.to_rust("Record").is_empty());
}
