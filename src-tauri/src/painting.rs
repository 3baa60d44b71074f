//! WebKitGTK paints through DMA-BUF, and with NVIDIA's own driver that often leaves the window blank (C87).

/// Says how WebKitGTK paints; the person's own word, whatever it is, goes before ours.
#[cfg(target_os = "linux")]
const VARIABLE: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
/// There where NVIDIA's own driver is loaded, and not where Mesa drives the card.
#[cfg(target_os = "linux")]
const DRIVER: &str = "/proc/driver/nvidia/version";

/// Starts this program anew without DMA-BUF where that driver is. Not everywhere: with other drivers it is the way
/// without it that is slow, or blank.
#[cfg(target_os = "linux")]
pub(crate) fn start_anew_where_nothing_is_painted() {
    use std::{env, os::unix::process::CommandExt as _, path::Path, process::Command};
    if !is_needed(env::var_os(VARIABLE).is_some(), Path::new(DRIVER).exists()) {
        return;
    }
    let Ok(program) = env::current_exe() else { return };
    // The process stays the same one; it returns only where it failed, and then the window is as it would have been.
    let error = Command::new(program).args(env::args_os().skip(1)).env(VARIABLE, "1").exec();
    tracing::warn!(%error, "{VARIABLE} could not be set; set it by hand if the window stays blank");
}

/// Other systems have other webviews.
#[cfg(not(target_os = "linux"))]
pub(crate) fn start_anew_where_nothing_is_painted() {}

#[cfg(target_os = "linux")]
fn is_needed(is_set: bool, has_driver: bool) -> bool {
    has_driver && !is_set
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::is_needed;

    #[test]
    fn c87_only_nvidias_driver_and_never_over_the_persons_word() {
        assert!(is_needed(false, true));
        assert!(!is_needed(true, true));
        assert!(!is_needed(false, false));
    }
}
