//! Progress bars on a terminal for work that takes more than a second.
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{IsTerminal, stderr},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

/// Delay before a bar is shown.
const DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// Shows progress until it is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// The thread that shows the bar after the delay; it ends when the sender is dropped.
    later: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// A spinner for work of unknown length.
    pub fn spinner(message: &'static str) -> Self {
        Self::new(
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
            "{spinner} {msg} {elapsed}",
            message,
        )
    }

    /// A bar for work of a known number of steps.
    pub fn bar(steps: usize, message: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        Self::new(bar, "{msg} {wide_bar} {pos} of {len} {elapsed}", message)
    }

    fn new(bar: ProgressBar, template: &str, message: &'static str) -> Self {
        if !stderr().is_terminal() {
            return Self { bar, later: None };
        }
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(message);
        let (sender, receiver) = channel();
        let shown = bar.clone();
        let thread = thread::spawn(move || {
            if receiver.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Self { bar, later: Some((sender, thread)) }
    }

    /// Advances by one step.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.later.take() {
            drop(sender);
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
