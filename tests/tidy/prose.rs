//! The documentation is short: a ceiling of words for each page, and sentences of at most 25 words. Code, tables and
//! headings are no sentences; a piece of code in a sentence is one word.

use std::fs;
use std::path::Path;

use super::none;

const LONGEST_SENTENCE: usize = 25;

/// Most words of all pages, and of those in docs/ without the reference.
const MOST_WORDS: usize = 45_000;
const MOST_WORDS_TO_READ: usize = 12_000;
/// Pages of reference: fields, columns, commands, caveats, kinds of figures and names.
const REFERENCE: [&str; 6] = ["fields", "records", "command-line", "caveats", "figure-kinds", "names"];

/// Words of each page, all included, and how many per cent of its sentences may be longer than [`LONGEST_SENTENCE`]: none in
/// the tutorial and on pages that answer "how do I …?". Who shortens a page lowers its ceiling.
const CEILINGS: [(&str, usize, usize); 35] = [
    ("README.md", 630, 0),
    ("ARCHITECTURE.md", 560, 5),
    ("CONTRIBUTING.md", 410, 5),
    (".ci/README.md", 290, 5),
    ("tools/README.md", 210, 5),
    ("tools/emulate/README.md", 340, 5),
    ("benches/README.md", 930, 5),
    ("SECURITY.md", 160, 5),
    ("python/README.md", 90, 5),
    ("docs/guide.md", 340, 0),
    ("docs/tutorial.md", 920, 0),
    ("docs/supplement.md", 260, 0),
    ("docs/data.md", 330, 0),
    ("docs/studies.md", 350, 0),
    ("docs/races.md", 300, 0),
    ("docs/figures.md", 350, 0),
    ("docs/python.md", 330, 0),
    ("docs/python-parts.md", 290, 0),
    ("docs/python-protocols.md", 270, 0),
    ("docs/optimization.md", 320, 0),
    ("docs/cluster.md", 340, 0),
    ("docs/comparisons.md", 660, 5),
    ("docs/tables.md", 650, 5),
    ("docs/figure-kinds.md", 970, 5),
    ("docs/semantics.md", 790, 5),
    ("docs/algorithms.md", 1400, 5),
    ("docs/validation.md", 800, 5),
    ("docs/papers.md", 1010, 5),
    ("docs/extending.md", 330, 5),
    ("docs/names.md", 1420, 5),
    ("docs/step-sizes.md", 560, 5),
    ("docs/fields.md", 15410, 5),
    ("docs/caveats.md", 3770, 5),
    ("docs/records.md", 3080, 5),
    ("docs/command-line.md", 1820, 5),
];

/// How many words a page has. Bars of tables, marks of lists and operators have no letter or digit and are none.
fn words(page: &str) -> usize {
    page.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// The paragraphs and items of a page, without code, tables and headings.
fn blocks(page: &str) -> Vec<String> {
    let (mut blocks, mut inside) = (vec![String::new()], false);
    for line in page.lines() {
        let text = line.trim_start().trim_start_matches("> ");
        let is_open = blocks.last().is_some_and(|block| !block.is_empty());
        if text.starts_with("```") {
            inside = !inside;
            blocks.push(String::new());
        } else if inside || line.starts_with("    ") && !is_open {
        } else if text.is_empty() || text.starts_with(['#', '|', '!']) || text.starts_with("<!--") {
            blocks.push(String::new());
        } else {
            let item = text
                .split_once(' ')
                .filter(|(mark, _)| *mark == "-" || mark.trim_end_matches('.').parse::<u8>().is_ok());
            blocks.extend(item.map(|_| String::new()));
            let block = blocks.last_mut().expect("there is one");
            *block += item.map_or(text, |(_, rest)| rest);
            block.push(' ');
        }
    }
    blocks
}

/// The numbers of words of the sentences of a block.
fn sentences(block: &str) -> Vec<usize> {
    // What stands between backticks is one word, and addresses of links are none.
    let code: String =
        block.split('`').enumerate().map(|(index, part)| if index % 2 == 0 { part } else { "code" }).collect();
    let mut links = code.split("](");
    let mut text = links.next().unwrap_or_default().to_owned();
    links.for_each(|rest| text += rest.split_once(')').map_or(rest, |(_, after)| after));
    let mut sentences = vec![0];
    for word in text.split_whitespace() {
        *sentences.last_mut().expect("there is one") += 1;
        if word.trim_end_matches(['*', '"', ')', '_']).ends_with(['.', '!', '?']) {
            sentences.push(0);
        }
    }
    sentences.retain(|&words| words > 0);
    sentences
}

#[test]
fn sentences_are_found() {
    let page = "# A long heading\n\nOne `two three` [four](a b c).\nFive *six.* Seven\n\n    code here.\n\n- a b\n  c.\n- d.\n| x. |\n";
    let found: Vec<Vec<usize>> =
        blocks(page).iter().map(|block| sentences(block)).filter(|lengths| !lengths.is_empty()).collect();
    assert_eq!(found, [vec![3, 2, 1], vec![3], vec![1]]);
}

#[test]
fn pages_and_sentences_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder =
        fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = folder.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}"));
    let unknown = pages.filter(|page| !CEILINGS.iter().any(|(known, ..)| known == page));
    let mut found: Vec<String> = unknown.map(|page| format!("{page} has no ceiling")).collect();
    let (mut all, mut to_read) = (0, 0);
    for (page, ceiling, share) in CEILINGS {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let words = words(&text);
        all += words;
        let name = page.strip_prefix("docs/").and_then(|name| name.strip_suffix(".md"));
        if name.is_some_and(|name| !REFERENCE.contains(&name)) {
            to_read += words;
        }
        if words > ceiling {
            found.push(format!("{page}: {words} words, {ceiling} allowed"));
        }
        let lengths: Vec<usize> = blocks(&text).iter().flat_map(|block| sentences(block)).collect();
        let long = lengths.iter().filter(|&&words| words > LONGEST_SENTENCE).count();
        if 100 * long > share * lengths.len() {
            found.push(format!("{page}: {long} of {} sentences are long, {share} % allowed", lengths.len()));
        }
    }
    assert!(all <= MOST_WORDS && to_read <= MOST_WORDS_TO_READ, "{all} words, {to_read} without the reference");
    none(found, "pages keep to their words, and sentences to 25 (tests/tidy/prose.rs)");
}
