//! Bytes as they may come: split anywhere, or no HTTP at all.

use crate::support::{Rig, post, shown, signature, signed};
use hooktwice_engine::model::{ClaimState, Ended};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use tokio::{runtime::Runtime, sync::Mutex};

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

#[test]
fn the_same_bytes_split_anywhere_give_the_same_record() {
    let runtime = runtime();
    let rig = Mutex::new(runtime.block_on(Rig::start()));
    let body = br#"{"event":"e","n":1}"#;
    let chunked = format!(
        "POST /c?d HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n4;x\r\n{{\"ev\r\nf\r\nent\":\"e\",\"n\":1}}\r\n0\r\nT: 1\r\n\r\n",
        signature(body)
    );
    let all = [post("/a", "X-A: 1\r\nx-a: 2\r\n", body), chunked.into_bytes(), signed("/b", body)]
        .concat();
    let cuts = prop::collection::vec(1..all.len(), 0..8);
    runner(60)
        .run(&cuts, |mut cuts| {
            cuts.sort_unstable();
            runtime.block_on(async {
                let mut rig = rig.lock().await;
                let mut sender = rig.connect().await;
                sender.stream.set_nodelay(true).unwrap();
                let mut from = 0;
                for to in cuts.into_iter().chain([all.len()]) {
                    sender.send(&all[from..to]).await;
                    tokio::task::yield_now().await;
                    from = to;
                }
                for status in [401, 204, 204] {
                    prop_assert_eq!(sender.answer().await.map(|reply| reply.status), Some(status));
                }
                for path in ["/a", "/c", "/b"] {
                    let row = rig.ended().await;
                    prop_assert_eq!(
                        (row.path.as_str(), row.size, row.ended),
                        (path, 19, Some(Ended::Answered))
                    );
                    prop_assert_eq!(rig.body(row.seq), body);
                    let detail = rig.detail(row.seq);
                    prop_assert_eq!(
                        shown(&detail.trailers),
                        if path == "/c" { vec![("T", "1")] } else { vec![] }
                    );
                    let head = rig.store.head(row.seq).unwrap().unwrap();
                    prop_assert!(all.windows(head.len()).any(|bytes| bytes == head), "{head:?}");
                    prop_assert!(head.ends_with(b"\r\n\r\n") && head.starts_with(b"POST /"));
                }
                Ok(())
            })
        })
        .unwrap();
}

#[test]
fn garbage_never_stops_it() {
    let runtime = runtime();
    let rig = Mutex::new(runtime.block_on(Rig::start()));
    let token = prop::sample::select(vec![
        "POST ",
        "GET ",
        "/",
        " HTTP/1.1",
        " HTTP/1.0",
        "\r\n",
        "\n",
        "\r\n\r\n",
        "Content-Length: 5",
        "Content-Length: 99999999999999999999",
        "Transfer-Encoding: chunked",
        "Expect: 100-continue",
        "Connection: close",
        "Upgrade: websocket",
        "5\r\n",
        "0\r\n\r\n",
        "{\"job_id\":1}",
        ":",
        "\0",
        "\u{fffd}",
    ]);
    let piece = prop_oneof![
        token.prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..20)
    ];
    let garbage = prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat());
    let count = std::cell::Cell::new(0);
    runner(200)
        .run(&garbage, |bytes| {
            runtime.block_on(async {
                use tokio::io::AsyncWriteExt as _;
                let rig = rig.lock().await;
                let mut sender = rig.connect().await;
                // It may be refused and closed in the middle.
                let _ = sender.stream.write_all(&bytes).await;
                let _ = sender.stream.shutdown().await;
                sender.rest().await;
                count.set(count.get() + 1);
                let body = format!(r#"{{"job_id":"good-{}"}}"#, count.get());
                prop_assert_eq!(rig.fire(&signed("/good", body.as_bytes())).await.status, 204);
                Ok(())
            })
        })
        .unwrap();
    let rows = runtime.block_on(rig.into_inner().stop());
    let won = rows.iter().filter(|row| row.path == "/good" && row.claim == ClaimState::Won).count();
    assert_eq!(won, count.get());
    assert!(rows.iter().all(|row| row.ended.is_some()));
}
