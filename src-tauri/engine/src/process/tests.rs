//! Real shells and real trees of processes.

use super::*;
use std::process::Command;

/// Longer than anything here takes: a test that reaches it has failed.
const LONG: Duration = Duration::from_secs(20);

/// Waits for a fact.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "waited in vain: {what}");
        sleep(Duration::from_millis(5)).await;
    }
}

/// Starts a command and waits until it has written so many lines.
async fn started(command: &str, lines: usize) -> (ProcessGroup, Vec<String>) {
    let group = ProcessGroup::start(command).unwrap();
    until(command, || group.output().matches('\n').count() >= lines).await;
    let written = group.output().lines().map(str::to_owned).collect();
    (group, written)
}

/// Whether a process is there and not dead.
fn lives(pid: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap().stdout;
    !(state.is_empty() || state.starts_with(b"Z"))
}

#[tokio::test]
async fn both_streams_are_kept_in_their_order() {
    let mut group =
        ProcessGroup::start("echo one; echo two >&2; echo three; printf four >&2").unwrap();
    until("the end", || group.ended().is_some()).await;
    group.end(LONG).await.unwrap();
    assert_eq!(group.output(), "one\ntwo\nthree\nfour");
}

#[tokio::test]
async fn how_it_ended_is_told() {
    for (command, ending) in [
        ("exit 0", "exit code 0"),
        ("exit 3", "exit code 3"),
        ("kill -9 $$", "signal 9"),
        ("no-such-command-anywhere", "exit code 127"),
    ] {
        let mut group = ProcessGroup::start(command).unwrap();
        until(command, || group.ended().is_some()).await;
        assert_eq!(group.ended().as_deref(), Some(ending), "{command}");
        group.kill().await.unwrap();
        assert_eq!(group.ended().as_deref(), Some(ending), "{command}, and it stays so");
    }
}

#[tokio::test]
async fn it_reads_nothing_from_us() {
    let mut group = ProcessGroup::start("cat; echo done").unwrap();
    until("the end", || group.ended().is_some()).await;
    group.kill().await.unwrap();
    assert_eq!(group.output(), "done\n");
}

#[tokio::test]
async fn a_command_that_listens_to_sigterm_ends_its_own_way() {
    let command = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done";
    let (mut group, _) = started(command, 1).await;
    assert_eq!(group.ended(), None);
    group.end(LONG).await.unwrap();
    assert_eq!(group.ended().as_deref(), Some("exit code 7"));
    assert!(group.output().ends_with("bye\n"), "{:?}", group.output());
}

#[tokio::test]
async fn what_ignores_sigterm_is_killed_after_the_grace() {
    let command = "trap '' TERM; sleep 1000 & echo $!; while :; do sleep 1; done";
    let (mut group, pids) = started(command, 1).await;
    let grace = Duration::from_millis(200);
    let begun = Instant::now();
    group.end(grace).await.unwrap();
    assert!(begun.elapsed() >= grace);
    assert_eq!(group.ended().as_deref(), Some("signal 9"));
    assert!(!lives(&pids[0]));
}

#[tokio::test]
async fn a_child_that_outlives_the_shell_is_waited_for() {
    // The shell dies of SIGTERM at once; its child takes its time.
    let child = "trap 'sleep 0.3; echo late; exit' TERM; echo ready; while :; do sleep 0.01; done";
    let (mut group, _) = started(&format!("sh -c \"{child}\" & wait"), 1).await;
    group.end(LONG).await.unwrap();
    assert!(group.output().ends_with("late\n"), "{:?}", group.output());
}

#[tokio::test]
async fn the_whole_tree_is_ended() {
    let tree = "sh -c 'sleep 1000 & echo $!; sleep 1000 & echo $!; wait' & echo $!; wait";
    for gentle in [true, false] {
        let (mut group, pids) = started(tree, 3).await;
        assert!(pids.iter().all(|pid| lives(pid)));
        if gentle {
            group.end(LONG).await.unwrap();
        } else {
            group.kill().await.unwrap();
        }
        for pid in &pids {
            assert!(!lives(pid), "{pid} of {pids:?}");
        }
        group.end(LONG).await.unwrap();
        group.kill().await.unwrap();
    }
}

#[tokio::test]
async fn children_that_the_command_left_behind_are_ended() {
    let (mut group, pids) = started("sleep 1000 & echo $!", 1).await;
    until("the end", || group.ended().is_some()).await;
    assert_eq!(group.ended().as_deref(), Some("exit code 0"));
    assert!(lives(&pids[0]));
    group.end(LONG).await.unwrap();
    assert!(!lives(&pids[0]));
}

#[tokio::test]
async fn dropped_it_is_killed_and_reaped() {
    let (group, pids) = started("echo $$; sleep 1000 & echo $!; wait", 2).await;
    drop(group);
    until("both are dead", || pids.iter().all(|pid| !lives(pid))).await;
    until("the shell is reaped", || {
        Command::new("ps").args(["-p", &pids[0]]).output().is_ok_and(|ps| !ps.status.success())
    })
    .await;
}

#[tokio::test]
async fn a_flood_of_output_blocks_nobody() {
    let flood = "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end";
    let mut group = ProcessGroup::start(flood).unwrap();
    until("the end", || group.ended().is_some()).await;
    group.end(LONG).await.unwrap();
    assert_eq!(group.output().len(), KEPT_OUTPUT);
    assert!(group.output().ends_with("x\nend\n"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_left_the_group_holds_nobody_up() {
    let (mut group, pids) = started("setsid sleep 1000 & echo $!; wait", 1).await;
    let own = |pid: &str| {
        let of = Command::new("ps").args(["-o", "pgid=", "-p", pid]).output().unwrap().stdout;
        String::from_utf8(of).unwrap().trim() == pid
    };
    until("it leads a group of its own", || own(&pids[0])).await;
    group.kill().await.unwrap();
    let stayed = lives(&pids[0]);
    Command::new("kill").args(["-9", &pids[0]]).status().unwrap();
    assert!(stayed, "it was out of reach");
}
