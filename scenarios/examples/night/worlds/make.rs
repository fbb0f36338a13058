//! Makes worlds: a scenario that is right is changed at random, and what `load` or the data refuse is drawn again where
//! they say that it is wrong, until nothing is. Each world is to hold one item of all that can be named, in turn.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::prepare::memory::Budget;
use fedbits_scenarios::{Checked, Source, load};

use crate::draws::Draws;
use crate::worlds::cover::names;
use crate::worlds::draw::Drawer;
use crate::worlds::grammar::{Grammar, Item, TOP, Written};
use crate::worlds::value::{Content, Steps, Text, Value};

/// What worlds are made of.
pub struct Maker {
    pub grammar: Grammar,
    pub items: Vec<Item>,
    /// Words that stand in files, and their names.
    pub words: Vec<String>,
    pub examples: Vec<(String, String)>,
    /// Scenarios to begin with.
    pub corpus: Vec<Value>,
    pub preparer: RefCell<Preparer>,
}

/// A world, or what became of the attempt to make it.
pub struct World {
    pub item: Item,
    pub scenario: Value,
    pub text: String,
    pub checked: Checked,
}

/// What is wrong with a scenario at a value.
pub struct Problem {
    at: Steps,
    said: String,
}

/// Why a scenario is none.
pub enum Refused {
    /// Nothing deeper was looked at.
    Text(Vec<Problem>),
    Data(Vec<Problem>),
    /// The program broke down.
    Panic(String),
}

impl Refused {
    /// How far it is from being right.
    fn distance(&self) -> usize {
        match self {
            Refused::Text(problems) => 100 + problems.len(),
            Refused::Data(problems) => problems.len(),
            Refused::Panic(_) => usize::MAX,
        }
    }
}

/// No run may take more memory: such worlds are not played in an instant.
const MEMORY: u64 = 1 << 28;
/// So many rounds at most.
const ROUNDS: usize = 8;
/// Attempts to mend a scenario.
const MENDINGS: usize = 150;
/// Attempts to mend a small change.
const MENDINGS_OF_CHANGE: usize = 12;

/// The folders of a world's files.
pub fn preparer(folder: &Path, audit: bool) -> Preparer {
    let folders = DataFolders { scenario: Some(folder.to_path_buf()), ..DataFolders::default() };
    Preparer::within(Budget::of(Some(MEMORY)), folders, audit)
}

impl Maker {
    /// The world of a number under a seed; none where mending came to no end.
    ///
    /// # Errors
    /// A scenario on which the program broke down while it was read.
    pub fn world(&self, seed: u64, number: u64) -> Result<Option<World>, (Value, String)> {
        let mut draws = Draws(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number);
        draws.below(2);
        let mut drawer = Drawer::new(&self.grammar, &self.words, &self.examples, draws);
        let item = self.items[(number % self.items.len() as u64) as usize].clone();
        let start = self.start(&mut drawer, &item);
        let mut made = self.mended(&mut drawer, bounded(start), MENDINGS, None)?;
        for _ in 0..3 {
            let Some((right, _)) = &made else { break };
            let mut wanted = right.clone();
            if self.place(&mut drawer, &mut wanted, &item, 0).is_none() {
                continue;
            }
            if let Some(mended) = self.mended(&mut drawer, bounded(wanted), MENDINGS, Some(&item))? {
                made = Some(mended);
                break;
            }
        }
        for _ in 0..drawer.draws.below(6) {
            let Some((right, _)) = &made else { break };
            let kept = names(right, &item).then_some(&item);
            let changed = self.changed(&mut drawer, right.clone());
            if kept.is_some_and(|item| !names(&changed, item)) {
                continue;
            }
            if let Some(mended) = self.mended(&mut drawer, changed, MENDINGS_OF_CHANGE, kept)? {
                made = Some(mended);
            }
        }
        Ok(made.map(|(scenario, checked)| {
            let text = self.text(&scenario, number).text;
            World { item, scenario, text, checked }
        }))
    }

