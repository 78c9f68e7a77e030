//! Forks and compilations take turns: a child has the memory of its parent, but only the thread that forked, so nothing
//! may hold a lock of ours or of LLVM meanwhile.
//!
//! ```text
//! compile: running() ────── work ────── drop
//! fork:    before_fork() waits for all work ── fork ── after_fork(), in the parent and in the child
//! ```
use std::{
    cell::{Cell, RefCell},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

struct State {
    /// The number of threads that are at work.
    running: usize,
    /// The number of threads that are about to fork. New work waits for them.
    forks: usize,
}

static STATE: Mutex<State> = Mutex::new(State { running: 0, forks: 0 });
static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// Held by the thread that forks, until it has forked: then the child can release it, too.
    static HELD: RefCell<Option<MutexGuard<'static, State>>> = const { RefCell::new(None) };
    /// The number of [`Running`]s of this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Work of this thread that no fork may interrupt. It ends when this is dropped, on the same thread.
pub struct Running(());

/// Begins such work, which may be a part of other such work of this thread. A thread that forks must not need what this
/// thread holds.
pub fn running() -> Running {
    if DEPTH.get() == 0 {
        let mut state = state();
        while state.forks > 0 {
            state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.running += 1;
    }
    DEPTH.set(DEPTH.get() + 1);
    Running(())
}

impl Drop for Running {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        if DEPTH.get() == 0 {
            state().running -= 1;
            CHANGED.notify_all();
        }
    }
}

/// Waits for the work of all threads. The same thread calls [`after_fork`] next.
pub fn before_fork() {
    let mut state = state();
    state.forks += 1;
    while state.running > 0 {
        state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    HELD.set(Some(state));
}

/// Lets work begin again. In a child, other forks that the parent has announced will not happen.
pub fn after_fork(is_child: bool) {
    if let Some(mut state) = HELD.take() {
        state.forks = if is_child { 0 } else { state.forks - 1 };
        drop(state);
        CHANGED.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicBool, Ordering},
        thread,
        time::Duration,
    };

    #[test]
    fn a_fork_waits_for_work_and_new_work_for_the_fork() {
        static HAS_ENDED: AtomicBool = AtomicBool::new(false);
        let work = running();
        let part = running();
        let fork = thread::spawn(|| {
            before_fork();
            assert!(HAS_ENDED.load(Ordering::Acquire));
            let next = thread::spawn(|| drop(running()));
            thread::sleep(Duration::from_millis(50));
            assert!(!next.is_finished());
            after_fork(false);
            next.join().unwrap();
        });
        thread::sleep(Duration::from_millis(50));
        // A part of work does not wait for the fork that waits for the work.
        drop(running());
        drop(part);
        HAS_ENDED.store(true, Ordering::Release);
        drop(work);
        fork.join().unwrap();
    }
}
