//! Parallel regions that compiled code can leave: a thread that cannot go on leaves its part of the region, and passes the
//! barriers for which the others wait; after the region, its call is left for the reason of the first such thread.
//!
//! ```text
//! compiled code ──▶ fork ──▶ OpenMP, on each thread: run ──▶ compiled code ──▶ fail ──▶ run
//!                   fork ◀── OpenMP, when all have ended ◀────────────────────────────── run
//!      call ◀── fail
//! ```
use super::{guard, openmp};
use std::{
    cell::Cell,
    ffi::c_void,
    sync::{Mutex, OnceLock, PoisonError},
};

/// The part of a thread of a region: pointers to its number and to a bound, and the operands of the region.
type Body = unsafe extern "C" fn(*mut i32, *mut i32, *mut c_void);

// `jit/guard.c`.
unsafe extern "C" {
    fn mdh_guard_fork_call(location: *mut c_void, count: i32, body: Body, ...);
    fn mdh_guard_region(thread: *mut i32, bound: *mut i32, body: Body, data: *mut c_void) -> i32;
}

/// The body of a region as OpenMP calls it, with the region as its operand.
type RegionBody = unsafe extern "C" fn(*mut i32, *mut i32, *const Region);

/// `__kmpc_fork_call`.
type ForkCall = unsafe extern "C" fn(*mut c_void, i32, RegionBody, ...);

/// `__kmpc_barrier`.
type Barrier = unsafe extern "C" fn(*mut c_void, i32);

/// The functions of OpenMP.
struct Functions {
    fork_call: ForkCall,
    barrier: Barrier,
}

static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

thread_local! {
    /// The barriers that this thread has passed in its innermost region; `None` outside of regions.
    static BARRIERS: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The barriers of a region: it is one loop with a static schedule, which ends with a barrier.
const BARRIERS_OF_REGION: usize = 1;

/// A region in execution.
struct Region {
    location: *mut c_void,
    body: Body,
    data: *mut c_void,
    /// Why the first thread that could not go on has left it.
    reason: Mutex<Option<String>>,
}

/// True if code that calls these functions of OpenMP has only regions that threads can leave: a thread that combines
/// results with others, or gets its iterations from them, cannot.
pub fn can_be_left<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    const KNOWN: [&str; 5] =
        ["__kmpc_fork_call", "__kmpc_barrier", "__kmpc_global_thread_num", "__kmpc_for_static_fini", "omp_"];
    names.all(|name| {
        let is_static = name.starts_with("__kmpc_for_static_init_");
        is_static || KNOWN.iter().any(|known| name == *known || known.ends_with('_') && name.starts_with(known))
    })
}

/// The function that code with such regions calls instead of one of OpenMP; `None` if it calls that itself.
pub fn replacement(name: &str) -> anyhow::Result<Option<*const ()>> {
    if FUNCTIONS.get().is_none() {
        let [fork_call, barrier] = [c"__kmpc_fork_call", c"__kmpc_barrier"].map(openmp::function);
        // SAFETY: these are the functions' signatures in LLVM's OpenMP library.
        let functions = unsafe {
            Functions {
                fork_call: std::mem::transmute::<*const (), ForkCall>(fork_call?),
                barrier: std::mem::transmute::<*const (), Barrier>(barrier?),
            }
        };
        FUNCTIONS.get_or_init(|| functions);
    }
    Ok(match name {
        "__kmpc_fork_call" => Some(mdh_guard_fork_call as *const ()),
        "__kmpc_barrier" => Some(barrier as *const ()),
        _ => None,
    })
}

/// True if this thread is in a region that it can leave.
pub fn is_active() -> bool {
    BARRIERS.get().is_some()
}

/// Executes a region: `__kmpc_fork_call` for compiled code (`jit/guard.c`).
#[unsafe(no_mangle)]
extern "C" fn mdh_guard_fork(location: *mut c_void, body: Body, data: *mut c_void) {
    let Some(functions) = FUNCTIONS.get() else { return };
    let region = Region { location, body, data, reason: Mutex::new(None) };
    // SAFETY: the location is that of the caller, and the region outlives the call, which ends after all threads have.
    unsafe { (functions.fork_call)(location, 1, run, &raw const region) };
    let reason = region.reason.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(message) = reason {
        // It takes the message, so nothing in this frame is to be dropped.
        guard::fail(message);
    }
}

/// Executes the part of this thread of a region.
unsafe extern "C" fn run(thread: *mut i32, bound: *mut i32, region: *const Region) {
    // SAFETY: `mdh_guard_fork` passes a region that outlives it.
    let region = unsafe { &*region };
    let outer = BARRIERS.replace(Some(0));
    let is_outermost = !guard::is_active();
    // SAFETY: the body is that of compiled code, which gets its operands. Where it is left, the frames between this one
    // and that of `fail` are those of compiled code, and of functions without anything to drop.
    let has_ended = unsafe { mdh_guard_region(thread, bound, region.body, region.data) != 0 };
    if !has_ended {
        let mut first = region.reason.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = guard::reason();
        first.get_or_insert(reason);
        drop(first);
        // SAFETY: the thread is in this region, whose other threads wait for it.
        (BARRIERS.get().unwrap_or_default()..BARRIERS_OF_REGION)
            .for_each(|_| unsafe { barrier(region.location, *thread) });
    }
    if is_outermost {
        guard::forget_buffers(has_ended);
    }
    BARRIERS.set(outer);
}

/// `__kmpc_barrier` for compiled code.
unsafe extern "C" fn barrier(location: *mut c_void, thread: i32) {
    BARRIERS.set(BARRIERS.get().map(|passed| passed + 1));
    // SAFETY: as required of the caller, which calls it as OpenMP's.
    FUNCTIONS.get().into_iter().for_each(|functions| unsafe { (functions.barrier)(location, thread) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_one_static_loop_can_be_left() {
        let of = |more: &[&'static str]| {
            let names = ["__kmpc_fork_call", "__kmpc_global_thread_num", "__kmpc_for_static_init_8u", "__kmpc_barrier"];
            can_be_left(names.iter().chain(more).copied())
        };
        assert!(of(&[]));
        assert!(of(&["__kmpc_for_static_fini", "omp_get_thread_num"]));
        assert!(!of(&["__kmpc_reduce", "__kmpc_end_reduce"]));
        assert!(!of(&["__kmpc_dispatch_init_8u"]));
    }
}
