//! Scenarios and their arms.

use std::path::{Path, PathBuf};

use fedbits_record::Manifest;
use fedbits_scenarios::prepare::{PrepareError, Preparer};
use fedbits_scenarios::schema::Target;
use fedbits_scenarios::{Checked, CheckedScenario, Diagnostics, Set, Source, load_resolved, load_with};
use fedbits_spec::{Caveat, caught};
use fedbits_text::{Element, Tree};

use crate::error::Error;
use crate::texts;

/// A scenario as it is written, with changes by path.
///
/// ```
/// # fn main() -> Result<(), fedbits::Error> {
/// let scenario = fedbits::Scenario::load("quickstart")?.set("stop.rounds", "3");
/// let arms = scenario.arms()?;
/// assert_eq!(arms.len(), 4);
/// assert!(arms[0].text().contains("rounds: 3"));
///
/// let misspelt = fedbits::Scenario::load("quickstart")?.set("stop.ronds", "3");
/// assert!(misspelt.arms().unwrap_err().to_string().contains("did you mean `rounds`?"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Scenario {
    name: String,
    source: Source,
    pub(crate) folder: Option<PathBuf>,
    sets: Vec<Set>,
}

impl Scenario {
    /// The scenario of a file, or the built-in one of this name ([`library`](crate::library)). Data files, and the
    /// scenario that it names as its base, are looked for in the folder of the file first.
    ///
    /// # Errors
    /// When there is none; with the nearest name.
    pub fn load(name: &str) -> Result<Self, Error> {
        let texts::Text { name: short, source, folder } = texts::text(name)?;
        Ok(Self { name: short, source, folder, sets: Vec::new() })
    }

    /// A scenario from its text (RON). Its base, if it has one, is of the library, or a file by its whole path; `name`
    /// stands in messages.
    #[must_use]
    pub fn from_text(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), source: Source::new(name, text), folder: None, sets: Vec::new() }
    }

    /// The same with the folder in which its data files are looked for first.
    pub(crate) fn from_text_in(name: &str, text: &str, folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::from_text(name, text) }
    }

    /// The scenario with another value at a path, both as in a scenario file: `.set("protocol.gamma",
    /// "Constant(0.1)")`. Later changes win.
    #[must_use]
    pub fn set(mut self, path: &str, value: &str) -> Self {
        self.sets.push(Set { path: path.to_owned(), value: value.to_owned() });
        self
    }

    /// The name of the file without its ending, or that of the library.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its arms, checked: one where the scenario has neither arms nor axes.
    ///
    /// # Errors
    /// [`Error::Problems`]: everything that is wrong with the text or the changes, each at its position.
    pub fn arms(&self) -> Result<Vec<Arm>, Error> {
        Ok(Arm::all(&self.check()?, self.folder.as_deref()))
    }

    /// The targets that the scenario declares.
    ///
    /// # Errors
    /// As [`Scenario::arms`].
    pub fn targets(&self) -> Result<Vec<Target>, Error> {
        Ok(self.check()?.scenario.targets)
    }

    pub(crate) fn check(&self) -> Result<CheckedScenario, Error> {
        let bases = texts::BasesIn(self.folder.as_deref());
        load_with(self.source.clone(), &self.sets, &bases).map_err(Error::scenario)
    }
}

/// A checked scenario that can be run: an arm of a [`Scenario`].
#[derive(Clone, Debug)]
pub struct Arm {
    pub(crate) checked: Checked,
    pub(crate) folder: Option<PathBuf>,
}

impl Arm {
    pub(crate) fn all(checked: &CheckedScenario, folder: Option<&Path>) -> Vec<Self> {
        let arm = |checked: &Checked| Self { checked: checked.clone(), folder: folder.map(Path::to_path_buf) };
        checked.arms.iter().map(arm).collect()
    }

    /// Its name in records and legends: the scenario's name when that has no arms.
    #[must_use]
    pub fn name(&self) -> &str {
        arm_name(&self.checked)
    }

    /// The scenario of this arm as RON, with every field and every default.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.checked.text
    }

    /// What is allowed but not to be trusted blindly.
    #[must_use]
    pub fn caveats(&self) -> &[Caveat] {
        &self.checked.caveats
    }
}

pub(crate) fn arm_name(checked: &Checked) -> &str {
    checked.arm.as_deref().unwrap_or(&checked.scenario.name)
}

/// So many arms are named where there is none of a name.
pub(crate) const LISTED_ARMS: usize = 20;

/// The number of the arm of a name.
pub(crate) fn arm_number(names: &[&str], name: &str) -> Result<usize, Error> {
    names.iter().position(|known| *known == name).ok_or_else(|| {
        let known = fedbits_text::known(name, names, LISTED_ARMS);
        Error::Input(format!("there is no arm `{name}`; there are {known}"))
    })
}

