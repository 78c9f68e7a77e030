//! A thread block. Its threads run one after the other, each until it waits or ends. Then come barriers and warp
//! shuffles.
use crate::{
    fault::{Code, Fault},
    launch::Launch,
    memory::View,
    program::{Exchange, Program, Shuffle, UNWRITTEN, slots},
    shared::Shared,
    thread::{State, Surroundings, Thread},
};

/// The number of threads in a warp.
pub const WARP: usize = 32;

/// A block. The next block reuses it after this one has ended.
pub struct Block<'l> {
    program: &'l Program,
    launch: &'l Launch,
    threads: Vec<Thread>,
    shared: Shared,
    memory: View,
}

impl<'l> Block<'l> {
    pub fn new(program: &'l Program, launch: &'l Launch, memory: View) -> Self {
        let kernel = &program.functions[launch.function as usize];
        let count = launch.block.iter().product::<u32>() as u16;
        let threads = (0..count).map(Thread::new).collect();
        Self { program, launch, threads, shared: Shared::new(kernel, launch.dynamic_bytes), memory }
    }

    /// Runs the block with this linearized block ID.
    pub fn run(&mut self, number: u64) -> Result<(), Fault> {
        let kernel = &self.program.functions[self.launch.function as usize];
        let in_grid = split(number, self.launch.grid);
        self.shared.clear();
        for thread in &mut self.threads {
            let in_block = split(thread.number.into(), self.launch.block);
            let lane = u64::from(thread.number) % WARP as u64;
            let mut specials = [0; slots::SPECIALS.len()];
            let values = [in_block, self.launch.block.map(u64::from), in_grid, self.launch.grid.map(u64::from)];
            values.into_iter().flatten().chain([lane]).zip(&mut specials).for_each(|(value, special)| *special = value);
            thread.start((self.launch.function, kernel), &self.launch.parameters, &specials);
        }
        let outcome = self.run_threads();
        outcome.map_err(|fault| fault.at(format_args!("kernel '{}', block {in_grid:?}", kernel.name)))
    }

    fn run_threads(&mut self) -> Result<(), Fault> {
        let mut is_backwards = self.launch.is_backwards;
        loop {
            let (program, shared, memory) = (self.program, &mut self.shared, &mut self.memory);
            let mut around = Surroundings { program, shared, memory };
            let count = self.threads.len();
            for place in 0..count {
                let thread = &mut self.threads[if is_backwards { count - 1 - place } else { place }];
                let outcome = thread.run(&mut around);
                outcome.map_err(|fault| {
                    fault.at(format_args!("thread {}, line {}", thread.number, thread.line(program)))
                })?;
            }
            if self.threads.iter().all(|thread| thread.state == State::Ended) {
                return Ok(());
            }
            let mut is_exchanged = false;
            for warp in self.threads.chunks_mut(WARP) {
                while exchange(warp, program)? {
                    is_exchanged = true;
                }
            }
            if !is_exchanged {
                self.pass_barrier()?;
                is_backwards = !is_backwards;
            }
        }
    }

    /// Releases all threads from the barrier that they wait at. Fails if they do not all wait at the same barrier.
    fn pass_barrier(&mut self) -> Result<(), Fault> {
        let describe = |thread: &Thread| match thread.state {
            State::Ended => format!("thread {} has ended", thread.number),
            State::Shuffle => format!("thread {} exchanges in line {}", thread.number, thread.line(self.program)),
            _ => format!("thread {} is at the barrier of line {}", thread.number, thread.line(self.program)),
        };
        let uneven = |one: &Thread, other: &Thread| {
            let text = format!("threads wait for each other forever: {}, {}", describe(one), describe(other));
            Err(Fault::new(Code::LaunchFailed, text))
        };
        for warp in self.threads.chunks(WARP) {
            let first = &self.threads[0];
            for thread in warp {
                let is_aligned = matches!(thread.state, State::Barrier { is_aligned: true, .. });
                if !matches!(thread.state, State::Barrier { .. }) || thread.state != first.state {
                    let other = self.threads.iter().find(|other| other.state != thread.state);
                    return uneven(other.unwrap_or(first), thread);
                }
                if is_aligned && thread.place() != warp[0].place() {
                    return uneven(&warp[0], thread);
                }
            }
        }
        self.threads.iter_mut().for_each(Thread::proceed);
        self.shared.order();
        Ok(())
    }
}

