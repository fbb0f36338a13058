//! Words of commands that are printed.

/// Bytes as one word of a POSIX shell: within single quotes every byte but the quote stands for itself.
#[must_use]
pub fn quoted(bytes: &[u8]) -> Vec<u8> {
    let each = bytes.iter().flat_map(|byte| if *byte == b'\'' { br"'\''" } else { std::slice::from_ref(byte) });
    [b'\''].iter().chain(each).chain(b"'").copied().collect()
}

/// A text as one word of a POSIX shell, in quotes where it needs them.
#[must_use]
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,=:%+@".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => String::from_utf8_lossy(&quoted(text.as_bytes())).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn words_are_quoted_where_they_need_it() {
        let words = ["--out", "a b", "", "it's", "x=1,2", "été.csv", "$HOME", "a\nb"].map(word);
        assert_eq!(words, ["--out", "'a b'", "''", r"'it'\''s'", "x=1,2", "été.csv", "'$HOME'", "'a\nb'"]);
    }
}
