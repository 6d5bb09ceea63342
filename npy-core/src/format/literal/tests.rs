//! Literals: what the parser accepts, and where its errors point.

use super::*;

fn show(node: &Node<'_>) -> String {
    let list = |items: &[Node<'_>]| items.iter().map(show).collect::<Vec<_>>().join(" ");
    match &node.value {
        Value::None => "none".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Other => format!("<{}>", node.excerpt()),
        Value::Text(text) => format!("{text:?}"),
        Value::SurrogateText(text) => format!("surrogates {text:?}"),
        Value::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        Value::Tuple(items) => format!("({})", list(items)),
        Value::List(items) => format!("[{}]", list(items)),
        Value::Dict(pairs) => {
            let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{}={}", show(key), show(value))).collect();
            format!("{{{}}}", pairs.join(" "))
        }
        Value::Set => "set".to_owned(),
        Value::RecordType => "record".to_owned(),
    }
}

fn shown(fault: Fault) -> String {
    match fault {
        Fault::Syntax { offset, problem } => format!("at byte {offset}: {problem}"),
        Fault::NestedTooDeep { limit } => format!("nested deeper than {limit}"),
    }
}

fn read(text: &[u8]) -> String {
    let dialect = Dialect { latin1: true, long_integers: true, is_dtype: false, base: 0, depth: 200 };
    match parse(text, dialect) {
        Ok(node) => show(&node),
        Err(fault) => format!("! {}", shown(fault)),
    }
}

#[test]
fn accepts_what_literal_eval_accepts() {
    for (text, expected) in [
        (&b"(3,)"[..], "(3)"),
        (b"()", "()"),
        (b"(3)", "3"),
        (b"((3))", "3"),
        (b"[1, 2,]", "[1 2]"),
        (b" \t{'a': 1, # comment\n 'b': (2L, 0x3L, 4 L)}\n ", "{\"a\"=1 \"b\"=(2 3 4)}"),
        (b"{}", "{}"),
        (b"{1, 2}", "set"),
        (b"'it\\'s' \"x\" u'y'", "\"it'sxy\""),
        (b"'\\x41\\101\\u00e9\\U0001F600\\q\\\n'", "\"A\u{41}\u{e9}\u{1f600}\\\\q\""),
        (b"'\xe9'", "\"\u{e9}\""),
        (b"r'\\n'", "\"\\\\n\""),
        (b"r'\\\\'", "\"\\\\\\\\\""),
        (b"rb'\\x41'", "b\"\\\\x41\""),
        (b"b'\\x80'", "b\"\\x80\""),
        (b"'a\\ud800b'", "surrogates \"a\\\\ud800b\""),
        (b"'\\ud800' '\\udfff'", "surrogates \"\\\\ud800\\\\udfff\""),
        (b"'\\ud800' 'a'", "surrogates \"\\\\ud800a\""),
        (b"'a' '\\ud800'", "surrogates \"a\\\\ud800\""),
        (b"b'a' b'b'", "b\"ab\""),
        (b"b'\\u00e9\\U000000e9\\N{x}'", "b\"\\\\u00e9\\\\U000000e9\\\\N{x}\""),
        (b"'\\a\\b\\f\\n\\r\\t\\v\\\\\\''", "\"\\u{7}\\u{8}\\u{c}\\n\\r\\t\\u{b}\\\\'\""),
        (b"'\\0\\7\\78\\1012\\375'", "\"\\0\\u{7}\\u{7}8A2\u{fd}\""),
        (b"#\n1#\r", "1"),
        (b"{1: 2} ", "{1=2}"),
        (b"'''a\n'b'''", "\"a\\n'b\""),
        (b"1_000", "1000"),
        (b"00", "0"),
        (b"0b11", "3"),
        (b"0o17", "15"),
        (b"-5", "-5"),
        (b"+5", "5"),
        (b"- 5", "-5"),
        (b"1.5e-3", "<1.5e-3>"),
        (b".5", "<.5>"),
        (b"1+2j", "<1+2j>"),
        (b"...", "<...>"),
        (b"[True, False, None]", "[true false none]"),
        (b"'10L'", "\"10L\""),
        (b"9223372036854775808", "<9223372036854775808>"),
    ] {
        assert_eq!(read(text), expected, "{}", text.escape_ascii());
    }
}

#[test]
fn refuses_what_literal_eval_refuses() {
    for text in [
        &b""[..],
        b"(",
        b"(1 2)",
        b"[1,,]",
        b"(,)",
        b"{'a' 1}",
        b"{'a': 1, 2}",
        b"03",
        b"--3",
        b"1+2",
        b"1__0",
        b"1_",
        b"0x",
        b"3l",
        b"3LL",
        b"true",
        b"np.int64(3)",
        b"f'x'",
        b"*a",
        b"'a",
        b"'a\n'",
        b"'\\x4'",
        b"'\\N{DIGIT ONE}'",
        b"'\\U00110000'",
        b"'a\0b'",
        b"'a'\0",
        b"\x0b1",
        b"\xa01",
        b"1 2",
        b"{} {}",
        b"b'a' 'b'",
        b"b'\xe9'",
        b"u r'x'",
        b"rr'x'",
        b"bb'x'",
        b"ru'x'",
        b"ub'x'",
        b"Nones",
        b"'''a''",
        b"#\0\n1",
        b"\xe9",
    ] {
        assert!(read(text).starts_with('!'), "{} was read as {}", text.escape_ascii(), read(text));
    }
}

#[test]
fn nesting_is_bounded_and_cheap_to_refuse() {
    let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
    assert!(!read(nested(200).as_bytes()).starts_with('!'));
    assert!(read(nested(201).as_bytes()).starts_with("! nested deeper than 200"));
    for byte in ["[", "(", "{", "((", "[{"] {
        assert!(read(byte.repeat(1_000_000).as_bytes()).starts_with("! nested deeper than 200"));
    }
}

#[test]
fn errors_tell_the_place() {
    assert_eq!(read(b"(1, 2"), "! at byte 5: expected ',' or ')', found end of text");
    assert_eq!(read(b"[1 x]"), "! at byte 3: expected ',' or ']', found 'x'");
    assert_eq!(read(b"{'shape': np.int64(3)}"), "! at byte 10: expected a plain number, found a NumPy scalar such as np.int64(3)");
}

#[test]
fn digits_are_bounded_as_in_python() {
    assert_eq!(read("0".repeat(4300).as_bytes()), "0");
    assert!(read("0".repeat(4301).as_bytes()).starts_with("! "));
}

#[test]
fn brackets_count_while_they_are_open() {
    let dictionaries = |count: usize| format!("({})", "{1: {}}, ".repeat(count));
    assert!(!read(dictionaries(300).as_bytes()).starts_with('!'));
}

#[test]
fn excerpts_are_cut_at_a_character() {
    for (text, length) in [(format!("1.{}", "1".repeat(58)), 60), (format!("1.{}", "1".repeat(59)), 61)] {
        let shown = read(text.as_bytes());
        let expected = if length > 60 { format!("<{}\u{2026}>", &text[..60]) } else { format!("<{text}>") };
        assert_eq!(shown, expected);
    }
}

#[test]
fn excerpts_have_sixty_characters_at_most() {
    for (character, latin1) in [("x", true), ("x", false), ("\u{1f600}", false)] {
        let dialect = Dialect { latin1, long_integers: true, is_dtype: false, base: 0, depth: 200 };
        // Both quotes are counted.
        for (length, expected) in [(58, format!("'{}'", character.repeat(58))), (59, format!("'{}…", character.repeat(59)))] {
            let text = format!("'{}'", character.repeat(length));
            assert_eq!(parse(text.as_bytes(), dialect).unwrap().excerpt(), expected);
        }
    }
}

#[test]
fn nul_bytes_in_comments_are_located() {
    let dialect = Dialect { latin1: true, long_integers: true, is_dtype: false, base: 10, depth: 200 };
    assert_eq!(shown(parse(b"1  # a\0b\n", dialect).unwrap_err()), "at byte 16: invalid NUL byte");
}
