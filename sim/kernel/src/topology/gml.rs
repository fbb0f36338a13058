//! Maps in GML, the Graph Modelling Language (Himsolt 1997), as the Internet Topology Zoo uses it.
//!
//! A file is a list of keys with values: numbers, texts in quotation marks, and lists in brackets. Of `graph [ … ]` the
//! keys `node` (`id`, `label` or else `name`, `Longitude`, `Latitude`, or `graphics [ x … y … ]`) and `edge` (`source`,
//! `target`, and the attributes asked for) are read; all others are passed over. Edges may join the same nodes, as
//! cables do in the Topology Zoo: routes take the one of least latency. This file must not know where texts come from.

use std::collections::{BTreeMap, BTreeSet};

use super::{Edge, MAX_LEVELS, Map, MapFileError, Place, Site, SiteId};
use crate::{Rate, TimeDelta};

/// Which attributes of an edge give its capacity and its latency, with the size of their units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    /// Name of the attribute, and bit/s per unit. The Topology Zoo has `LinkSpeedRaw` in bit/s.
    pub capacity: Option<(String, f64)>,
    /// Name of the attribute, and seconds per unit.
    pub latency: Option<(String, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Value<'a> {
    Number(f64),
    Text(&'a str),
    List(Vec<Pair<'a>>),
}

#[derive(Clone, Debug, PartialEq)]
struct Pair<'a> {
    key: &'a str,
    /// Where the key begins.
    at: usize,
    value: Value<'a>,
}

/// Reads a map.
///
/// # Errors
/// With line and column: the text is not GML, the graph is directed, a node has no id or the id of another, an edge
/// leads to no node, an attribute is no number.
pub fn read(text: &str, attributes: &Attributes) -> Result<Map, MapFileError> {
    let pairs = Parser { text, at: 0, level: 0 }.list(None)?;
    let missing = || {
        MapFileError::at(text, 0, "there is no `graph [ … ]`")
            .expecting("expected a file in GML, with nodes and edges in it")
    };
    let mut graphs = pairs.iter().filter(|pair| pair.key == "graph");
    let graph = graphs.next().ok_or_else(missing)?;
    if let Some(second) = graphs.next() {
        let error = MapFileError::at(text, second.at, "a second `graph [ … ]` begins");
        return Err(error.expecting("expected one graph in a file: make a file of each"));
    }
    let Value::List(items) = &graph.value else {
        return fail(text, graph.at, "`graph` is not a list in brackets");
    };
    let reader = Reader { text, attributes };
    reader.undirected(items)?;
    let mut ids = BTreeMap::new();
    let mut sites = Vec::new();
    for item in items.iter().filter(|pair| pair.key == "node") {
        let (id, site) = reader.node(item)?;
        if ids.insert(id, SiteId(sites.len() as u32)).is_some() {
            let error = MapFileError::at(text, item.at, format!("a node before this one has the id {id}, too"));
            return Err(error.expecting("expected another `id` for each node"));
        }
        sites.push(site);
    }
    if sites.is_empty() {
        return fail(text, graph.at, "the graph has no `node [ … ]`");
    }
    let mut map = Map::new(sites);
    for item in items.iter().filter(|pair| pair.key == "edge") {
        let [one, other] = reader.ends(item, &ids)?;
        map.join(one, other, reader.edge(item)?);
    }
    Ok(map)
}

/// The attributes that edges of a map have, each once, in alphabetical order; none when the text is no map.
pub fn edge_attributes(text: &str) -> Vec<&str> {
    let pairs = Parser { text, at: 0, level: 0 }.list(None).unwrap_or_default();
    let keys: BTreeSet<&str> = within(within(pairs, "graph"), "edge").into_iter().map(|pair| pair.key).collect();
    keys.into_iter().collect()
}

/// What is in all lists of a key.
fn within<'a>(pairs: Vec<Pair<'a>>, key: &str) -> Vec<Pair<'a>> {
    let of_key = pairs.into_iter().filter(|pair| pair.key == key);
    of_key.flat_map(|pair| if let Value::List(entries) = pair.value { entries } else { Vec::new() }).collect()
}

/// The first pair of a key.
fn find<'p, 'a>(pairs: &'p [Pair<'a>], key: &str) -> Option<&'p Pair<'a>> {
    pairs.iter().find(|pair| pair.key == key)
}

/// The error at a byte of a text, as a result.
fn fail<T>(text: &str, at: usize, message: impl Into<String>) -> Result<T, MapFileError> {
    Err(MapFileError::at(text, at, message))
}

