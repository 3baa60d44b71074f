//! `hooktwice demo`.

use crate::harness::run;

#[test]
fn the_naive_handler_doubles_and_the_claiming_one_does_not() {
    let said = run(&["demo", "--json"]).expect_code(0).lines();
    assert_eq!(said.len(), 2);
    assert_eq!((&said[0]["type"], &said[0]["responder"]), (&"demo".into(), &"naive".into()));
    assert!(said[0]["effects"].as_u64().unwrap() > 1, "{}", said[0]);
    assert_eq!(said[1]["responder"], "claim");
    assert_eq!(said[1]["effects"], 1);
    assert_eq!((&said[0]["copies"], &said[1]["copies"]), (&20.into(), &20.into()));
}

#[test]
fn people_get_one_sentence() {
    let said = run(&["demo", "--copies", "5"]).expect_code(0);
    assert!(said.text().contains("the claiming handler once"), "{}", said.text());
}
