//! Senders that leave, wholly or by half, at every stage.

use crate::support::{Rig, Sender, post, signed};
use hooktwice_engine::model::{ClaimState, Ended, SignatureState};
use tokio::io::AsyncWriteExt as _;

/// Closes with a reset instead of a goodbye.
fn reset(sender: Sender) {
    let stream = socket2::SockRef::from(&sender.stream);
    stream.set_linger(Some(std::time::Duration::ZERO)).unwrap();
    drop(sender);
}

#[tokio::test]
async fn a_connection_that_sends_nothing_leaves_no_record() {
    let mut rig = Rig::start().await;
    drop(rig.connect().await);
    reset(rig.connect().await);
    let mut blank = rig.connect().await;
    blank.send(b"\r\n\r\n").await;
    drop(blank);
    let (_, row) = rig.deliver(&signed("/h", b"{}")).await;
    assert_eq!(row.seq, 1);
    assert!(rig.stop().await.is_empty());
    assert_eq!(rig.rows().len(), 1);
}

#[tokio::test]
async fn a_sender_that_leaves_in_the_head() {
    let mut rig = Rig::start().await;
    for leave in [drop::<Sender>, reset] {
        let mut sender = rig.connect().await;
        sender.send(b"POST /half?x HTTP/1.1\r\nHo").await;
        // Only what has arrived can be kept: the answer to another request shows that the listener has had its turn.
        rig.fire(b"GET /turn HTTP/1.1\r\n\r\n").await;
        rig.ended().await;
        leave(sender);
        let row = rig.ended().await;
        assert_eq!(
            (row.ended, row.status, row.claim),
            (Some(Ended::Incomplete), None, ClaimState::None)
        );
        assert_eq!(
            (row.method.as_str(), row.path.as_str(), row.query.as_str()),
            ("POST", "/half", "x")
        );
        assert_eq!(rig.store.head(row.seq).unwrap().unwrap(), "POST /half?x HTTP/1.1\r\nHo");
    }
}

#[tokio::test]
async fn a_sender_that_leaves_in_the_body() {
    let mut rig = Rig::start().await;
    for leave in [drop::<Sender>, reset] {
        let whole = signed("/h", br#"{"job_id":"a1"}"#);
        let mut sender = rig.connect().await;
        sender.send(&whole[..whole.len() - 5]).await;
        rig.fire(b"GET /turn HTTP/1.1\r\n\r\n").await;
        rig.ended().await;
        leave(sender);
        let row = rig.ended().await;
        assert_eq!((row.ended, row.status, row.size), (Some(Ended::Incomplete), None, 10));
        assert_eq!((row.expected_size, row.signature.state), (Some(15), SignatureState::Unchecked));
        assert_eq!((row.claim, row.duplicate_of), (ClaimState::None, None));
        assert_eq!(rig.body(row.seq), br#"{"job_id":"#);
    }
    let (_, row) = rig.deliver(&signed("/h", br#"{"job_id":"a1"}"#)).await;
    assert_eq!(row.claim, ClaimState::Won, "the whole one is the first");
}

#[tokio::test]
async fn a_sender_that_closes_its_half_in_a_chunked_body() {
    let mut rig = Rig::start().await;
    let mut sender = rig.connect().await;
    sender.send(b"POST /h HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\"").await;
    sender.stream.shutdown().await.unwrap();
    assert_eq!(sender.answer().await, None);
    let row = rig.ended().await;
    assert_eq!((row.ended, row.size, row.expected_size), (Some(Ended::Incomplete), 4, None));
}

#[tokio::test]
async fn a_sender_that_leaves_before_the_answer_has_claimed() {
    for leave in [drop::<Sender>, reset] {
        let mut rig = Rig::with(|setup| setup.settings.delay_ms = 100).await;
        let mut events = rig.events.subscribe(None);
        let mut sender = rig.connect().await;
        sender.send(&signed("/h", br#"{"job_id":"a1"}"#)).await;
        // It is told when it is kept, before its delay.
        events.next_batch().await.unwrap();
        leave(sender);
        let row = rig.ended().await;
        assert_eq!((row.ended, row.status), (Some(Ended::SenderLeft), None));
        assert_eq!(row.claim, ClaimState::Won);
        let (_, again) = rig.deliver(&signed("/h", br#"{"job_id":"a1"}"#)).await;
        assert_eq!(again.duplicate_of, Some(row.seq));
    }
}

#[tokio::test]
async fn a_sender_that_closes_its_writing_half_gets_its_answer() {
    for delay_ms in [0, 100] {
        let mut rig = Rig::with(|setup| setup.settings.delay_ms = delay_ms).await;
        let mut sender = rig.connect().await;
        sender.send(&signed("/h", br#"{"job_id":"a1"}"#)).await;
        sender.stream.shutdown().await.unwrap();
        assert_eq!(sender.answer().await.unwrap().status, 204);
        let row = rig.ended().await;
        assert_eq!(
            (row.ended, row.status, row.claim),
            (Some(Ended::Answered), Some(204), ClaimState::Won)
        );
    }
}

#[tokio::test]
async fn a_half_closed_pipeline_is_answered_whole() {
    let mut rig = Rig::start().await;
    let mut sender = rig.connect().await;
    sender.send(&[signed("/1", b"{}"), signed("/2", b"{}"), post("/3", "", b"{}")].concat()).await;
    sender.stream.shutdown().await.unwrap();
    for status in [204, 204, 401] {
        assert_eq!(sender.answer().await.unwrap().status, status);
    }
    for _ in 0..3 {
        assert_eq!(rig.ended().await.ended, Some(Ended::Answered));
    }
}

#[tokio::test]
async fn a_sender_that_never_reads_does_not_stop_the_others() {
    let mut rig = Rig::start().await;
    let mut greedy = rig.connect().await;
    let many = post("/greedy", "", b"{}").repeat(200);
    greedy.send(&many).await;
    let (reply, _) = (rig.fire(&signed("/h", br#"{"job_id":"a1"}"#)).await, ());
    assert_eq!(reply.status, 204);
    drop(greedy);
    rig.stop().await;
    assert!(rig.rows().iter().all(|row| row.ended.is_some()));
}
