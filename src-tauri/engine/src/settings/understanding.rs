//! What can be understood of a file, setting by setting.

use super::SettingsError;
use crate::model::{Retention, Settings};
use serde_json::Value;
use serde_path_to_error::Segment;
use std::fmt;

/// The settings of a file, and what of it was not understood and has its default in its place.
#[derive(Debug, Default)]
pub struct Understood {
    /// All of them.
    pub settings: Settings,
    /// In the order in which they were found.
    pub problems: Vec<Problem>,
}

/// Something in the file that this version does not understand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands, as `listen.responder.kind`; nothing where it is the whole file.
    pub key: String,
    /// What is wrong with it, as a sentence or the end of one.
    pub reason: String,
}

impl Problem {
    /// What is wrong with a setting.
    pub(crate) fn new(key: impl Into<String>, reason: &dyn fmt::Display) -> Self {
        Self { key: key.into(), reason: reason.to_string() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.reason)?;
        if self.reason.ends_with('.') { Ok(()) } else { f.write_str(".") }
    }
}

/// Also the file as it stands, where it is an object at all.
pub(super) fn understand(bytes: &[u8]) -> (Understood, Option<Value>) {
    // Editors of Windows put a byte order mark there.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice::<Value>(text) {
        Ok(document @ Value::Object(_)) => (of_document(document.clone()), Some(document)),
        Ok(_) => (nothing(&"the file is JSON, and not an object"), None),
        Err(error) => (nothing(&format_args!("the file is not JSON: {error}")), None),
    }
}

fn nothing(reason: &dyn fmt::Display) -> Understood {
    kept_safe(Settings::default(), vec![Problem::new("", reason)])
}

/// Takes out what is not understood, one at a time, until the rest is.
fn of_document(mut document: Value) -> Understood {
    let mut problems: Vec<Problem> = Vec::new();
    loop {
        let (key, problem) = match serde_path_to_error::deserialize(&document) {
            Ok(settings) => match super::ranges::check(&settings) {
                Ok(()) => return kept_safe(settings, problems),
                Err(error) => out_of_range(&error),
            },
            Err(error) => {
                let key = names(error.path());
                let problem = Problem::new(key.join("."), error.inner());
                (key, problem)
            }
        };
        let group = key.get(..1).unwrap_or_default();
        if !take_out(&mut document, &key) && !take_out(&mut document, group) {
            return nothing(&problem);
        }
        // A word was told already when what holds it is the next to go.
        if !problems.iter().any(|told| is_within(&told.key, &problem.key)) {
            problems.push(problem);
        }
    }
}

fn out_of_range(error: &SettingsError) -> (Vec<String>, Problem) {
    let key = match error {
        SettingsError::OutOfRange { key, .. } => *key,
        SettingsError::NotUnderstood { .. }
        | SettingsError::Read { .. }
        | SettingsError::Write { .. } => "",
    };
    (key.split('.').map(str::to_owned).collect(), Problem::new(key, error))
}

fn names(path: &serde_path_to_error::Path) -> Vec<String> {
    let names = path.iter().map_while(|segment| match segment {
        Segment::Map { key } => Some(key.clone()),
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    names.collect()
}

fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether there was something to take out.
fn take_out(document: &mut Value, key: &[String]) -> bool {
    let Some((last, within)) = key.split_last() else { return false };
    let holder = within.iter().try_fold(document, |value, name| match value {
        Value::Object(map) => map.get_mut(name),
        Value::Array(items) => items.get_mut(name.parse::<usize>().ok()?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    });
    match holder {
        Some(Value::Object(map)) => map.remove(last).is_some(),
        Some(Value::Array(items)) => {
            let index = last.parse().ok().filter(|index| *index < items.len());
            index.map(|index: usize| items.remove(index)).is_some()
        }
        _ => false,
    }
}

/// How much was to be kept may be what was not understood: then nothing is thrown away for its age.
fn kept_safe(mut settings: Settings, problems: Vec<Problem>) -> Understood {
    let of_retention =
        |problem: &Problem| problem.key.is_empty() || problem.key.starts_with("retention");
    if problems.iter().any(of_retention) {
        settings.retention = Retention { deliveries: 0, bytes: 0 };
    }
    Understood { settings, problems }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                inner.prop_map(|inner| serde_json::json!({ "kind": inner })),
            ]
        })
    }

    /// Every place that there is, down to the leaves.
    fn places(value: &Value, at: &str, found: &mut Vec<String>) {
        if let Value::Object(map) = value {
            for (name, value) in map {
                let at = format!("{at}/{name}");
                places(value, &at, found);
                found.push(at);
            }
        }
    }

    proptest! {
        /// Whatever stands in the place of a setting, the rest is read, and all of it is in range.
        #[test]
        fn anything_may_stand_anywhere(value in json(), place in any::<prop::sample::Index>()) {
            let mut document = serde_json::to_value(Settings::default()).unwrap();
            let mut found = Vec::new();
            places(&document, "", &mut found);
            let place = place.get(&found);
            *document.pointer_mut(place).unwrap() = value;
            document["listen"]["port"] = match document["listen"] {
                Value::Object(_) => 4567.into(),
                _ => return Ok(()),
            };
            let understood = of_document(document);
            understood.settings.check().unwrap();
            prop_assert_eq!(understood.settings.listen.port, 4567);
            prop_assert!(understood.problems.len() <= 8);
        }
    }
}
