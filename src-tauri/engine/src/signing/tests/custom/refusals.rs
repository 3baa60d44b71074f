//! What of a custom scheme does not fit together.

use super::*;

fn refused(change: impl FnOnce(&mut CustomForm)) -> String {
    let settings = SchemeSettings { custom: form(change), ..SchemeSettings::default() };
    let error = check_custom(&settings.custom).unwrap_err();
    // It cannot be had either.
    assert_eq!(scheme("custom", &settings).unwrap_err(), error);
    // And every other scheme can.
    assert!(scheme("sume", &settings).is_ok());
    error.to_string()
}

#[test]
fn each_refusal_says_what_does_not_fit() {
    assert_eq!(check_custom(&CustomForm::default()), Ok(()));
    let begin = "the custom scheme cannot be used: ";
    type Change = fn(&mut CustomForm);
    let cases: &[(Change, &str)] = &[
        (|c| c.signed = "{timestamp}".into(), "no {body}, so anybody could change it"),
        (|c| c.signed.clear(), "no {body}"),
        (|c| c.signed = "{body}{body}".into(), "{body} more than once"),
        (|c| c.signed = "{body}{".into(), "a brace of the template is not closed"),
        (|c| c.signed = "{body".into(), "a brace of the template is not closed"),
        (|c| c.signed = "{}{body}".into(), "{} is not known; there are {timestamp}"),
        (|c| c.signed = "{Body}".into(), "{Body} is not known"),
        (|c| c.signed = "{ body }".into(), "{ body } is not known"),
        (|c| c.signed = "{{body}}".into(), "{{body} is not known"),
        (|c| c.signed = "{url}{body}".into(), "{header:NAME}"),
        (|c| c.signed = "{header:}{body}".into(), "{header:} is not known"),
        (|c| c.signed = "{header:a b}{body}".into(), "{header:a b} is not known"),
        (|c| c.timestamp = CustomTimestamp::None, "{timestamp}, and nothing says where it comes"),
        (|c| c.signed = "{id}{body}".into(), "{id}, and no header is named for it"),
        (|c| c.signature_header.clear(), "\"\" is not the name of a header"),
        (|c| c.signature_header = "X Signature".into(), "\"X Signature\" is not the name"),
        (|c| c.signature_header = "X\r\nY: ".into(), "\"X\\r\\nY: \" is not the name"),
        (|c| c.timestamp = at_time("é"), "\"é\" is not the name of a header"),
        (|c| c.id_header = "X:".into(), "\"X:\" is not the name of a header"),
        (|c| c.separator = ", ".into(), "\", \" parts no signatures"),
        (|c| c.separator = "é".into(), "\"é\" parts no signatures"),
        (|c| c.separator = "\n".into(), "parts no signatures"),
        (|c| c.separator = "a".into(), "\"a\" parts no signatures: it stands in a signature"),
        (
            |c| (c.encoding, c.separator) = (CustomEncoding::Base64, "=".into()),
            "\"=\" parts no signatures",
        ),
        (
            |c| (c.timestamp, c.separator) = (beside("t"), "=".into()),
            "\"=\" parts no signatures: it stands between a timestamp and its name",
        ),
        (|c| c.prefix = "v1,".into(), "\",\" parts no signatures"),
        (|c| c.prefix = "v1=\n".into(), "cannot stand before a digest"),
        (|c| c.prefix = " v1=".into(), "cannot stand before a digest"),
        (|c| c.prefix = "é".into(), "cannot stand before a digest"),
        (|c| c.timestamp = beside(""), "needs a name (t) and a character"),
        (
            |c| (c.timestamp, c.separator) = (beside("t"), String::new()),
            "needs a name (t) and a character",
        ),
        (|c| c.timestamp = beside("t="), "\"t=\" cannot name a timestamp"),
        (|c| c.timestamp = beside("t,"), "\"t,\" cannot name a timestamp"),
        (|c| c.timestamp = beside("a b"), "\"a b\" cannot name a timestamp"),
        (|c| (c.timestamp, c.prefix) = (beside("v1"), "v1=".into()), "both begin with v1="),
        (|c| c.timestamp = at_time("x-SIGNATURE"), "is named for two things"),
        (|c| c.id_header = "x-timestamp".into(), "is named for two things"),
    ];
    for (change, said) in cases {
        let sentence = refused(*change);
        assert!(sentence.starts_with(begin), "{sentence}");
        assert!(sentence.contains(said), "{said}: {sentence}");
    }
}
