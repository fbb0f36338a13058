//! Values at random, by their types and what the reference says of their ranges. Small sizes are more likely: a world
//! is to be played in an instant.

use crate::draws::Draws;
use crate::worlds::grammar::{Grammar, Written};
use crate::worlds::value::{Content, Value, read_value};

/// Who draws: the grammar, the words that files have, and the sizes that lists of this world may have.
pub struct Drawer<'a> {
    pub grammar: &'a Grammar,
    pub words: &'a [String],
    /// Texts of parts with representative values, by the name of the kind.
    pub examples: &'a [(String, String)],
    pub draws: Draws,
    sizes: [usize; 3],
}

/// Beyond this depth, fields that may be left out are.
const DEEP: usize = 7;

/// A number in words ends at what it cannot hold.
fn numbers(range: &str) -> Vec<f64> {
    let plain = range.replace("⁶", "e6").replace("10e6", "1e6");
    let digits: Vec<char> = plain.chars().collect();
    let grouping = |at: usize| {
        digits[at] == ' '
            && at > 0
            && digits[at - 1].is_ascii_digit()
            && digits.get(at + 1).is_some_and(char::is_ascii_digit)
    };
    let kept: String = (0..digits.len()).filter(|&at| !grouping(at)).map(|at| digits[at]).collect();
    let words = kept.split(|c: char| !(c.is_ascii_digit() || ".-e".contains(c)));
    words.filter_map(|word| word.trim_end_matches(['.', 'e']).parse().ok()).collect()
}

impl<'a> Drawer<'a> {
    pub fn new(grammar: &'a Grammar, words: &'a [String], examples: &'a [(String, String)], mut draws: Draws) -> Self {
        let sizes = [1 + draws.below(4), 1 + draws.below(4), 2 + draws.below(7)];
        Self { grammar, words, examples, draws, sizes }
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.draws.below(one_in) == 0
    }