/// The scenario of a run, called `name` in messages.
pub(crate) fn scenario_of(name: &str, manifest: &Manifest) -> Result<Checked, Error> {
    let source = Source::new(name, manifest.scenario_text.clone());
    let script = manifest.host.script.as_deref();
    let mut arms = load_resolved(source).map_err(|problems| match of_python(&manifest.scenario_text, script) {
        Some(why) => Error::Input(why),
        None => Error::scenario(problems),
    })?;
    let mut checked = arms.pop().ok_or_else(|| Error::Input("the run's scenario is empty".to_owned()))?;
    // The text of an arm does not say which one it is.
    (checked.arm, checked.arm_index) = (Some(manifest.arm.clone()), manifest.arm_index);
    Ok(checked)
}

/// Where the data files of a run were looked for first.
pub(crate) fn scenario_folder(manifest: &Manifest) -> Option<PathBuf> {
    manifest.host.scenario_folder.as_ref().map(PathBuf::from)
}

/// All texts in a value, each behind the name of the field that it, or the list around it, is.
pub(crate) fn texts<'t>(value: Element<'t>, field: &'t str) -> Vec<(&'t str, String)> {
    let fields = value.fields().into_iter().map(|(name, value)| (&value.text()[name], value));
    let items = (0..).map_while(|index| value.item(index)).map(|item| (field, item));
    let entries = value.entries().into_iter().map(|(_, value)| ("", value));
    let inside = fields.chain(items).chain(entries).flat_map(|(name, value)| texts(value, name));
    value.string().map(|text| (field, text)).into_iter().chain(inside.collect::<Vec<_>>()).collect()
}

/// What a record was made with that lives in Python, and what to do; none where there is no such part.
pub(crate) fn of_python(text: &str, script: Option<&str>) -> Option<String> {
    // What arms and axes set is text in the text.
    let tree = Tree::scan(text);
    let set = texts(tree.root(), "").into_iter().map(|(_, text)| text).filter(|text| text.contains("Python"));
    let trees: Vec<Tree> = std::iter::once(text.to_owned()).chain(set).map(Tree::scan).collect();
    let part = |name: &'static str| trees.iter().find_map(|tree| tree.root().any_named(name));
    let told = |part: Element<'_>, field: &str| part.field(field).and_then(Element::string).unwrap_or_default();
    let short = |text: String| text.get(..8).unwrap_or(&text).to_owned();
    let class = |what: &str, part: Element<'_>| {
        let [name, source, versions] = ["name", "source", "versions"].map(|field| told(part, field));
        (format!("its {what} is the class `{name}` (source {}, {versions})", short(source)), format!("{name}(…)"))
    };
    let table = |part: Element<'_>| {
        let number = |field: &str| part.field(field).map_or("", |value| &value.text()[value.span()]);
        let (examples, features) = (number("examples"), number("features"));
        let digest = short(told(part, "digest"));
        let what =
            format!("its data are an `fb.Table` of {examples} examples with {features} columns (digest {digest})");
        (what, "fb.Table(…)".to_owned())
    };
    let parts = [
        part("PythonModel").map(|found| class("model", found)),
        part("PythonCompressor").map(|found| class("compressor", found)),
        part("PythonProtocol").or_else(|| part("PythonPeerProtocol")).map(|found| class("protocol", found)),
        part("PythonTable").map(table),
    ];
    let (said, objects): (Vec<String>, Vec<String>) = parts.into_iter().flatten().unzip();
    let by = script.map_or_else(String::new, |script| format!(" by {script}"));
    let advice = format!("make the same there and call `fedbits.verify(FOLDER, {})`", objects.join(", "));
    (!said.is_empty())
        .then(|| format!("it was made in Python{by}: {}; only Python can run it again: {advice}", said.join(", ")))
}

/// Compares what scenarios say with the data of their files, before anything is run: all problems of all of them, of so
/// many replicates of each.
pub(crate) fn check_replicates<'a>(
    preparer: &mut Preparer,
    (arms, replicates): (impl IntoIterator<Item = &'a Checked>, u64),
) -> Result<(), Error> {
    let mut last = None;
    // What panics here does so again where the arm is prepared, which can say whose panic it is.
    let problems = |checked: &'a Checked| {
        let scenario = &checked.scenario;
        let drawn = Some((&scenario.data, scenario.holdout, &scenario.partition, scenario.seed));
        // What the arm before holds out is not looked at again.
        let replicates = if std::mem::replace(&mut last, drawn) == drawn { 1 } else { replicates };
        match caught(|| preparer.check_replicates(scenario, replicates)).ok()?.err()? {
            PrepareError::Unread { path, source } => Some(Err(Error::File { path, source })),
            error => Some(Ok(checked.problems(&error))),
        }
    };
    match Diagnostics::joined(arms.into_iter().filter_map(problems).collect::<Result<_, _>>()?) {
        Some(problems) => Err(Error::scenario(problems)),
        None => Ok(()),
    }
}
