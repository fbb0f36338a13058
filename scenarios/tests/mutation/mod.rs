//! What must hold of any text at all that is loaded: shared by the tests and by the program `examples/night/mutations.rs`,
//! which runs it a hundred thousand times.

use fedbits_scenarios::{Diagnostics, Set, Source, library, load};

/// The scenarios of the library, and the template.
pub fn texts() -> Vec<String> {
    let library = library::list().map(|entry| library::find(entry.name).expect("it is listed").text);
    library.chain([library::template("t")]).collect()
}

/// Whatever is reported of a text, it is reported at a position, and that position can be shown.
pub fn survives(text: &str, sets: &[Set]) {
    let source = Source::new("mutated.ron", text);
    load(source, sets).err().iter().for_each(have_positions);
}

fn have_positions(problems: &Diagnostics) {
    assert!(!problems.problems().is_empty());
    for problem in problems.problems() {
        assert!(problem.line >= 1 && problem.column >= 1);
        assert!(!problem.message.is_empty() && !problem.expected.is_empty());
    }
    // One heading per problem, as far as problems are shown.
    let shown = problems.render(false);
    let headings = shown.lines().filter(|line| line.starts_with("Error: ")).count();
    assert!(headings >= problems.problems().len().min(20), "{shown}");
}
