//! Which process holds a port, where the system tells it for the asking.

use std::net::SocketAddr;

/// In words: `node (process 123)`; `None` where it cannot be told.
#[cfg(not(target_os = "linux"))]
pub(super) fn holder(_: SocketAddr) -> Option<String> {
    None
}

/// In words: `node (process 123)`; `None` where it cannot be told, as for another user's process.
#[cfg(target_os = "linux")]
pub(super) fn holder(address: SocketAddr) -> Option<String> {
    let sockets: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .into_iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .flat_map(|table| listening_on(&table, address.port()))
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    if sockets.is_empty() {
        return None;
    }
    std::fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
        let pid: u32 = process.file_name().to_str()?.parse().ok()?;
        let files = std::fs::read_dir(process.path().join("fd")).ok()?;
        let holds =
            files.flatten().filter_map(|file| std::fs::read_link(file.path()).ok()).any(|target| {
                target.to_str().is_some_and(|target| sockets.iter().any(|socket| socket == target))
            });
        if !holds {
            return None;
        }
        if pid == std::process::id() {
            return Some("this program itself".into());
        }
        let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
        Some(format!("{} (process {pid})", name.trim()))
    })
}

/// The inodes of the sockets that listen on a port, of a table as in proc_pid_net(5).
#[cfg(target_os = "linux")]
fn listening_on(table: &str, port: u16) -> Vec<String> {
    const LISTEN: &str = "0A";
    let end = format!(":{port:04X}");
    table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let columns: Vec<&str> = line.split_ascii_whitespace().collect();
            let listens = columns.get(1)?.ends_with(&end) && *columns.get(3)? == LISTEN;
            listens.then(|| columns.get(9).map(ToString::to_string)).flatten()
        })
        .collect()
}
