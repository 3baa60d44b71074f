//! Random forms: what is accepted works, and what is refused does no harm.

use super::*;

proptest! {
    #[test]
    fn a_form_that_is_accepted_signs_what_it_reads(
        signed in "([a-zé.:|]{0,3}(\\{(timestamp|id|method|path|query|header:X-A)\\})?){0,3}\\{body\\}[a-z.\n]{0,3}",
        prefix in "[ -~]{0,8}",
        separator in "[ -~]?",
        name in "[ -~]{0,4}",
        (place, base64, algorithm) in (0..3_u8, any::<bool>(), 0..3_u8),
        body: Vec<u8>,
    ) {
        let form = form(|custom| {
            custom.signed = signed;
            custom.prefix = prefix;
            custom.separator = separator;
            custom.id_header = "X-Id".into();
            custom.timestamp = match place {
                0 => CustomTimestamp::None,
                1 => at_time("X-Timestamp"),
                _ => beside(&name),
            };
            custom.encoding = if base64 { CustomEncoding::Base64 } else { CustomEncoding::Hex };
            custom.algorithm = match algorithm {
                0 => CustomAlgorithm::Sha1,
                1 => CustomAlgorithm::Sha256,
                _ => CustomAlgorithm::Sha512,
            };
        });
        prop_assume!(check_custom(&form).is_ok());
        let settings = SchemeSettings { custom: form, ..SchemeSettings::default() };
        let sent = Delivery::signed(&scheme("custom", &settings).unwrap(), b"key", &body);
        let report = sent.judge();
        prop_assert_eq!(report.state, SignatureState::Valid, "{:?} {:?}", report, sent.headers());
        let near = sent.body([&body[..], b"\0"].concat());
        prop_assert_eq!(near.state(), SignatureState::Invalid);
    }

    #[test]
    fn any_form_is_accepted_or_refused_and_nothing_worse(
        signed in "([{}a-z:]|\\{body\\}|é){0,12}", separator: String, prefix: String, name: String,
    ) {
        let form = form(|custom| {
            custom.signed = signed;
            custom.separator = separator;
            custom.prefix = prefix;
            custom.signature_header.clone_from(&name);
            custom.timestamp = beside(&name);
        });
        if let Err(error) = check_custom(&form) {
            prop_assert!(error.to_string().starts_with("the custom scheme cannot be used: "));
        }
        // Settings are also read from a file: one that is refused must still do no harm where it is only listed.
        let settings = SchemeSettings { custom: form, ..SchemeSettings::default() };
        let sent = Delivery::signed(&sume(), SECRET.as_bytes(), ROW_1);
        let verifier = Verifier {
            scheme: &*sent.scheme,
            secrets: &in_use(b"other"),
            tolerance_s: TOLERANCE,
            schemes: &settings,
            known: &[],
            seen: &[],
        };
        let state = verifier.verify(&sent.request(), at(T)).state;
        prop_assert_eq!(state, SignatureState::Invalid);
    }
}
