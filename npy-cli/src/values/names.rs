//! Names of new members of archives.

use crate::failure::{Failure, Result};

/// Fails if a program that unpacks the archive would write such a member outside of its directory on some system, or if the name has
/// control characters. Members that have such a name already can be read, renamed and removed, and keep it in copies of the archive.
pub(crate) fn expect_member_name(name: &str) -> Result<()> {
    let is_drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let expected = if name.contains(char::is_control) {
        "a name without control characters"
    } else if name.starts_with(['/', '\\']) || is_drive || name.split(['/', '\\']).any(|part| part == "..") {
        "a name that stays in the directory where the archive is unpacked"
    } else {
        return Ok(());
    };
    Err(Failure::OfMember(format!("invalid name {name:?} for a member: expected {expected}")))
}

#[cfg(test)]
mod tests {
    use super::expect_member_name;

    #[test]
    fn names_stay_in_the_directory() {
        for name in ["", "x", "a/b", "a..b", "...", "a/..b/c..", "ab:/x", "é中", "a b", "./a", "a//b", "a\u{200d}b"] {
            assert!(expect_member_name(name).is_ok(), "{name:?}");
        }
        for name in [
            "..",
            "../evil",
            "a/../../b",
            "..\\evil",
            "a\\..\\b",
            "/etc/x",
            "\\x",
            "C:\\x",
            "c:x",
            "a\x1b[2J",
            "\n",
            "\u{9b}",
            "a\0",
        ] {
            assert!(expect_member_name(name).is_err(), "{name:?}");
        }
    }
}
