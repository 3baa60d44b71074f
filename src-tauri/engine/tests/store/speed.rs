use crate::support::*;
use std::time::Instant;

#[tokio::test(flavor = "multi_thread")]
async fn closed_loop() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let t = Instant::now();
    let n = 64;
    let per = 500;
    let tasks: Vec<_> = (0..n)
        .map(|c| {
            let store = store.clone();
            tokio::spawn(async move {
                for i in 0..per {
                    let d = store.record(delivery(&format!("job_{c}_{i}"))).await.unwrap();
                    store.finish(d.seq, answered(204));
                }
            })
        })
        .collect();
    for t in tasks {
        t.await.unwrap();
    }
    let e = t.elapsed();
    println!("{} in {:?}: {:.0}/s", n * per, e, (n * per) as f64 / e.as_secs_f64());
    store.flush().await.unwrap();
}