    pub fn choose<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        let at = self.draws.below(from.len());
        from.get(at)
    }

    /// A uniform number in [0, 1).
    fn unit(&mut self) -> f64 {
        self.draws.below(1 << 40) as f64 / (1_u64 << 40) as f64
    }

    /// A value of a type.
    pub fn value(&mut self, of: &str, range: &str, depth: usize) -> Value {
        let content = match Written::of(of) {
            Written::Number => return self.number(range),
            Written::Whole => return self.whole(range),
            Written::Text => Content::Word(format!("\"{}\"", self.word())),
            Written::Truth => Content::Word(["false", "true"][self.draws.below(2)].to_owned()),
            Written::Character => Content::Word(["','", "';'", "' '"][self.draws.below(3)].to_owned()),
            Written::Maybe(_) if self.chance(6) => Content::Nothing,
            Written::Maybe(inner) => Content::Just(Box::new(self.value(inner, range, depth))),
            Written::List(inner) => return self.list(of, inner, range, depth),
            Written::Pair(one, other) => {
                Content::Pair(Box::new([self.value(one, range, depth), self.value(other, range, depth)]))
            }
            Written::Named(name) => return self.named(name, None, depth),
        };
        Value { of: of.to_owned(), range: range.to_owned(), content }
    }

    /// A value of a named type; of a choice this variant, or any.
    pub fn named(&mut self, of: &str, variant: Option<&str>, depth: usize) -> Value {
        if variant.is_none() && self.chance(6) {
            let examples: Vec<&(String, String)> = self.examples.iter().filter(|(kind, _)| kind == of).collect();
            let text = self.choose(&examples).map(|(_, text)| text.clone());
            if let Some(value) = text.and_then(|text| read_value(self.grammar, of, &text)) {
                return value;
            }
        }
        let variants = self.grammar.variants(of);
        let variant = variant.map(str::to_owned).or_else(|| self.choose(&variants).map(|&name| name.to_owned()));
        let grammar = self.grammar;
        let (described, named) = grammar.fields(of, variant.as_deref());
        let mut fields = Vec::new();
        for field in described {
            let given = !named || field.default.is_none() || (depth < DEEP && self.chance(6));
            if given {
                let value = self.value(&field.written, field.range.as_deref().unwrap_or_default(), depth + 1);
                fields.push((field.name.to_owned(), value));
            }
        }
        Value { of: of.to_owned(), range: String::new(), content: Content::Part { variant, fields } }
    }

    fn word(&mut self) -> String {
        let at = self.draws.below(self.words.len());
        self.words.get(at).cloned().unwrap_or_default()
    }

    /// Log-uniform, with ends and round numbers now and then.
    fn number(&mut self, range: &str) -> Value {
        let known = numbers(range);
        let is_above = range.contains("above") || range.contains("(0") || range.contains("at least");
        let low = known.first().copied().unwrap_or(if is_above { 0.0 } else { -10.0 });
        let high = known.get(1).copied().unwrap_or(1e3).min(1e4);
        let drawn = match self.draws.below(10) {
            0 => [low, high, 1.0, 0.5][self.draws.below(4)],
            1..=4 => {
                let from = low.max(1e-3);
                from * libm::pow((high / from).max(1.0), self.unit())
            }
            5 if low < 0.0 => low + self.unit() * (high.min(10.0) - low),
            _ => low.max(0.0) + self.unit() * (high.min(2.0) - low.max(0.0)),
        };
        Value::word("number", range, format!("{:?}", rounded(drawn)))
    }

    /// Small ones mostly.
    fn whole(&mut self, range: &str) -> Value {
        let known = numbers(range);
        let low = known.first().copied().unwrap_or(0.0) as u64;
        let high = known.get(1).map_or(u64::MAX, |&high| high as u64);
        let drawn = match self.draws.below(16) {
            0 => low,
            1 => self.sizes[self.draws.below(3)] as u64,
            2..=7 => low + self.draws.below(4) as u64,
            8..=12 => low + self.draws.below(12) as u64,
            13 | 14 => low + self.draws.below(100) as u64,
            _ => low + self.draws.below(1000) as u64,
        };
        Value::word("whole number", range, drawn.min(high))
    }

    /// Lists of numbers have sizes that go together: a share of 1 each, rows of one length, matrices that are a
    /// covariance or that average.
    fn list(&mut self, of: &str, inner: &str, range: &str, depth: usize) -> Value {
        let [d, g, n] = self.sizes;
        let pick = [d, g, n, 1, d, g][self.draws.below(6)];
        let items: Vec<Value> = match inner {
            "number" if self.chance(2) => {
                (0..pick).map(|_| Value::word("number", range, format!("{:?}", 1.0 / pick as f64))).collect()
            }
            "whole number" if self.chance(3) => {
                let groups = 1 + self.draws.below(3);
                let size = [6, 4, n, d][self.draws.below(4)];
                (0..size).map(|at| Value::word(inner, range, 1 + at * groups / size)).collect()
            }
            "[number, …]" => {
                let (rows, columns, what) = [(g, d, 0), (d, d, 1), (n, n, 2), (g, d, 0)][self.draws.below(4)];
                let scale = [1.0, 0.5, 2.0, 0.1][self.draws.below(4)];
                (0..rows).map(|row| self.row(inner, (row, columns), what, scale)).collect()
            }
            "[whole number, …]" if self.chance(2) => {
                let one = |at: usize| Content::List(vec![Value::word("whole number", range, at)]);
                (0..pick).map(|at| Value { of: inner.to_owned(), range: range.to_owned(), content: one(at) }).collect()
            }
            _ => {
                let count = [0, 1, 1, 2, 2, 3, pick, n][self.draws.below(8)];
                (0..count).map(|_| self.value(inner, range, depth + 1)).collect()
            }
        };
        Value { of: of.to_owned(), range: range.to_owned(), content: Content::List(items) }
    }

    fn row(&mut self, of: &str, (row, columns): (usize, usize), what: usize, scale: f64) -> Value {
        let number = |drawer: &mut Self, column: usize| match what {
            1 if column == row => scale,
            1 => 0.0,
            2 => 1.0 / columns as f64,
            _ => rounded(4.0 * drawer.unit() - 2.0),
        };
        let numbers = (0..columns).map(|column| format!("{:?}", number(self, column)));
        let numbers = numbers.map(|number| Value::word("number", "", number)).collect();
        Value { of: of.to_owned(), range: String::new(), content: Content::List(numbers) }
    }
}

/// To three digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}
