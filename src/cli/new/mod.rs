//! `fedbits new`: a commented scenario or a study to start from: with every field, for an algorithm, after one of the
//! library, or for a table of one's own.

mod columns;
mod proposal;
mod questions;
mod scenario_text;
mod source;
mod table_file;
mod target;

use fedbits_scenarios::library;

use self::target::Target;
use crate::cli::args::NewOptions;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::texts;

/// Writes NAME.ron, which must not exist.
pub(crate) fn new(options: &NewOptions, console: &Console) -> Result<(), Failure> {
    let (name, text) = match (&options.from, &options.data) {
        (Some(from), _) => copied(from, &options.words)?,
        (None, Some(data)) => {
            let [name] = &options.words[..] else {
                return Err(Failure::Input(
                    "--data needs one NAME for the scenario, as in `new my-fit --data my.csv`".to_owned(),
                ));
            };
            let target = Target::of(name)?;
            target.check_free()?;
            let text = scenario_text::for_table(data, &target, options, console)?;
            return target.write(&text, console);
        }
        (None, None) => template(&options.words)?,
    };
    let target = Target::of(&name)?;
    target.write(&text(target.stem()), console)
}

/// How a text is made for a name.
type Named = Box<dyn Fn(&str) -> String>;

/// The library's scenario, or a file, under another name.
fn copied(from: &str, words: &[String]) -> Result<(String, Named), Failure> {
    let source = texts::text(from)?;
    let last = source.name.rsplit('/').next().unwrap_or(&source.name).to_owned();
    let name = match words {
        [] => last,
        [name] => name.clone(),
        _ => return Err(Failure::Input("--from takes at most one NAME for the copy".to_owned())),
    };
    let text = source.source.text;
    Ok((name, Box::new(move |name| library::renamed(&text, name))))
}

/// One of the templates.
fn template(words: &[String]) -> Result<(String, Named), Failure> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_start = |word: &str| library::starts().any(|start| start == word);
    Ok(match words[..] {
        ["study"] => ("study".to_owned(), Box::new(library::study_template)),
        ["study", name] => (name.to_owned(), Box::new(library::study_template)),
        ["scenario", name] => (name.to_owned(), Box::new(library::template)),
        [name] if !is_start(name) => (name.to_owned(), Box::new(library::template)),
        [start] | [start, _] if is_start(start) => {
            let own = start.to_owned();
            let text = move |name: &str| library::start(&own, name).unwrap_or_default();
            (words.last().copied().unwrap_or(start).to_owned(), Box::new(text))
        }
        [unknown, _] => {
            let known: Vec<&str> = ["scenario", "study"].into_iter().chain(library::starts()).collect();
            let nearest = fedbits_text::nearest(unknown, known.iter().copied());
            let help = nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let known = fedbits_text::one_of(&known);
            return Err(Failure::Input(format!("there is no `{unknown}` to start from: expected {known}{help}")));
        }
        _ => return Err(Failure::Input("expected NAME, or what to start from and NAME: `new vpem my-fit`".to_owned())),
    })
}
