//! What is written over a file that another version of this program may have written.

use serde_json::Value;

/// What is written, with what stood in the file and is in no setting of this version. `known` is the file as this version
/// reads it: a name in it that is no longer written was taken out by the person, and is not brought back.
pub(super) fn merge(file: Value, known: &Value, written: Value) -> Value {
    let Value::Object(mut written) = written else { return written };
    if let Value::Object(file) = file {
        for (name, before) in file {
            let was = known.get(&name);
            match written.remove(&name) {
                Some(now) => {
                    written.insert(name, merge(before, was.unwrap_or(&Value::Null), now));
                }
                None if was.is_none() => {
                    written.insert(name, before);
                }
                None => {}
            }
        }
    }
    Value::Object(written)
}