    /// Where to begin: at a scenario that has the item, or its place, or at any, or with nothing.
    fn start(&self, drawer: &mut Drawer<'_>, item: &Item) -> Value {
        let place = Item { field: None, ..item.clone() };
        let having = |item: &Item| self.corpus.iter().filter(|known| names(known, item)).collect::<Vec<_>>();
        let known = [having(item), having(&place), self.corpus.iter().collect()];
        let known = known.into_iter().find(|known| !known.is_empty() && !drawer.chance(4));
        match known.and_then(|known| drawer.choose(&known).copied()) {
            Some(known) if !drawer.chance(6) => known.clone(),
            _ => drawer.named(TOP, None, 0),
        }
    }

    pub fn text(&self, scenario: &Value, number: u64) -> Text {
        Text::of(&self.grammar, &format!("world-{number}"), scenario)
    }

    /// Reads a scenario and prepares its run.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn judge(&self, scenario: &Value) -> Result<Checked, Refused> {
        let text = self.text(scenario, 0);
        let judged = catch_unwind(AssertUnwindSafe(|| self.judge_text(&text)));
        judged.unwrap_or_else(|panic| Err(Refused::Panic(said_by(&*panic))))
    }

    fn judge_text(&self, text: &Text) -> Result<Checked, Refused> {
        let problems = |found: &fedbits_scenarios::Diagnostics| {
            let problem = |one: &fedbits_text::Diagnostic| Problem {
                at: text.innermost(one.span.start),
                said: format!("{} {} {}", one.message, one.expected, one.help.as_deref().unwrap_or_default()),
            };
            found.problems().iter().map(problem).collect()
        };
        let loaded = load(Source::new("world.ron", text.text.clone()), &[]);
        let mut arms = loaded.map_err(|found| Refused::Text(problems(&found)))?;
        let Some(checked) = arms.pop() else { return Err(Refused::Text(Vec::new())) };
        match self.preparer.borrow_mut().prepare(&checked.scenario) {
            Ok(_) => Ok(checked),
            Err(error) => Err(Refused::Data(problems(&checked.problems(&error)))),
        }
    }

    /// The scenario after so many attempts at most to mend it, which keep the item.
    fn mended(
        &self,
        drawer: &mut Drawer<'_>,
        mut scenario: Value,
        attempts: usize,
        keep: Option<&Item>,
    ) -> Result<Option<(Value, Checked)>, (Value, String)> {
        let mut refused = match self.judge(&scenario) {
            Ok(checked) => return Ok(Some((scenario, checked))),
            Err(Refused::Panic(why)) => return Err((scenario, why)),
            Err(refused) => refused,
        };
        for _ in 0..attempts {
            let Some(tried) = self.mend(drawer, &scenario, &refused) else { continue };
            let tried = bounded(tried);
            if tried == scenario || keep.is_some_and(|item| !names(&tried, item)) {
                continue;
            }
            match self.judge(&tried) {
                Ok(checked) => return Ok(Some((tried, checked))),
                Err(Refused::Panic(why)) => return Err((tried, why)),
                Err(other) if other.distance() <= refused.distance() || drawer.chance(4) => {
                    (scenario, refused) = (tried, other);
                }
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Draws again where something is wrong.
    fn mend(&self, drawer: &mut Drawer<'_>, scenario: &Value, refused: &Refused) -> Option<Value> {
        let (Refused::Text(problems) | Refused::Data(problems)) = refused else { return None };
        let problem = drawer.choose(problems)?;
        let mut scenario = scenario.clone();
        let mut at = problem.at.clone();
        while !at.is_empty() && drawer.chance(3) {
            at.pop();
        }
        let void = problem.said.contains("has no effect");
        if let Some((&last, parent)) = at.split_last()
            && (drawer.chance(4) || (void && !drawer.chance(4)))
            && self.may_be_left_out(scenario.at(parent)?, last)
        {
            scenario.at_mut(parent)?.remove(last);
            return Some(scenario);
        }
        let words: Vec<&str> = problem.said.split('`').skip(1).step_by(2).collect();
        self.follow(drawer, scenario.at_mut(&at)?, &words, &problem.said);
        Some(scenario)
    }

    /// Is a child of a value a field with a default, or an item of a list?
    pub fn may_be_left_out(&self, parent: &Value, child: usize) -> bool {
        match &parent.content {
            Content::List(_) => true,
            Content::Part { variant, fields } => {
                let (described, named) = self.grammar.fields(&parent.of, variant.as_deref());
                let name = fields.get(child).map(|(name, _)| name.as_str());
                named && described.iter().any(|field| Some(field.name) == name && field.default.is_some())
            }
            _ => false,
        }
    }

    /// Draws a value again, with what is said to be expected in mind.
    fn follow(&self, drawer: &mut Drawer<'_>, value: &mut Value, words: &[&str], said: &str) {
        if let Content::Part { variant, .. } = &value.content {
            let (described, named) = self.grammar.fields(&value.of, variant.as_deref());
            let asked = described.iter().find(|field| words.contains(&field.name) && value.field(field.name).is_none());
            if let Some(field) = asked.filter(|_| named && !drawer.chance(3)) {
                let drawn = drawer.value(&field.written, field.range.as_deref().unwrap_or_default(), 4);
                value.set(field.name, drawn);
                return;
            }
        }
        let range = value.range.clone();
        let holds = Written::holds(&value.of).first().map(|name| (*name).to_owned());
        let wanted = |name: &&str| words.iter().any(|word| word.split(['(', ' ', ':']).next() == Some(*name));
        let variants = holds.as_deref().map(|name| self.grammar.variants(name)).unwrap_or_default();
        let meant: Vec<&str> = variants.into_iter().filter(wanted).collect();
        let drawn = match (drawer.choose(&meant), &holds) {
            (Some(variant), Some(name)) if !drawer.chance(4) => {
                let part = drawer.named(name, Some(variant), 4);
                wrapped(&value.of, part)
            }
            _ => match Written::of(&value.of) {
                Written::Text if !words.is_empty() && drawer.chance(2) => {
                    let word = drawer.choose(words).copied().unwrap_or_default().replace('"', "");
                    Value::word(&value.of, &range, format!("\"{word}\""))
                }
                Written::Number | Written::Whole if !drawer.chance(3) => {
                    let expected = said.split("expected").nth(1).unwrap_or(&range).to_owned();
                    let drawn = drawer.value(&value.of.clone(), &expected, 4);
                    Value { range, ..drawn }
                }
                _ => drawer.value(&value.of.clone(), &range, 4),
            },
        };
        *value = drawn;
    }

    /// One change anywhere: a field that was left out is given, or a value is drawn again.
    fn changed(&self, drawer: &mut Drawer<'_>, mut scenario: Value) -> Value {
        let all: Vec<Steps> = scenario.all().into_iter().map(|(steps, _)| steps).collect();
        let at = if drawer.chance(2) { Vec::new() } else { drawer.choose(&all).cloned().unwrap_or_default() };
        let Some(value) = scenario.at_mut(&at) else { return scenario };
        let (described, named) = self.grammar.fields(&value.of, value.variant());
        let optional: Vec<_> = described.iter().filter(|field| named && field.default.is_some()).collect();
        match drawer.choose(&optional) {
            Some(field) if at.is_empty() || drawer.chance(2) => {
                let drawn = drawer.value(&field.written, field.range.as_deref().unwrap_or_default(), 2);
                value.set(field.name, drawn);
            }
            _ if !at.is_empty() => *value = drawer.value(&value.of.clone(), &value.range.clone(), 2),
            _ => {}
        }
        bounded(scenario)
    }

    /// Makes a scenario name an item, and gives the steps to the field or the variant.
    fn place(&self, drawer: &mut Drawer<'_>, scenario: &mut Value, item: &Item, depth: usize) -> Option<Steps> {
        let found: Vec<Steps> = holders(scenario, item.of);
        let steps = match drawer.choose(&found) {
            Some(steps) if !(depth > 0 && drawer.chance(6) && item.of != TOP) => steps.clone(),
            _ => self.make_room(drawer, scenario, item.of, depth)?,
        };
        if let Some(variant) = item.variant
            && scenario.at(&steps)?.variant() != Some(variant)
        {
            *scenario.at_mut(&steps)? = drawer.named(item.of, Some(variant), depth);
        }
        let Some(name) = item.field else { return Some(steps) };
        let (fields, _) = self.grammar.fields(item.of, item.variant);
        let field = fields.iter().find(|field| field.name == name)?;
        let value = scenario.at_mut(&steps)?;
        let range = field.range.as_deref().unwrap_or_default();
        let place = match &value.content {
            Content::Part { fields, .. } => fields.iter().position(|(key, _)| key == name),
            _ => None,
        };
        let place = match place {
            Some(place) => place,
            None => value.set(name, drawer.value(&field.written, range, depth))?,
        };
        Some([steps, vec![place]].concat())
    }

    /// Makes a value of a type somewhere in the scenario, and gives its steps.
    fn make_room(&self, drawer: &mut Drawer<'_>, scenario: &mut Value, of: &str, depth: usize) -> Option<Steps> {
        if depth > 8 {
            return None;
        }
        let places = self.grammar.places(of);
        let place = drawer.choose(&places)?;
        let field = self.place(drawer, scenario, place, depth + 1)?;
        let value = scenario.at_mut(&field)?;
        for _ in 0..20 {
            if let Some(inside) = holders(value, of).into_iter().next() {
                return Some([field, inside].concat());
            }
            *value = drawer.value(&value.of.clone(), &value.range.clone(), 3);
        }
        None
    }
}

/// The steps to all values of a named type.
fn holders(value: &Value, of: &str) -> Vec<Steps> {
    let all = value.all().into_iter();
    all.filter(|(_, value)| value.of == of && matches!(value.content, Content::Part { .. })).map(|(at, _)| at).collect()
}

/// A part in the lists and options of a type.
fn wrapped(of: &str, part: Value) -> Value {
    let content = match Written::of(of) {
        Written::Maybe(inner) => Content::Just(Box::new(wrapped(inner, part))),
        Written::List(inner) => Content::List(vec![wrapped(inner, part)]),
        _ => return part,
    };
    Value { of: of.to_owned(), range: String::new(), content }
}

/// Examples at most, where a field says how many.
const EXAMPLES: u64 = 600;

/// The scenario with few rounds and few examples.
pub fn bounded(mut scenario: Value) -> Value {
    let stop = match scenario.field("stop") {
        Some(stop) => stop.clone(),
        None => Value {
            of: "Stop".to_owned(),
            range: String::new(),
            content: Content::Part { variant: None, fields: Vec::new() },
        },
    };
    let given = match stop.field("rounds").map(|rounds| &rounds.content) {
        Some(Content::Just(rounds)) => match &rounds.content {
            Content::Word(word) => word.parse().unwrap_or(ROUNDS),
            _ => ROUNDS,
        },
        _ => ROUNDS,
    };
    let rounds = Value::word("whole number", "", given.clamp(1, ROUNDS));
    let of = "Some(whole number) or None".to_owned();
    let mut stop = stop;
    stop.set("rounds", Value { of, range: String::new(), content: Content::Just(Box::new(rounds)) });
    scenario.set("stop", stop);
    if let Some(data) = scenario.field("data")
        && let Some(Content::Word(examples)) = data.field("examples").map(|examples| &examples.content)
        && examples.parse::<u64>().is_ok_and(|examples| examples > EXAMPLES)
    {
        let mut data = data.clone();
        data.set("examples", Value::word("whole number", "", EXAMPLES));
        scenario.set("data", data);
    }
    scenario
}

/// What a panic says.
pub fn said_by(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    format!("panic: {}", text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word"))
}
