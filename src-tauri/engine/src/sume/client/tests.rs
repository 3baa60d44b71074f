use super::*;
use crate::secrets::{NamedSecret, Secret};

fn key(text: &str) -> Result<ApiKey, SumeError> {
    ApiKey::new(NamedSecret::new("key", Secret::new(text.into()), "memory"))
}

#[test]
fn an_id_is_one_segment_of_the_path() {
    let encoded = |id| in_path(id).unwrap();
    assert_eq!(encoded("job_1f-3a.b~"), "job_1f-3a.b~");
    assert_eq!(encoded("a/../b?c#d%2f"), "a%2F..%2Fb%3Fc%23d%252f");
    assert_eq!(encoded("\u{e9} x"), "%C3%A9%20x");
    for id in ["", ".", "..", " job", "job\n", &"x".repeat(2000)] {
        assert!(in_path(id).is_err(), "{id}");
    }
}

#[tokio::test]
async fn sume_is_not_asked_to_reach_this_machine() {
    let api = Api::new("http://127.0.0.1:9", key("sk_1234").unwrap(), Patience::default());
    let api = api.await.unwrap();
    assert!(api.check_target("http://127.0.0.1:4400/hook").is_ok(), "a stand-in can");
    assert!(api.check_target("hook").is_err());
    assert!(api.check_target("file:///etc/passwd").is_err());
    assert!(!format!("{api:?}").contains("sk_1234"));
    let far = Api { base: check_base_url("https://api.sume.com/v1").unwrap(), ..api };
    let error = far.check_target("http://localhost:4400/hook").unwrap_err();
    assert!(error.to_string().contains("tunnel"), "{error}");
}
