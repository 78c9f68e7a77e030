//! A time limit for the driver of a device (`MDH_TIME_LIMIT`): neither API can end a kernel, so the process ends.
use crate::library;
use std::{
    env,
    ffi::OsStr,
    io::Write,
    sync::{Mutex, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The environment variable with the limit in seconds.
const VARIABLE: &str = "MDH_TIME_LIMIT";

/// What the driver does since when; `None` while it does nothing.
static DOING: Mutex<Option<(Instant, &'static str)>> = Mutex::new(None);

/// The driver does something that the limit applies to, until this is dropped.
pub struct Limited;

impl Limited {
    /// Begins something that the driver does. The first one starts the thread that watches the limit, if there is one.
    /// The error describes an invalid limit.
    pub fn begin(text: &'static str) -> Result<Self, String> {
        static LIMIT: OnceLock<Result<(), String>> = OnceLock::new();
        let start = || match env::var_os(VARIABLE).filter(|text| !text.is_empty()) {
            None => Ok(()),
            Some(text) => limit(&text).map(|limit| drop(thread::spawn(move || watch(limit)))),
        };
        LIMIT.get_or_init(start).clone()?;
        set(Some((Instant::now(), text)));
        Ok(Self)
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        set(None);
    }
}

fn set(doing: Option<(Instant, &'static str)>) {
    *DOING.lock().unwrap_or_else(PoisonError::into_inner) = doing;
}

/// The limit that a text states in seconds.
fn limit(text: &OsStr) -> Result<Duration, String> {
    let seconds = text.to_str().and_then(|text| text.parse().ok()).filter(|seconds| *seconds > 0.0);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| format!("{VARIABLE} requires a number of seconds, more than 0, but is '{}'", text.display()))
}

/// Ends the process when the driver has done something for longer than the limit.
fn watch(limit: Duration) {
    loop {
        let doing = *DOING.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = doing.map_or(Duration::ZERO, |(since, _)| since.elapsed());
        if let Some((_, text)) = doing.filter(|_| elapsed >= limit) {
            let seconds = limit.as_secs_f64();
            let _ = writeln!(std::io::stderr(), "error: {VARIABLE} ended {text}, for more than {seconds} s");
            // Handlers of an ordinary exit would wait for the driver.
            library::exit_at_once(1);
        }
        thread::sleep((limit - elapsed).clamp(Duration::from_millis(1), Duration::from_millis(100)));
    }
}
