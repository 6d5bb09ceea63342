//! Code page 437, the encoding of member names without the UTF-8 flag.

/// The characters of the bytes from 0x80 on.
const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Decodes a name.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let character = |byte: u8| match byte.checked_sub(0x80) {
        None => char::from(byte),
        Some(upper) => UPPER.chars().nth(upper.into()).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().copied().map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::{UPPER, decode};

    #[test]
    fn every_byte_is_a_character() {
        assert_eq!(UPPER.chars().count(), 128);
        assert_eq!(decode(b"a\x80\xe1\xff"), "aÇß\u{a0}");
    }
}
