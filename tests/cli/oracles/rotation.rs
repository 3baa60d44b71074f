//! While a secret is being replaced a provider signs with the old one and the new one: what the libraries make of it,
//! and what we do.

use super::{
    SEED,
    case::Case,
    child::{Oracle, Oracles},
};
use fastrand::Rng;
use hooktwice_engine::{
    head::RawHeader,
    model::{SchemeSettings, SignatureReport, SignatureState},
    secrets::{NamedSecret, Secret},
    signing::{self, SignedRequest},
};
use jiff::Timestamp;

/// Of a library.
const REQUESTS: usize = 25;

/// The schemes whose libraries read several signatures, and what parts them in a line.
fn separator(scheme: &str) -> Option<&'static str> {
    match scheme {
        "standard-webhooks" => Some(" "),
        "stripe" => Some(","),
        _ => None,
    }
}

/// The first headers, with the signature of the second after their own.
fn joined(scheme: &str, first: &[RawHeader], second: &[RawHeader]) -> Vec<RawHeader> {
    // The longest header is the signature's.
    let place = |headers: &[RawHeader]| {
        (0..headers.len()).max_by_key(|at| headers[*at].value.len()).unwrap()
    };
    let text = |header: &RawHeader| String::from_utf8(header.value.to_vec()).unwrap();
    let mut joined = first.to_vec();
    let at = place(&joined);
    let more = text(&second[place(second)]);
    // Stripe's time stands once.
    let more = if scheme == "stripe" { more.split_once(',').unwrap().1 } else { &more };
    let line = format!("{}{}{more}", text(&joined[at]), separator(scheme).unwrap());
    joined[at].value = line.into();
    joined
}

/// What we make of it with these secrets, each named after its place.
fn judge(case: &Case, came: &[RawHeader], secrets: &[&str]) -> SignatureReport {
    let scheme = signing::scheme(&case.scheme, &SchemeSettings::default()).unwrap();
    let named: Vec<_> = secrets
        .iter()
        .zip(["first", "second"])
        .map(|(secret, name)| {
            NamedSecret::new(name, Secret::new(secret.as_bytes().to_vec()), "memory")
        })
        .collect();
    let (method, path, query) = (case.method, case.path, case.query);
    let request = SignedRequest { method, path, query, headers: came, body: &case.body };
    signing::verify(&*scheme, &named, &request, Timestamp::now(), 300)
}

fn named(case: &Case, came: &[RawHeader], secrets: &[&str]) -> (SignatureState, Option<String>) {
    let report = judge(case, came, secrets);
    (report.state, report.secret)
}

fn valid(name: &str) -> (SignatureState, Option<String>) {
    (SignatureState::Valid, Some(name.to_owned()))
}

#[test]
fn c20_both_secrets_of_a_rotation_are_read_as_the_libraries_read_them() {
    let mut looked_at = 0;
    for mut oracles in [Oracles::node(), Oracles::python()] {
        let libraries = oracles.all.clone().into_iter();
        let rotates = |oracle: &Oracle| {
            oracle.version.is_some() && oracle.signs && separator(&oracle.scheme).is_some()
        };
        for oracle in libraries.filter(rotates) {
            rotate(&mut oracles, &oracle);
            looked_at += 1;
        }
    }
    assert_eq!(looked_at, 6, "Stripe, Standard Webhooks and Svix for Node and for Python");
}

fn rotate(oracles: &mut Oracles, oracle: &Oracle) {
    let mut rng = Rng::with_seed(SEED);
    let scheme = &*oracle.scheme;
    for n in 0..REQUESTS {
        // The small ones.
        let old = Case::random(&mut rng, oracle, n + 3);
        let of = |secret: &Case| Case { secret: secret.secret.clone(), ..old.clone() };
        let new = of(&Case::random(&mut rng, oracle, n + 3));
        let strange = of(&Case::random(&mut rng, oracle, n + 3));
        let both = [&*old.secret, &*new.secret];

        // They sign with one of the two, or with both.
        let [by_old, by_new] = [&old, &new].map(|case| oracles.sign(oracle, case));
        assert_eq!(named(&old, &by_old, &both), valid("first"), "{oracle:?} {n}");
        assert_eq!(named(&old, &by_new, &both), valid("second"), "{oracle:?} {n}");
        for (one, other) in [(&by_old, &by_new), (&by_new, &by_old)] {
            let came = joined(scheme, one, other);
            for secret in both {
                assert_eq!(named(&old, &came, &[secret]), valid("first"), "{oracle:?} {n}");
            }
            let none = named(&old, &came, &[&strange.secret]);
            assert_eq!(none, (SignatureState::Invalid, None), "{oracle:?} {n}");
        }

        // We do, and their library has one of them.
        for (one, other) in [(&old, &new), (&new, &old)] {
            let came = joined(scheme, &one.sign(), &other.sign());
            for case in [&old, &new] {
                assert!(oracles.verify(oracle, case, &came), "{oracle:?} {n}: {came:?}");
            }
            assert!(!oracles.verify(oracle, &strange, &came), "{oracle:?} {n}: {came:?}");
        }
    }
}
