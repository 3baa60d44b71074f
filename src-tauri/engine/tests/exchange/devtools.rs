//! A HAR as Chromium's developer tools save it.

use super::support::{Kept, read};
use hooktwice_engine::{
    head::Head,
    model::{ClaimReason, ClaimState, JobIdType, SignatureState},
};

const HAR: &[u8] = include_bytes!("devtools.har");

#[test]
fn a_browsers_requests_are_read_and_the_rest_is_named() {
    let contents = read("app.example.com.har", HAR).unwrap();
    let [first, last] = &contents.deliveries[..] else { panic!("{contents:?}") };

    let new = &first.new;
    let (head, _) = Head::parse(&new.head).unwrap();
    assert_eq!(&head.target[..], b"/webhooks/sume?team=a%20b&x=1");
    let names: Vec<_> = head.headers.iter().map(|header| &header.name[..]).collect();
    let expected: [&[u8]; 6] =
        [b"Host", b"content-length", b"content-type", b"cookie", b"x-twice", b"x-twice"];
    assert_eq!(names, expected);
    assert_eq!(head.headers[0].value, "app.example.com");
    assert_eq!(new.body, "{\"event\":\"job.completed\",\"job_id\":\"h\u{f6}h\"}");
    assert_eq!(new.received_at.to_string(), "2026-11-29T11:00:00.123Z");
    assert_eq!((new.event.as_deref(), new.job_id.as_deref()), (Some("job.completed"), Some("höh")));
    assert_eq!(first.finish.status, Some(204));
    // Two cookies in one value are no header line.
    assert!(!String::from_utf8_lossy(&first.finish.response_head).contains("b=2"));
    assert_eq!(
        new.notes,
        [
            "imported from app.example.com.har",
            "it went over http/2.0; its head is written here as HTTP/1.1",
        ]
    );

    assert_eq!((&*last.new.path, &*last.new.method), ("/", "GET"));
    assert_eq!(last.finish.status, None);
    assert!(
        last.new.notes.contains(&"the file has no answer to it".into()),
        "{:?}",
        last.new.notes
    );

    let skipped: Vec<_> =
        contents.skipped.iter().map(|skipped| (skipped.entry, &*skipped.why)).collect();
    assert_eq!(
        skipped,
        [
            (2, "its address is no http:// or https:// URL (data:…)"),
            (3, "its body is not in the file"),
        ]
    );
}

#[test]
fn what_is_imported_is_marked_and_claims_nothing() {
    let kept = Kept::new();
    let seqs = kept.import(read("x.har", HAR).unwrap().deliveries);
    assert_eq!(seqs, [1, 2]);
    let shown = kept.store.show(1).unwrap().unwrap();
    let delivery = &shown.delivery;
    assert_eq!(
        (delivery.claim, delivery.claim_reason),
        (ClaimState::None, Some(ClaimReason::Imported))
    );
    assert_eq!(delivery.signature.state, SignatureState::Unchecked);
    assert_eq!(delivery.signature.reason.as_deref(), Some("imported from x.har"));
    assert_eq!(delivery.job_id_type, JobIdType::String);
    assert_eq!(kept.store.claims(0, 0).unwrap().1, 0);
    // A job that is waited for has not come with it.
    assert_eq!(kept.store.delivery_of("höh", true).unwrap(), None);
}
