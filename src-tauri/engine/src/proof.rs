//! Requests of our own that have to come back through a tunnel, and what they are answered.
//!
//! Whoever proves a public URL leaves a question here and asks it there; the listener answers it and keeps no record.
//! The answer is not in the question, so that a page that repeats what it was asked proves nothing.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Where questions are asked, below the public URL.
const PATH: &str = "/.well-known/hooktwice-proof/";

/// The questions that are open. A clone is the same ones.
#[derive(Debug, Clone, Default)]
pub struct Proofs {
    open: Arc<Mutex<HashMap<String, String>>>,
}

impl Proofs {
    fn open(&self) -> MutexGuard<'_, HashMap<String, String>> {
        // One insertion or removal cannot leave it half changed.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A question that nobody can know; open until it is dropped.
    pub fn ask(&self) -> Question {
        let (name, answer) = (random(), random());
        self.open().insert(name.clone(), answer.clone());
        Question { proofs: self.clone(), name, answer }
    }

    /// What a request is answered; `None` where it is no open question.
    ///
    /// A tunnel may put a path of its own before ours.
    pub fn answer(&self, method: &str, path: &str) -> Option<String> {
        if method != "GET" {
            return None;
        }
        let (_, name) = path.rsplit_once(PATH)?;
        self.open().get(name).cloned()
    }
}

/// An open question.
#[derive(Debug)]
pub struct Question {
    proofs: Proofs,
    name: String,
    answer: String,
}

impl Question {
    /// The path to ask it at: begins with a slash.
    pub fn path(&self) -> String {
        format!("{PATH}{}", self.name)
    }

    /// What has to come back, exactly.
    pub fn answer(&self) -> &str {
        &self.answer
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.proofs.open().remove(&self.name);
    }
}

/// 128 random bits.
fn random() -> String {
    let mut bytes = [0; 16];
    // Where the system has no random numbers, a page cannot be told from ours, and that harms nobody here.
    if getrandom::fill(&mut bytes).is_err() {
        fastrand::fill(&mut bytes);
    }
    hex::encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_answered_while_it_is_open_and_only_as_it_was_asked() {
        let proofs = Proofs::default();
        let question = proofs.ask();
        let path = question.path();
        assert_eq!(proofs.answer("GET", &path).as_deref(), Some(question.answer()));
        assert_eq!(
            proofs.answer("GET", &format!("/tunnel/7{path}")).as_deref(),
            Some(question.answer())
        );
        assert!(!path.contains(question.answer()));
        assert_eq!(proofs.answer("POST", &path), None);
        assert_eq!(proofs.answer("GET", &format!("{path}0")), None);
        assert_eq!(proofs.answer("GET", PATH), None);
        drop(question);
        assert_eq!(proofs.answer("GET", &path), None);
    }
}