struct Reader<'a> {
    text: &'a str,
    attributes: &'a Attributes,
}

impl Reader<'_> {
    /// An edge is a link both ways: of two edges of a directed graph, there and back, both would be one link.
    fn undirected(&self, items: &[Pair<'_>]) -> Result<(), MapFileError> {
        if self.number(items, "directed")?.is_none_or(|directed| directed == 0.0) {
            return Ok(());
        }
        let at = find(items, "directed").map_or(0, |pair| pair.at);
        let error = MapFileError::at(self.text, at, "the graph is directed, and links lead both ways");
        Err(error.expecting("expected an undirected graph (NetworkX: `G.to_undirected()`)"))
    }

    fn entries<'p, 'a>(&self, item: &'p Pair<'a>) -> Result<&'p [Pair<'a>], MapFileError> {
        match &item.value {
            Value::List(entries) => Ok(entries),
            _ => fail(self.text, item.at, format!("`{}` is not a list in brackets", item.key)),
        }
    }

    /// A number; numbers in quotation marks count, as the Topology Zoo has them.
    fn number(&self, entries: &[Pair<'_>], key: &str) -> Result<Option<f64>, MapFileError> {
        let Some(pair) = find(entries, key) else { return Ok(None) };
        let number = match &pair.value {
            Value::Number(number) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            Value::List(_) => None,
        };
        let number = number.filter(|number: &f64| number.is_finite());
        let wrong = || MapFileError::at(self.text, pair.at, format!("`{key}` is not a number"));
        number.ok_or_else(|| wrong().expecting("expected a number, or another attribute")).map(Some)
    }

    /// An angle of at most `most` degrees in either direction.
    fn degrees(&self, entries: &[Pair<'_>], key: &str, most: f64) -> Result<Option<f64>, MapFileError> {
        let degrees = self.number(entries, key)?;
        match degrees.filter(|degrees| degrees.abs() > most) {
            Some(beyond) => {
                let at = find(entries, key).map_or(0, |pair| pair.at);
                fail(self.text, at, format!("`{key}` is {beyond}: expected degrees from -{most} to {most}"))
            }
            None => Ok(degrees),
        }
    }

    fn id(&self, item: &Pair<'_>, key: &str) -> Result<i64, MapFileError> {
        match self.number(self.entries(item)?, key)? {
            Some(id) if id.fract() == 0.0 && id.abs() < 9e15 => Ok(id as i64),
            _ => {
                let error =
                    MapFileError::at(self.text, item.at, format!("this `{}` has no whole number `{key}`", item.key));
                Err(error.expecting("expected `id` of each node, `source` and `target` of each edge"))
            }
        }
    }

    fn node(&self, item: &Pair<'_>) -> Result<(i64, Site), MapFileError> {
        let (id, entries) = (self.id(item, "id")?, self.entries(item)?);
        let named = |key: &str| {
            find(entries, key).and_then(|pair| match &pair.value {
                Value::Text(text) => Some(unescaped(text)),
                Value::Number(number) => Some(number.to_string()),
                Value::List(_) => None,
            })
        };
        // igraph knows nodes by a `name`.
        let name = named("label").or_else(|| named("name"));
        let longitude = self.degrees(entries, "Longitude", 180.0)?;
        let globe = longitude.zip(self.degrees(entries, "Latitude", 90.0)?);
        let place = match globe {
            Some((longitude, latitude)) => Some(Place::Globe { longitude, latitude }),
            None => self.drawing(entries)?,
        };
        Ok((id, Site { name: name.unwrap_or_else(|| id.to_string()), place }))
    }

    fn drawing(&self, entries: &[Pair<'_>]) -> Result<Option<Place>, MapFileError> {
        let Some(graphics) = find(entries, "graphics") else { return Ok(None) };
        let graphics = self.entries(graphics)?;
        let place = self.number(graphics, "x")?.zip(self.number(graphics, "y")?);
        Ok(place.map(|(x, y)| Place::Drawing { x, y }))
    }

    fn ends(&self, item: &Pair<'_>, ids: &BTreeMap<i64, SiteId>) -> Result<[SiteId; 2], MapFileError> {
        let end = |key: &str| {
            let id = self.id(item, key)?;
            let wrong = || {
                let message = format!("the {key} of this edge is {id}, and no node has that id");
                MapFileError::at(self.text, item.at, message).expecting("expected the `id` of a node of the file")
            };
            ids.get(&id).copied().ok_or_else(wrong)
        };
        Ok([end("source")?, end("target")?])
    }

    fn edge(&self, item: &Pair<'_>) -> Result<Edge, MapFileError> {
        let entries = self.entries(item)?;
        let value = |attribute: &Option<(String, f64)>| match attribute {
            Some((name, unit)) => Ok(self.number(entries, name)?.map(|number| number * unit)),
            None => Ok(None),
        };
        let wrong = |error: crate::QuantityError| {
            let error = MapFileError::at(self.text, item.at, format!("this edge: {error}"));
            error.expecting("expected a value above 0 whose unit (`capacity: (…)`, `latency: (…)`) is right")
        };
        let capacity = value(&self.attributes.capacity)?.map(Rate::from_bits_per_second).transpose().map_err(wrong)?;
        let latency = value(&self.attributes.latency)?.map(TimeDelta::from_seconds).transpose().map_err(wrong)?;
        Ok(Edge { capacity, latency })
    }
}

/// GML writes characters beyond ASCII and quotation marks as in HTML. What stands for no character that can be
/// seen is kept as it is.
fn unescaped(text: &str) -> String {
    let mut pieces = text.split('&');
    let mut unescaped = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once(';').and_then(|(name, rest)| Some((character(name)?, rest))) {
            Some((character, rest)) => unescaped.extend([character.to_string().as_str(), rest]),
            None => unescaped.extend(["&", piece]),
        }
    }
    unescaped
}

/// The names of the characters from 160 to 255, which GML takes from ISO 8859-1.
const LATIN_1: &str = "\
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
    micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring \
    AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml \
    times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil \
    egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash \
    ugrave uacute ucirc uuml yacute thorn yuml";

/// The character of a name, or of a number in decimals (`#252`) or hexadecimals (`#xFC`).
fn character(name: &str) -> Option<char> {
    match name {
        "quot" => Some('"'),
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "apos" => Some('\''),
        _ => {
            let Some(number) = name.strip_prefix('#') else {
                let place = LATIN_1.split(' ').position(|known| known == name)?;
                return char::from_u32(160 + place as u32);
            };
            let hexadecimal = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
            char::from_u32(hexadecimal.unwrap_or_else(|| number.parse()).ok()?).filter(|decoded| !decoded.is_control())
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// This many lists are open.
    level: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Passes over blanks and comments (`#` to the end of the line).
    fn skip(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Everything up to the closing bracket (whose opening one stands at `opened`), or to the end of the text.
    fn list(&mut self, opened: Option<usize>) -> Result<Vec<Pair<'a>>, MapFileError> {
        let mut pairs = Vec::new();
        loop {
            self.skip();
            match (self.rest().chars().next(), opened) {
                (None, None) => return Ok(pairs),
                (None, Some(opened)) => return fail(self.text, opened, "this `[` is never closed"),
                (Some(']'), Some(_)) => {
                    self.at += 1;
                    return Ok(pairs);
                }
                (Some(']'), None) => return fail(self.text, self.at, "this `]` closes nothing"),
                (Some(_), _) => pairs.push(self.pair()?),
            }
        }
    }

    fn pair(&mut self) -> Result<Pair<'a>, MapFileError> {
        let at = self.at;
        let key = self.word(|c| c.is_ascii_alphanumeric() || c == '_');
        if !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return fail(self.text, at, "expected a key: a letter and then letters, digits and `_`");
        }
        self.skip();
        Ok(Pair { key, at, value: self.value(key)? })
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let word = &rest[..rest.find(|c| !belongs(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn value(&mut self, key: &str) -> Result<Value<'a>, MapFileError> {
        let start = self.at;
        match self.rest().chars().next() {
            Some('[') => {
                if self.level == MAX_LEVELS {
                    let message = format!("lists are nested more than {MAX_LEVELS} deep");
                    return Err(
                        MapFileError::at(self.text, start, message).expecting("expected `graph [ node [ … ] ]`")
                    );
                }
                self.at += 1;
                self.level += 1;
                let list = self.list(Some(start))?;
                self.level -= 1;
                Ok(Value::List(list))
            }
            Some('"') => {
                self.at += 1;
                let Some(end) = self.rest().find('"') else {
                    return fail(self.text, start, "this text is never closed by a quotation mark");
                };
                let text = &self.rest()[..end];
                self.at += end + 1;
                Ok(Value::Text(text))
            }
            _ => match self.word(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)).parse() {
                Ok(number) => Ok(Value::Number(number)),
                Err(_) => fail(self.text, start, format!("`{key}` has no value: expected a number, a text or a list")),
            },
        }
    }
}
