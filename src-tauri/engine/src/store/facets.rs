//! Facets: what the deliveries of a filter are, value by value, in one pass over them.

use super::{
    filter::{Filter, Search},
    words::Words,
};
use crate::model::{Facet, FacetKey, FacetValue};
use rusqlite::{Connection, Result, params_from_iter, types::ValueRef};
use std::collections::HashMap;

/// What each facet reads, in the order of [`FacetKey::ALL`].
const COLUMNS: &str = "d.signature, d.claim, a.status / 100, d.method, d.event, d.path";
/// The most values of a facet that are listed.
const LISTED: usize = 20;
/// Of a facet's values so many bytes are remembered while they are counted; further new ones are counted as others.
const REMEMBERED: usize = 32 << 20;
/// So many values are looked at one by one.
const NEAR: usize = 8;
/// A longer value is cut, and has no term: no filter would hold it.
const LONGEST: usize = 1024;

/// Counts every value under a filter.
pub(super) fn facets(
    connection: &Connection,
    words: &Words,
    filter: &Filter,
) -> Result<Vec<Facet>> {
    let filter = filter.bind(connection, words, Search::All)?;
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM deliveries d LEFT JOIN answers a USING (seq) WHERE {}",
        filter.sql
    ))?;
    let mut tallies = FacetKey::ALL.map(|_| Tally::default());
    let mut rows = statement.query(params_from_iter(filter.values))?;
    while let Some(row) = rows.next()? {
        for (column, tally) in tallies.iter_mut().enumerate() {
            match row.get_ref(column)? {
                ValueRef::Text(text) => tally.add(text),
                ValueRef::Integer(class) => tally.add(&class.to_le_bytes()),
                _ => tally.none += 1,
            }
        }
    }
    Ok(FacetKey::ALL.into_iter().zip(tallies).map(|(key, tally)| tally.facet(key)).collect())
}

/// How often each value of one facet occurs.
#[derive(Default)]
struct Tally {
    values: Vec<(Box<[u8]>, u64)>,
    /// Places in `values`, of those beyond the first few.
    places: HashMap<Box<[u8]>, usize>,
    /// Deliveries that have none.
    none: u64,
    bytes: usize,
    others: u64,
}

impl Tally {
    fn add(&mut self, value: &[u8]) {
        // Mostly it is one of the first few, which are found sooner without a hash.
        for (known, count) in self.values.iter_mut().take(NEAR) {
            if **known == *value {
                *count += 1;
                return;
            }
        }
        if let Some(place) = self.places.get(value) {
            self.values[*place].1 += 1;
        } else if self.bytes + value.len() <= REMEMBERED {
            self.bytes += value.len();
            if self.values.len() >= NEAR {
                self.places.insert(value.into(), self.values.len());
            }
            self.values.push((value.into(), 1));
        } else {
            self.others += 1;
        }
    }

    fn facet(self, key: FacetKey) -> Facet {
        let mut found = self.values;
        // The most frequent first; of equals, in the order of their bytes, so that none jumps about.
        found.sort_unstable_by(|(a, often), (b, seldom)| seldom.cmp(often).then_with(|| a.cmp(b)));
        let rest = found.split_off(found.len().min(LISTED));
        let others = self.others + rest.iter().map(|(_, count)| count).sum::<u64>();
        let mut values: Vec<_> =
            found.into_iter().map(|(value, count)| listed(key, &value, count)).collect();
        if self.none > 0 {
            let term = none(key).map(Into::into);
            values.push(FacetValue { value: None, count: self.none, term });
        }
        Facet { key, values, others }
    }
}

/// The term for deliveries without a value.
fn none(key: FacetKey) -> Option<&'static str> {
    match key {
        FacetKey::Status => Some("status:none"),
        FacetKey::Event => Some("is:no-event"),
        FacetKey::Signature | FacetKey::Claim | FacetKey::Method | FacetKey::Path => None,
    }
}

fn listed(key: FacetKey, value: &[u8], count: u64) -> FacetValue {
    let text = match <[u8; 8]>::try_from(value) {
        Ok(class) if key == FacetKey::Status => format!("{}xx", i64::from_le_bytes(class)),
        _ => String::from_utf8_lossy(value).into_owned(),
    };
    if text.len() > LONGEST {
        let cut = text.floor_char_boundary(LONGEST);
        return FacetValue { value: Some(format!("{}…", &text[..cut])), count, term: None };
    }
    // Nothing can stand for an empty text in a filter.
    let term = (!text.is_empty()).then(|| match key {
        FacetKey::Signature => format!("sig:{text}"),
        FacetKey::Claim => format!("claim:{text}"),
        FacetKey::Status => format!("status:{text}"),
        FacetKey::Method => format!("method={}", quoted(&text)),
        FacetKey::Event => format!("event={}", quoted(&text)),
        FacetKey::Path => format!("path={}", quoted(&text)),
    });
    FacetValue { value: Some(text), count, term }
}

/// A text as one word of a filter.
fn quoted(text: &str) -> String {
    if !text.contains(|char: char| char.is_whitespace() || matches!(char, '"' | '\\')) {
        return text.into();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
