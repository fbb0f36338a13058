//! The paper on the software (`paper/`) has what its journal asks for: the sections, a length, and references that resolve.

use std::collections::BTreeSet;

use super::none;

/// The sections that the Journal of Open Source Software requires, in its order.
const SECTIONS: [&str; 6] = [
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact statement",
    "AI usage disclosure",
];

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("{}/paper/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn the_paper_has_its_sections_and_length() {
    let paper = read("paper.md");
    let sections: Vec<&str> = paper.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    assert_eq!(sections[..SECTIONS.len()], SECTIONS);
    let words = paper.splitn(3, "---\n").nth(2).unwrap().split_whitespace().count();
    assert!((750..=1750).contains(&words), "{words} words");
}

#[test]
fn the_papers_references_resolve() {
    let (paper, library) = (read("paper.md"), read("paper.bib"));
    let cited: BTreeSet<&str> =
        paper.split("[@").skip(1).map(|rest| rest.split([']', ';', ',', ' ']).next().unwrap()).collect();
    let entries: Vec<&str> = library.split("\n@").collect();
    let known: BTreeSet<&str> = entries.iter().map(|entry| entry.split(['{', ',']).nth(1).unwrap()).collect();
    assert_eq!(cited, known, "what is cited (left) is what the library has (right)");
    let found = entries.iter().filter(|entry| !entry.contains("doi = {10.") && !entry.contains("url = {https://"));
    none(found.map(|&entry| entry.to_owned()).collect(), "each reference has a DOI or an address");
}
