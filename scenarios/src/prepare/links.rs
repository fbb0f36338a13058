//! Single links of a topology that differ from the others. This file must not know what is built of them.

use std::collections::BTreeMap;

use fedbits_kernel::network::LinkId;
use fedbits_kernel::topology::{Map, SiteError, SiteId};

use super::error::{PrepareError, every, misfit};
use crate::schema::LinkSettings;

/// By the number of a link: what the scenario says of it alone.
#[derive(Default)]
pub(super) struct Special(BTreeMap<u32, LinkSettings>);

impl Special {
    /// Looks for the links of the scenario on the map; all problems at once.
    pub(super) fn find(map: &Map, links: &[LinkSettings]) -> Result<Self, PrepareError> {
        let mut special = BTreeMap::new();
        every(links.iter().enumerate().map(|(index, link)| {
            let path = format!("network.shape.links[{index}]");
            for number in numbers(map, link, &path)? {
                if special.insert(number, link.clone()).is_some() {
                    let message = "this link has settings already";
                    return Err(misfit(path, message, "expected each pair of sites once"));
                }
            }
            Ok(())
        }))?;
        Ok(Self(special))
    }

    /// Of the link that a direction belongs to.
    pub(super) fn of(&self, direction: LinkId) -> Option<&LinkSettings> {
        self.0.get(&(direction.0 / 2))
    }
}

/// The numbers of the links between the two sites.
fn numbers(map: &Map, link: &LinkSettings, path: &str) -> Result<Vec<u32>, PrepareError> {
    let site = |name, end| found(map.find(name), &format!("{path}.{end}"));
    let ends = every([site(&link.from, "from"), site(&link.to, "to")])?;
    let (from, to) = (ends[0], ends[1]);
    let joins = |[a, b]: [SiteId; 2]| [a, b] == [from, to] || [b, a] == [from, to];
    let between = map.links().enumerate().filter(|(_, (ends, _))| joins(*ends));
    let numbers: Vec<u32> = between.map(|(number, _)| number as u32).collect();
    if numbers.is_empty() {
        let name = |site| format!("`{}`", map.site(site).name);
        let neighbours: Vec<String> = map.neighbours(from).into_iter().take(10).map(name).collect();
        let message = format!("there is no link between {} and {}", name(from), name(to));
        let expected = format!("expected a neighbour of {}: {}", name(from), neighbours.join(", "));
        return Err(misfit(path, message, expected));
    }
    Ok(numbers)
}

/// The site that was looked for because of a path of the scenario; when there is none, the nearest name.
pub(super) fn found(site: Result<SiteId, SiteError>, path: &str) -> Result<SiteId, PrepareError> {
    site.map_err(|error| {
        let expected = match &error {
            SiteError::Unknown { name, names } => match fedbits_text::nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    let first: Vec<&str> = names.iter().take(10).map(String::as_str).collect();
                    let more = if names.len() > 10 { ", …" } else { "" };
                    format!("expected {}{more}", fedbits_text::one_of(&first))
                }
            },
            SiteError::Beyond { sites, .. } => format!("expected `Index(0)` to `Index({})`", sites - 1),
            SiteError::Ambiguous { indices, .. } => {
                let all: Vec<String> = indices.iter().map(|index| format!("`Index({index})`")).collect();
                format!("expected {}", all.join(" or "))
            }
        };
        misfit(path, error, expected)
    })
}
