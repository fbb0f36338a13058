//! The commands of the README and the guide work: every command of its fenced `sh` blocks that is one of
//! the program's is run, in order, in one folder, as a newcomer would. Knows of the README only its blocks.
//!
//! `fedbits …`, `cargo run … -- …` and `./target/release/fedbits …` are the program. A command marked by a comment `#
//! slow` is checked by `check --text-only` if it is a run or a study, and else by its `--help`. A path below
//! `../shared/data` or a `--data` needs the variable `FEDBITS_DATA`; without it the command is skipped, and that is
//! reported. Other programs (git, cargo build, cargo test) are what `.ci/run` and a clone do anyway. A block that opens
//! with a format and a name is a file beside the commands.

use std::path::Path;

use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish};

/// A command of the README: the words after the program's name.
struct Typed {
    line: String,
    words: Vec<String>,
    slow: bool,
}

/// The program's commands in the `sh` blocks of a text, continued lines joined.
fn commands(readme: &str) -> Vec<Typed> {
    let mut inside = false;
    let mut block = String::new();
    for line in readme.lines() {
        match line.trim() {
            "```sh" | "```bash" | "```console" => inside = true,
            "```" => inside = false,
            line if inside => {
                block += line.trim_start_matches("$ ");
                block += "\n";
            }
            _ => {}
        }
    }
    block.replace("\\\n", " ").lines().filter_map(typed).collect()
}

/// The files of a page: blocks that open with a format and a name, such as `csv flowers.csv`.
fn files(page: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    let (mut inside, mut open) = (false, false);
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => (open, inside) = (false, false),
            Some(format) => {
                let name = format.split_whitespace().nth(1);
                (open, inside) = (true, name.is_some());
                files.extend(name.map(|name| (name.to_owned(), String::new())));
            }
            None if inside => files.last_mut().into_iter().for_each(|(_, text)| *text += &format!("{line}\n")),
            None => {}
        }
    }
    files
}

fn typed(line: &str) -> Option<Typed> {
    let (command, comment) = line.split_once(" #").unwrap_or((line, ""));
    let words = words(command);
    let name = words.first()?.rsplit('/').next()?.to_owned();
    let program = match name.as_str() {
        "fedbits" => 1,
        "cargo" if words.get(1)? == "run" => words.iter().position(|word| word == "--")? + 1,
        _ => return None,
    };
    Some(Typed { line: line.to_owned(), words: words[program..].to_vec(), slow: comment.contains("slow") })
}

/// Words as a shell splits them; quotes keep words together. Nothing else of a shell is known.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![];
    let (mut word, mut quote) = (None::<String>, None);
    for c in command.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// What is run for a command; `None` when it needs data that are not here.
fn arguments(typed: &Typed, data: Option<&str>) -> Option<Vec<String>> {
    let mut words = typed.words.clone();
    // A table that the page shows stays what it is.
    let is_folder = |index: &usize| !words.get(index + 1).is_some_and(|value| value.ends_with(".csv"));
    if let Some(index) = words.iter().position(|word| word == "--data").filter(is_folder) {
        *words.get_mut(index + 1)? = data?.to_owned();
    }
    if typed.slow && !words.first().is_some_and(|word| ["run", "study", "check"].contains(&word.as_str())) {
        words.truncate(1);
        words.push("--help".to_owned());
    } else if typed.slow {
        let kept = words.iter().position(|word| word == "--out");
        kept.into_iter().for_each(|index| drop(words.drain(index..(index + 2).min(words.len()))));
        words.retain(|word| word != "--no-figures");
        words[0] = "check".to_owned();
        words.push("--text-only".to_owned());
    }
    Some(words)
}

#[test]
fn files_are_found() {
    let page = "```csv a.csv\nx\n1\n```\n```ron\n()\n```\n```ron b.ron\n```\n";
    let expected = [("a.csv", "x\n1\n"), ("b.ron", "")].map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(files(page), expected);
}

#[test]
fn every_command_of_the_readme_works() {
    every_command_works("README.md");
}

/// The page that takes almost as long as all others.
const STUDIES: &str = "studies.md";

#[test]
fn every_command_on_studies_works() {
    every_command_works(&format!("docs/{STUDIES}"));
}

#[test]
fn every_command_of_the_guide_works() {
    let folder = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")).expect("there is a guide");
    let names = folder.map(|page| page.expect("it can be read").file_name().into_string().expect("plain names"));
    let mut pages: Vec<String> = names.filter(|name| name.ends_with(".md") && name != STUDIES).collect();
    pages.sort();
    pages.iter().for_each(|page| every_command_works(&format!("docs/{page}")));
}

fn every_command_works(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let readme = std::fs::read_to_string(path).expect("the page is there");
    let data = std::env::var("FEDBITS_DATA").ok();
    let scratch = Scratch::new();
    for (name, text) in files(&readme) {
        std::fs::write(scratch.path(name), text).expect("the folder is writable");
    }
    for name in tables(&readme) {
        let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorial").join(name);
        std::fs::copy(table, scratch.path(name)).expect("the table that the page links to is there");
    }
    let mut printed = String::new();
    for typed in commands(&readme) {
        let Some(arguments) = arguments(&typed, data.as_deref()) else {
            skipped(Lacks::Data, &format!("FEDBITS_DATA is not set: {}", typed.line));
            continue;
        };
        let mut command = scratch.fedbits(&arguments);
        command.envs(data.iter().map(|data| ("FEDBITS_DATA", data)));
        let output = finish(command);
        assert_eq!(output.code, Some(0), "`{}` (as fedbits {arguments:?}) says: {}", typed.line, output.err);
        printed += &output.out;
    }
    let missing: Vec<&str> = shown(&readme).into_iter().filter(|line| !printed.contains(line)).collect();
    assert!(missing.is_empty(), "{page} shows lines that no command printed: {missing:#?}");
}

/// The tables of `docs/tutorial` that a page links to.
fn tables(page: &str) -> Vec<&str> {
    page.split("](tutorial/").skip(1).filter_map(|rest| rest.split_once(')')).map(|(name, _)| name).collect()
}

/// The lines of the blocks that a page says to be output.
fn shown(page: &str) -> Vec<&str> {
    let blocks = page.split("```text output\n").skip(1).filter_map(|rest| rest.split_once("```"));
    blocks.flat_map(|(block, _)| block.lines()).collect()
}

/// The reader of READMEs, on one that shows all it knows.
#[test]
fn commands_are_found_and_split() {
    let readme = "```sh\n$ cargo run --release -- run quickstart --set a='B(1, 2)'  # slow: minutes\ncargo test\n\
                  fedbits run mnist --data \\\n  ../shared/data\n```\n```ron\nfedbits no\n```\n";
    let found = commands(readme);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].words, ["run", "quickstart", "--set", "a=B(1, 2)"]);
    assert_eq!(
        arguments(&found[0], None).unwrap(),
        ["check", "quickstart", "--set", "a=B(1, 2)", "--text-only"],
        "a slow run is checked only"
    );
    let compare =
        Typed { words: words("compare out/a --format csv"), ..commands("```sh\nfedbits x # slow\n```").remove(0) };
    assert_eq!(arguments(&compare, None).unwrap(), ["compare", "--help"]);
    assert_eq!(arguments(&found[1], None), None);
    assert_eq!(arguments(&found[1], Some("/data")).unwrap(), ["run", "mnist", "--data", "/data"]);
}
