//! Where the window is. It comes back where it was left; a screen that is gone or smaller by now must not keep it.

use tauri::{Monitor, PhysicalPosition, PhysicalSize, WebviewWindow};

/// The strip along the top by which a window can be moved, in pixels: its height, and how much of its width has to be
/// in reach.
const STRIP: i64 = 32;
const IN_REACH: i64 = 120;

/// A rectangle in the pixels of all screens together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Area {
    x: i64,
    y: i64,
    width: i64,
    height: i64,
}

impl Area {
    fn new(at: PhysicalPosition<i32>, size: PhysicalSize<u32>) -> Self {
        Self {
            x: at.x.into(),
            y: at.y.into(),
            width: size.width.into(),
            height: size.height.into(),
        }
    }

    /// Of a screen, what panels and docks leave.
    fn of(monitor: &Monitor) -> Self {
        let area = monitor.work_area();
        Self::new(area.position, area.size)
    }

    /// Width and height of what two have in common.
    fn shared(self, other: Self) -> (i64, i64) {
        let along = |a: i64, length: i64, b: i64, other: i64| {
            ((a + length).min(b + other) - a.max(b)).max(0)
        };
        let width = along(self.x, self.width, other.x, other.width);
        (width, along(self.y, self.height, other.y, other.height))
    }

    fn overlap(self, other: Self) -> i64 {
        let (width, height) = self.shared(other);
        width * height
    }

    fn can_be_moved(self, screen: Self) -> bool {
        let (width, height) = Self { height: STRIP.min(self.height), ..self }.shared(screen);
        height > STRIP / 2 && width >= IN_REACH.min(self.width)
    }

    fn within(self, screen: Self) -> Self {
        let (width, height) = (self.width.min(screen.width), self.height.min(screen.height));
        Self {
            x: self.x.clamp(screen.x, screen.x + screen.width - width),
            y: self.y.clamp(screen.y, screen.y + screen.height - height),
            width,
            height,
        }
    }
}

/// Where a window belongs that cannot stay where it is; `None` where it can. The first screen is the one that takes what
/// is on none.
fn put_right(window: Area, screens: &[Area]) -> Option<Area> {
    let fits = |screen: &&Area| window.width <= screen.width && window.height <= screen.height;
    let stays = screens.iter().any(|screen| window.can_be_moved(*screen));
    if stays && screens.iter().any(|screen| fits(&screen)) {
        return None;
    }
    let nearest = screens.iter().rev().max_by_key(|screen| window.overlap(**screen))?;
    let put = window.within(*nearest);
    (put != window).then_some(put)
}

/// Brings a window back that was left where it cannot be reached now.
pub(crate) fn bring_onto_a_screen(window: &WebviewWindow) {
    if let Err(error) = bring(window) {
        tracing::warn!(%error, "where the window is cannot be told");
    }
}

fn bring(window: &WebviewWindow) -> tauri::Result<()> {
    // The desktop itself keeps those on a screen.
    if window.is_maximized()? || window.is_fullscreen()? || window.is_minimized()? {
        return Ok(());
    }
    let screens = window.primary_monitor()?.into_iter().chain(window.available_monitors()?);
    let screens: Vec<Area> = screens.map(|monitor| Area::of(&monitor)).collect();
    let now = Area::new(window.outer_position()?, window.inner_size()?);
    let Some(put) = put_right(now, &screens) else { return Ok(()) };
    let pixels = |length: i64| u32::try_from(length).unwrap_or(0);
    window.set_size(PhysicalSize::new(pixels(put.width), pixels(put.height)))?;
    let place = |at: i64| i32::try_from(at).unwrap_or(0);
    window.set_position(PhysicalPosition::new(place(put.x), place(put.y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn area(x: i64, y: i64, width: i64, height: i64) -> Area {
        Area { x, y, width, height }
    }

    const LAPTOP: Area = area(0, 0, 1280, 800);
    const LEFT: Area = area(-1920, -200, 1920, 1080);

    #[test]
    fn a_window_in_reach_stays() {
        for window in [
            area(60, 40, 1000, 700),
            // Over an edge, and over two screens.
            area(1100, 100, 900, 600),
            area(-400, 50, 900, 600),
            area(-1900, -200, 1920, 1000),
        ] {
            assert_eq!(put_right(window, &[LAPTOP, LEFT]), None, "{window:?}");
        }
    }

    #[test]
    fn a_window_out_of_reach_is_brought_to_the_nearest_screen() {
        let back = |window| put_right(window, &[LAPTOP, LEFT]);
        // On a screen that is gone: the first one takes it.
        assert_eq!(back(area(9000, 7000, 900, 600)), Some(area(380, 200, 900, 600)));
        // Its top is above the screen, or all but a corner is beside it.
        assert_eq!(back(area(100, -100, 900, 600)), Some(area(100, 0, 900, 600)));
        assert_eq!(back(area(1270, 790, 900, 600)), Some(area(380, 200, 900, 600)));
        assert_eq!(back(area(-2700, -750, 900, 600)), Some(area(-1920, -200, 900, 600)));
    }

    #[test]
    fn a_window_that_no_screen_can_hold_is_made_smaller() {
        assert_eq!(put_right(area(0, 0, 9000, 7000), &[LAPTOP]), Some(LAPTOP));
        assert_eq!(put_right(area(10, 10, 1300, 700), &[LAPTOP]), Some(area(0, 10, 1280, 700)));
    }

    #[test]
    fn nothing_is_done_where_no_screen_is_known() {
        assert_eq!(put_right(area(9000, 7000, 900, 600), &[]), None);
    }
}
