//! The tuners of a machine take turns, because one that measures beside another one measures both.
//!
//! The turn is the name of a socket without a file, which the system frees when its process ends, however it ends.
use std::{
    io::{ErrorKind, Result},
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixListener},
    },
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// The name for all tuners of a machine.
pub const TUNER: &str = "mdh-tune";

/// How often a tuner that waits looks whether it is its turn.
const PAUSE: Duration = Duration::from_millis(100);

/// The turn of this process, until it is dropped.
pub struct Turn {
    _socket: Option<UnixListener>,
}

impl Turn {
    /// Waits until no other process has the turn of a name, or until an interrupt. `wait` is called once before.
    pub fn take(name: &str, interrupted: &AtomicBool, wait: impl FnOnce()) -> Self {
        let mut wait = Some(wait);
        loop {
            match socket(name) {
                Err(error) if error.kind() == ErrorKind::AddrInUse && !interrupted.load(Ordering::Relaxed) => {}
                // Where there are no such sockets, tuners do not know of each other.
                other => return Self { _socket: other.ok() },
            }
            if let Some(wait) = wait.take() {
                wait();
            }
            thread::sleep(PAUSE);
        }
    }
}

fn socket(name: &str) -> Result<UnixListener> {
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn one_tuner_after_the_other() {
        let name = format!("mdh-test-{}", std::process::id());
        let (interrupted, waiting, at_work) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
        let first = Turn::take(&name, &interrupted, || unreachable!("nobody else has the turn"));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let turn = Turn::take(&name, &interrupted, || {
                        waiting.fetch_add(1, Ordering::SeqCst);
                    });
                    assert_eq!(at_work.fetch_add(1, Ordering::SeqCst), 0);
                    thread::sleep(Duration::from_millis(20));
                    at_work.fetch_sub(1, Ordering::SeqCst);
                    drop(turn);
                });
            }
            while waiting.load(Ordering::SeqCst) < 2 {
                thread::yield_now();
            }
            assert_eq!(at_work.load(Ordering::SeqCst), 0);
            drop(first);
        });
        let again = Turn::take(&name, &interrupted, || unreachable!("nobody else has the turn"));
        interrupted.store(true, Ordering::Relaxed);
        drop(Turn::take(&name, &interrupted, || {}));
        drop(again);
    }
}