/// Delinearizes a number into three indices, the first one varying fastest.
fn split(number: u64, sizes: [u32; 3]) -> [u64; 3] {
    let [x, y, _] = sizes.map(u64::from);
    [number % x, number / x % y, number / x / y]
}

/// Performs one shuffle of a warp, if all its member lanes that have not ended wait for it. Returns true if one was
/// performed.
fn exchange(warp: &mut [Thread], program: &Program) -> Result<bool, Fault> {
    let kind =
        |thread: &Thread| thread.shuffle(program).map(|shuffle| (shuffle.exchange, thread.get(shuffle.members) as u32));
    let is_member = |members: u32, lane: usize| members >> lane & 1 != 0;
    for lane in 0..warp.len() {
        let Some((exchange, members)) = kind(&warp[lane]) else { continue };
        if !is_member(members, lane) {
            let text = format!(
                "thread {}, line {}: lane {lane} exchanges with lanes {members:#x}, and is none of them",
                warp[lane].number,
                warp[lane].line(program)
            );
            return Err(Fault::new(Code::LaunchFailed, text));
        }
        let has_come = |other: usize| {
            !is_member(members, other)
                || warp[other].state == State::Ended
                || kind(&warp[other]) == Some((exchange, members))
        };
        if !(0..warp.len()).all(has_come) {
            continue;
        }
        let all: Vec<_> = (0..warp.len())
            .filter(|lane| is_member(members, *lane))
            .filter_map(|lane| warp[lane].shuffle(program).map(|shuffle| (lane, shuffle)))
            .collect();
        let value = |lane: usize, shuffle: &Shuffle| {
            let (from, is_valid) = source(&warp[lane], lane, shuffle);
            // The value of a lane that does not take part is undefined.
            let other = all.iter().find(|(other, _)| *other == from);
            let undefined = u64::from_ne_bytes([UNWRITTEN; 8]);
            (other.map_or(undefined, |(other, shuffle)| warp[*other].get(shuffle.from)), is_valid)
        };
        let values: Vec<_> = all.iter().map(|(lane, shuffle)| value(*lane, shuffle)).collect();
        for ((lane, shuffle), (value, is_valid)) in all.into_iter().zip(values) {
            warp[lane].set(shuffle.is_valid, is_valid.into());
            warp[lane].set(shuffle.to, value & 0xffff_ffff);
            warp[lane].proceed();
        }
        return Ok(true);
    }
    Ok(false)
}

/// The source lane of a shuffle, and whether it is in range. If it is not, the lane reads from itself.
fn source(thread: &Thread, lane: usize, shuffle: &Shuffle) -> (usize, bool) {
    let distance = thread.get(shuffle.lane) as usize & 31;
    let clamp = thread.get(shuffle.clamp) as usize;
    let (clamp, segment) = (clamp & 31, clamp >> 8 & 31);
    let most = lane & segment | clamp & !segment;
    let (from, is_valid) = match shuffle.exchange {
        // For `up`, the bound is the first lane.
        Exchange::Up => (lane.wrapping_sub(distance), lane as isize - distance as isize >= most as isize),
        Exchange::Down => (lane + distance, lane + distance <= most),
        Exchange::Butterfly => (lane ^ distance, lane ^ distance <= most),
        Exchange::Index => {
            let from = lane & segment | distance & !segment;
            (from, from <= most)
        }
    };
    (if is_valid { from } else { lane }, is_valid)
}
