//! What agreed with what, as a page of the documentation.

use super::child::{Ahead, Bodies, Oracle, root};
use std::{fmt::Write as _, fs};

/// The committed page, and where it is written anew.
const PAGE: [&str; 2] = ["docs/schemes.md", "target/oracles/schemes.md"];

const HEAD: &str = "\
<!-- Written by the test `oracles::the_libraries_agree_both_ways`; change it there. -->

# Which libraries agree with Hooktwice's signatures

For every scheme and in both directions, random requests are signed on one side and verified on the other: with the
provider's own libraries where there are some, and with a second implementation that is written from the documentation
over nothing but `node:crypto` or Python's `hashlib`. Each request is new, with a secret of its own; an empty body is among
them where the library takes one, and two bodies of 1 MiB. From every request a near-miss is made as well, which both
sides must refuse: one byte of the body or one character of the digest is another, the secret is another, the time that
came is not the one that was signed, or it is outside the tolerance of 300 s.

Sume has no library of its own yet, and a custom scheme cannot have one. The libraries of Shopify and Slack for Node
verify and do not sign.

| scheme | direction | oracle | bodies | agree | near-misses refused |
| --- | --- | --- | --- | --- | --- |
";

const TAIL: &str = "
Bodies: no provider's library takes a body that is not UTF-8, since they read it as text first; Hooktwice signs the bytes,
whatever they are. `svix` for Node also parses what it verifies, so its bodies are JSON, and an empty one is none.
The libraries of Stripe, GitHub and Shopify for Node refuse an empty body before they look at the signature.

¹ It only asks whether a time is too old: it took all of the times ahead of its clock, and Hooktwice refused them (`stale`).
They are counted in neither column.
";

/// One oracle in one direction.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) oracle: Oracle,
    pub(super) package: String,
    /// Else it signs and we verify.
    pub(super) we_sign: bool,
    pub(super) agreed: usize,
    pub(super) refused: usize,
}

impl Row {
    fn line(&self, into: &mut String) {
        let Oracle { oracle, version, scheme, bodies, ahead, .. } = &self.oracle;
        let direction = if self.we_sign { "we sign, it verifies" } else { "it signs, we verify" };
        let named = match version {
            Some(version) => format!("{oracle} {version} ({})", self.package),
            None => format!("the documentation, over {oracle}"),
        };
        let bodies = match bodies {
            Bodies::Bytes => "any bytes",
            Bodies::Text => "UTF-8",
            Bodies::Json => "JSON",
        };
        let note = if *ahead == Ahead::Taken { "¹" } else { "" };
        let (agreed, refused) = (self.agreed, self.refused);
        writeln!(
            into,
            "| {scheme} | {direction} | {named} | {bodies} | {agreed} | {refused}{note} |"
        )
        .unwrap();
    }
}

/// Writes the page, and compares it with the committed one.
pub(super) fn compare(mut rows: Vec<Row>) {
    let place = |row: &Row| {
        let scheme = &row.oracle.scheme;
        let names = hooktwice_engine::signing::names();
        names.iter().position(|name| name == scheme).unwrap()
    };
    rows.sort_by_key(|row| (place(row), row.oracle.version.is_none(), !row.we_sign));
    let mut page = HEAD.to_owned();
    for row in &rows {
        row.line(&mut page);
    }
    page.push_str(TAIL);
    let [committed, fresh] = PAGE.map(|path| root().join(path));
    fs::write(&fresh, &page).unwrap();
    let committed = fs::read_to_string(committed).unwrap_or_default();
    let [old, new] = PAGE;
    assert!(committed == page, "{old} is not what was measured; look at {new} and copy it over");
}
