//! Names of columns in a list, divided by commas.

/// A name as a list of names holds it.
pub(super) fn quoted(name: &str) -> String {
    let plain = name.trim() == name && !name.contains([',', '"']);
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\"\"")) }
}

/// Names divided by commas; those in double quotes may hold commas, and quotes twice as in CSV or behind a backslash
/// as in RON.
pub(super) fn names(answer: &str) -> Vec<String> {
    let mut names = vec![(String::new(), false)];
    let (mut characters, mut within) = (answer.chars().peekable(), false);
    while let Some(character) = characters.next() {
        let (name, is_quoted) = names.last_mut().expect("it begins with one name");
        match character {
            '"' if within => match characters.next_if_eq(&'"') {
                Some(quote) => name.push(quote),
                None => within = false,
            },
            '\\' if within => name.push(characters.next_if(|next| "\"\\".contains(*next)).unwrap_or(character)),
            _ if within => name.push(character),
            '"' if name.trim().is_empty() => {
                name.clear();
                (within, *is_quoted) = (true, true);
            }
            ',' => names.push((String::new(), false)),
            blank if *is_quoted && blank.is_whitespace() => {}
            letter => name.push(letter),
        }
    }
    names.into_iter().map(|(name, is_quoted)| if is_quoted { name } else { name.trim().to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::{names, quoted};

    #[test]
    fn names_with_commas_are_read_as_they_are_shown() {
        assert_eq!(names("a, b c ,d"), ["a", "b c", "d"]);
        let odd = ["Length, cm", "a \"b\"", " edge ", "plain", "back\\slash"];
        let shown: Vec<String> = odd.iter().map(|name| quoted(name)).collect();
        assert_eq!(names(&shown.join(", ")), odd);
        // As RON has it.
        assert_eq!(names(r#""a \"b\"", "x, y""#), ["a \"b\"", "x, y"]);
    }
}
