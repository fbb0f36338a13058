//! Maps in the native format of SNDlib (Orlowski, Wessäly, Pióro, Tomaszewski, Networks 55, 2010): of a file the
//! sections `META`,
//! `NODES` and `LINKS` are read. This file must not know where texts come from.

use std::collections::BTreeMap;

use super::{Edge, Map, MapFileError, Place, Site, SiteId};
use crate::Rate;

/// What a unit of capacity is, where the file says so (`unit = MBITPERSEC`).
const MEGABIT: f64 = 1e6;

/// Reads a map. A link's capacity is the pre-installed one or, where that is 0, that of its first module; it is known
/// only in files that give their unit. Coordinates that cannot be degrees are taken as those of a drawing.
///
/// # Errors
/// With line and column: a section is missing, a line has too few words, a link leads to no node, a number is none.
pub fn read(text: &str) -> Result<Map, MapFileError> {
    let file = File { text };
    let unit = file.section("META").and_then(|lines| lines.into_iter().find(|line| line.text.starts_with("unit")));
    let unit = unit.filter(|line| line.text.contains("MBITPERSEC")).map(|_| MEGABIT);
    let nodes = file.required("NODES")?;
    let mut ids = BTreeMap::new();
    let mut places = Vec::new();
    for line in &nodes {
        let (name, place) = file.node(line)?;
        if ids.insert(name, SiteId(places.len() as u32)).is_some() {
            return Err(line.error(text, format!("a node before this one is called `{name}`, too")));
        }
        places.push((name, place));
    }
    let geographic = places.iter().all(|(_, [x, y])| x.abs() <= 180.0 && y.abs() <= 90.0);
    let place = |[x, y]: [f64; 2]| match geographic {
        true => Place::Globe { longitude: x, latitude: y },
        false => Place::Drawing { x, y },
    };
    let site = |(name, at): (&str, _)| Site { name: name.to_owned(), place: Some(place(at)) };
    let mut map = Map::new(places.into_iter().map(site));
    for line in file.required("LINKS")? {
        let ([one, other], edge) = file.link(&line, &ids, unit)?;
        map.join(one, other, edge);
    }
    Ok(map)
}

struct File<'a> {
    text: &'a str,
}

/// A line without what surrounds it, and where it begins.
struct Line<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Line<'a> {
    fn words(&self) -> Vec<&'a str> {
        self.text.split(|c: char| c.is_whitespace() || "(){}".contains(c)).filter(|word| !word.is_empty()).collect()
    }

    fn error(&self, text: &str, message: impl Into<String>) -> MapFileError {
        MapFileError::at(text, self.at, message)
    }
}

impl<'a> File<'a> {
    fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        let mut at = 0;
        self.text.split_inclusive('\n').map(move |whole| {
            let line = Line { text: whole.trim(), at: at + (whole.len() - whole.trim_start().len()) };
            at += whole.len();
            line
        })
    }

    /// The lines between `NAME (` and `)`.
    fn section(&self, name: &str) -> Option<Vec<Line<'a>>> {
        let opens = |line: &Line<'_>| line.text.strip_prefix(name).is_some_and(|rest| rest.trim() == "(");
        let mut lines = self.lines().skip_while(|line| !opens(line));
        lines.next()?;
        let content = lines.take_while(|line| line.text != ")");
        Some(content.filter(|line| !line.text.is_empty() && !line.text.starts_with('#')).collect())
    }

    fn required(&self, name: &str) -> Result<Vec<Line<'a>>, MapFileError> {
        let missing = || MapFileError::at(self.text, 0, format!("there is no section `{name} (`"));
        self.section(name).filter(|lines| !lines.is_empty()).ok_or_else(missing)
    }

    fn number(&self, line: &Line<'_>, word: &str) -> Result<f64, MapFileError> {
        let number = word.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| line.error(self.text, format!("`{word}` is no number")))
    }

    fn node(&self, line: &Line<'a>) -> Result<(&'a str, [f64; 2]), MapFileError> {
        match line.words()[..] {
            [name, x, y] => Ok((name, [self.number(line, x)?, self.number(line, y)?])),
            _ => Err(line.error(self.text, "expected a node: `NAME ( LONGITUDE LATITUDE )`")),
        }
    }

    fn link(
        &self,
        line: &Line<'a>,
        ids: &BTreeMap<&str, SiteId>,
        unit: Option<f64>,
    ) -> Result<([SiteId; 2], Edge), MapFileError> {
        let words = line.words();
        let [_, source, target, installed, _, _, _, modules @ ..] = &words[..] else {
            return Err(
                line.error(self.text, "expected a link: `NAME ( SOURCE TARGET ) CAPACITY COST COST COST ( … )`")
            );
        };
        let site = |name: &str| {
            let unknown = || line.error(self.text, format!("there is no node `{name}`"));
            ids.get(name).copied().ok_or_else(unknown)
        };
        let installed = self.number(line, installed)?;
        let first_module = modules.first().map(|word| self.number(line, word)).transpose()?;
        let capacity = if installed > 0.0 { installed } else { first_module.unwrap_or(0.0) };
        let capacity = unit.filter(|_| capacity > 0.0).map(|unit| Rate::from_bits_per_second(capacity * unit));
        let capacity = capacity.transpose().map_err(|error| line.error(self.text, error.to_string()))?;
        Ok(([site(source)?, site(target)?], Edge { capacity, latency: None }))
    }
}
