//! The parts that both APIs share: error handling for entry points that return no status, handles, allocated memory,
//! and kernel times.
use crate::{
    activity::{self, ActivityGuard},
    call::{self, Call, Problem},
    device::{self, Device, Error},
    driver::{Driver, Launch},
    library,
    time_limit::Limited,
};
use std::{
    collections::BTreeMap,
    ffi::CStr,
    io::Write,
    process,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Maximum number of recorded times, for programs that never read them.
const MAX_TIMES: usize = 1 << 16;
/// Maximum number of pending timing events: they are a limited resource of the driver.
const MAX_PENDING: usize = 512;

/// The run-time library of an API.
///
/// There is one in-order queue, so streams and events need no distinction: later work always waits for earlier work.
/// The handles of modules and functions are numbers, so that an invalid one is an error and not undefined behavior.
pub struct Runtime<D: Driver>(Mutex<State<D>>);

/// The interface for host programs that run kernels, independent of the API.
pub trait Control {
    /// All devices.
    fn devices(&self) -> Result<Vec<Device>, Error>;
    /// Selects the device for all following calls.
    fn select(&self, device: Device);
    /// The device in use, or the one that would be used.
    fn selected(&self) -> Result<Device, Error>;
    /// Collects errors from now on instead of ending the process.
    fn collect_errors(&self);
    /// The first collected error.
    fn take_error(&self) -> Option<String>;
    /// The times of completed launches, in seconds.
    fn take_kernel_seconds(&self) -> Vec<f64>;
    /// Ends the call with device memory that this thread has left.
    fn abandon_call(&self);
    /// Frees all device memory.
    fn release_all(&self);
}

struct State<D: Driver> {
    driver: Option<D>,
    /// The activity text for anything that the driver does besides compiling.
    running: Option<&'static String>,
    selected: Option<Device>,
    error: Option<String>,
    collects: bool,
    modules: BTreeMap<usize, Loaded<D>>,
    functions: BTreeMap<usize, D::Function>,
    last_handle: usize,
    /// Memory of the device by address.
    allocations: BTreeMap<usize, Allocation>,
    /// Addresses of copies of constants, by the module of the program, the address on the host, and the size in bytes.
    constants: BTreeMap<(usize, usize, usize), usize>,
    pending: Vec<D::Timing>,
    seconds: Vec<f64>,
}

/// Memory of the device.
struct Allocation {
    bytes: u64,
    owner: Owner,
}

/// Whose memory it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// A program with arrays in the memory of the host.
    Program,
    /// A call with device memory, at whose end it is freed.
    Call,
    /// The program with this module of kernels, with which its constants are freed.
    Module(usize),
}

struct Loaded<D: Driver> {
    module: D::Module,
    /// Handles by name, because compiled code looks its kernels up before each launch.
    functions: BTreeMap<String, usize>,
}

impl<D: Driver> Runtime<D> {
    /// Opens nothing until it is needed.
    pub const fn new() -> Self {
        Self(Mutex::new(State {
            driver: None,
            running: None,
            selected: None,
            error: None,
            collects: false,
            modules: BTreeMap::new(),
            functions: BTreeMap::new(),
            last_handle: 0,
            allocations: BTreeMap::new(),
            constants: BTreeMap::new(),
            pending: vec![],
            seconds: vec![],
        }))
    }

    fn state(&self) -> MutexGuard<'_, State<D>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an action of an entry point, which cannot return an error: the error is kept for the end of the call with
    /// device memory, or collected, or printed before the process exits.
    fn attempt<T: Default>(&self, action: impl FnOnce(&mut State<D>) -> Result<T, String>) -> T {
        // Destructors of a program unload its modules after the driver has shut down.
        if library::is_process_ending() {
            return T::default();
        }
        let mut state = self.state();
        let stream = call::stream();
        if call::has_failed() || stream.is_none() && state.error.is_some() {
            return T::default();
        }
        if let Some(driver) = &mut state.driver {
            driver.use_stream(stream);
        }
        let doing = state.running.map(ActivityGuard::begin);
        let limited = state.running.map(|text| Limited::begin(text)).transpose();
        let outcome = limited.and_then(|limited| {
            let outcome = action(&mut state);
            drop(limited);
            outcome
        });
        drop(doing);
        match outcome {
            Ok(value) => value,
            Err(error) if stream.is_some() => {
                call::fail(Problem::Failed(error));
                T::default()
            }
            Err(error) if state.collects => {
                state.error = Some(error);
                T::default()
            }
            Err(error) => {
                // Exiting runs destructors, which may call this function.
                drop(state);
                let _ = writeln!(std::io::stderr(), "error: {error}");
                process::exit(1)
            }
        }
    }

    /// A stream is represented by a nonzero number.
    pub fn stream(&self) -> usize {
        self.attempt(|state| state.open().map(|_| 1))
    }

    /// Waits for all work, except in a call with device memory, whose caller waits for its own stream.
    pub fn synchronize(&self) {
        self.attempt(|state| match &state.driver {
            Some(driver) if call::stream().is_none() => driver.synchronize(),
            _ => Ok(()),
        })
    }

    /// Begins a call with device memory on this thread: until it ends, work goes to the caller's stream, and an error is
    /// kept.
    pub fn begin_call(&self, stream: usize) {
        call::begin(stream);
        self.attempt(|state| state.open().map(|_| ()));
    }

    /// Ends the call on this thread, frees what it has not freed because of an error, and returns this error.
    pub fn end_call(&self) -> Option<Problem> {
        let Call { stream, error, allocations } = call::end();
        if error.is_some() {
            let mut state = self.state();
            let State { driver, allocations: all, .. } = &mut *state;
            if let Some(driver) = driver {
                driver.use_stream(Some(stream));
                for address in allocations.into_iter().filter(|address| all.remove(address).is_some()) {
                    // The first error is reported, not one that follows from it.
                    let _ = driver.free(address);
                }
            }
        }
        error
    }

    /// Writes the bytes of a number to new memory, in the order of a stream, without a copy that waits for it.
    pub fn number_on_device(&self, bytes: &[u8], stream: usize) -> Result<usize, String> {
        self.begin_call(stream);
        let words = bytes.chunks(size_of::<u32>());
        let address = self.allocate((words.len() * size_of::<u32>()) as u64, false);
        for (number, word) in words.enumerate() {
            let mut pattern = [0; size_of::<u32>()];
            pattern[..word.len()].copy_from_slice(word);
            self.fill(address + number * pattern.len(), &pattern, 1);
        }
        self.end_call().map_or(Ok(address), |problem| Err(problem.text().to_owned()))
    }

    /// Frees the memory of a number, in the order of its stream.
    pub fn free_number(&self, address: usize, stream: usize) {
        self.begin_call(stream);
        self.free(address);
        // What the number was for has been submitted, and reports its own errors.
        self.end_call();
    }

    /// Describes what is wrong with an address that must be of memory of the device in use; `None` if nothing is.
    pub fn problem_of_memory(&self, address: usize) -> Option<String> {
        let mut state = self.state();
        match state.open() {
            Ok(driver) => driver.problem_of_memory(address),
            Err(error) => Some(format!("requires memory of a device, but {error}")),
        }
    }

    pub fn load(&self, image: Option<&[u8]>, level: Option<u32>) -> usize {
        self.attempt(|state| {
            let image = image.ok_or("a module of kernels requires an address and a size that is not zero")?;
            let driver = state.open()?;
            let doing =
                ActivityGuard::begin(activity::text(&driver.device().name, "compiled the kernels of the program"));
            let module = driver.load(image, level)?;
            drop(doing);
            let handle = state.new_handle();
            state.modules.insert(handle, Loaded { module, functions: BTreeMap::new() });
            Ok(handle)
        })
    }

    pub fn load_text(&self, text: Option<&CStr>, level: u32) -> usize {
        match text.map(CStr::to_bytes).filter(|text| !text.is_empty()) {
            Some(_) if !D::TAKES_TEXT => self.attempt(|_| {
                let title = D::API.title();
                Err(format!(
                    "{title} requires a module with its size, which ModuleLoad takes and ModuleLoadJIT does not"
                ))
            }),
            text => self.load(text, Some(level)),
        }
    }

    /// Unloading a module twice is not an error: the destructors of a program do not know that it has been unloaded.
    pub fn unload(&self, module: usize) {
        self.attempt(|state| {
            if let (Some(driver), Some(loaded)) = (&state.driver, state.modules.remove(&module)) {
                for function in loaded.functions.values() {
                    state.functions.remove(function);
                }
                driver.synchronize()?;
                driver.unload(loaded.module);
                return state.free_of(|owner| owner == Owner::Module(module));
            }
            Ok(())
        })
    }

    pub fn function(&self, module: usize, name: Option<&CStr>) -> usize {
        self.attempt(|state| {
            let name = name.ok_or("a kernel requires a name, got a null pointer")?;
            let name = name.to_str().map_err(|_| "the name of a kernel requires UTF-8, got other bytes")?;
            let handle = state.new_handle();
            let (Some(driver), Some(loaded)) = (&state.driver, state.modules.get_mut(&module)) else {
                return Err(format!("the kernel '{name}' requires a loaded module, got the handle {module}"));
            };
            if let Some(function) = loaded.functions.get(name) {
                return Ok(*function);
            }
            let function = driver.function(&mut loaded.module, name)?;
            loaded.functions.insert(name.to_owned(), handle);
            state.functions.insert(handle, function);
            Ok(handle)
        })
    }

    pub fn launch(
        &self,
        function: usize,
        grid: [u64; 3],
        block: [u64; 3],
        shared_bytes: i32,
        parameters: Option<&[usize]>,
    ) {
        self.attempt(|state| {
            let (Some(driver), Some(kernel)) = (&state.driver, state.functions.get(&function)) else {
                return Err(format!("a launch requires a kernel of a loaded module, got the handle {function}"));
            };
            let parameters =
                parameters.ok_or("a launch requires the addresses of its arguments, got a null pointer")?;
            let shared_bytes = u32::try_from(shared_bytes)
                .map_err(|_| format!("a launch requires no negative number of shared bytes, got {shared_bytes}"))?;
            check_limits(driver.device(), grid, block, shared_bytes)?;
            // Neither API accepts an empty grid.
            if grid.contains(&0) {
                return Ok(());
            }
            // The events of a measurement must not appear on the stream of a caller, who may record it as a graph.
            let is_measured = call::stream().is_none() && state.seconds.len() + state.pending.len() < MAX_TIMES;
            let launch = Launch { grid, block, shared_bytes, parameters, is_measured };
            let timing = driver.launch(kernel, &launch)?;
            state.pending.extend(timing);
            if state.pending.len() >= MAX_PENDING { state.measure(MAX_PENDING / 2) } else { Ok(()) }
        })
    }

    pub fn allocate(&self, bytes: u64, is_host_shared: bool) -> usize {
        self.attempt(|state| {
            let owner = if call::stream().is_some() { Owner::Call } else { Owner::Program };
            let address = state.allocate(bytes, is_host_shared, owner)?;
            call::allocated(address);
            Ok(address)
        })
    }

    /// The address of a copy of a constant of the program with this module of kernels. It is made in the first call and
    /// stays until the module is unloaded; if the module is 0, until all memory is freed.
    pub fn constant(&self, module: usize, from: usize, bytes: usize) -> usize {
        self.attempt(|state| {
            let key = (module, from, bytes);
            if let Some(address) = state.constants.get(&key) {
                return Ok(*address);
            }
            if module != 0 && !state.modules.contains_key(&module) {
                return Err(format!("a constant requires a loaded module, got the handle {module}"));
            }
            if from == 0 && bytes > 0 {
                return Err(format!("a constant of {bytes} bytes requires an address, got a null pointer"));
            }
            let address = state.allocate(bytes as u64, false, Owner::Module(module))?;
            let driver = state.open()?;
            // It is on the device when the copy returns, so that calls on any stream can use it.
            let copied = if bytes > 0 { driver.copy(address, from, bytes, true) } else { Ok(()) };
            if let Err(error) = copied {
                let _ = driver.free(address);
                state.allocations.remove(&address);
                return Err(error);
            }
            state.constants.insert(key, address);
            Ok(address)
        })
    }

    pub fn free(&self, address: usize) {
        self.attempt(|state| match (&state.driver, state.allocations.remove(&address)) {
            (Some(driver), Some(_)) => driver.free(address),
            _ if address == 0 => Ok(()),
            _ => Err(format!("memory to be freed requires an address of allocated memory, got {address:#x}")),
        })
    }

    pub fn copy(&self, to: usize, from: usize, bytes: usize) {
        self.attempt(|state| {
            if bytes == 0 {
                return Ok(());
            }
            if to == 0 || from == 0 {
                return Err(format!("a copy of {bytes} bytes requires two addresses, got a null pointer"));
            }
            let own = [to, from].map(|address| state.is_on_device(address));
            let driver = state.open()?;
            // Only callers that pass device memory have some that was not allocated here.
            let is_of_caller = |address| call::stream().is_some() && driver.problem_of_memory(address).is_none();
            let involves_host = !(own[0] || is_of_caller(to)) || !(own[1] || is_of_caller(from));
            driver.copy(to, from, bytes, involves_host)
        })
    }

    pub fn fill(&self, to: usize, pattern: &[u8], count: usize) {
        self.attempt(|state| {
            if count == 0 {
                return Ok(());
            }
            if to == 0 {
                let bytes = count.saturating_mul(pattern.len());
                return Err(format!("filling {bytes} bytes requires an address, got a null pointer"));
            }
            state.open()?.fill(to, pattern, count)
        })
    }
}

impl<D: Driver> Control for Runtime<D> {
    fn devices(&self) -> Result<Vec<Device>, Error> {
        D::devices()
    }

    fn select(&self, device: Device) {
        let mut state = self.state();
        if state.driver.as_ref().is_some_and(|driver| driver.device().index != device.index) {
            state.close();
        }
        state.selected = Some(device);
    }

    fn selected(&self) -> Result<Device, Error> {
        self.state().selected()
    }

    fn collect_errors(&self) {
        self.state().collects = true;
    }

    fn take_error(&self) -> Option<String> {
        self.state().error.take()
    }

    fn take_kernel_seconds(&self) -> Vec<f64> {
        self.attempt(|state| {
            state.measure(0)?;
            Ok(std::mem::take(&mut state.seconds))
        })
    }

    fn abandon_call(&self) {
        call::fail(Problem::Failed("the call was left".to_owned()));
        self.end_call();
    }

    fn release_all(&self) {
        let mut state = self.state();
        // An error that has not been taken must not prevent freeing.
        let freed = state.free_of(|owner| owner == Owner::Program);
        if let Err(error) = freed {
            state.error.get_or_insert(error);
        }
    }
}

impl<D: Driver> State<D> {
    fn selected(&self) -> Result<Device, Error> {
        match (&self.driver, &self.selected) {
            (Some(driver), _) => Ok(driver.device().clone()),
            (None, Some(device)) => Ok(device.clone()),
            (None, None) => device::default(D::devices()?),
        }
    }

    fn open(&mut self) -> Result<&D, String> {
        let driver = match self.driver.take() {
            Some(driver) => driver,
            None => {
                let device = self.selected().map_err(|error| error.to_string())?;
                let driver = D::open(&device)?;
                library::watch_exit();
                self.running = Some(activity::text(&device.name, "ran kernels"));
                driver
            }
        };
        Ok(self.driver.insert(driver))
    }

    /// Releases the device.
    fn close(&mut self) {
        // The device is being given up, so times and memory that can no longer be read or freed do not matter.
        let _ = self.measure(0);
        self.functions.clear();
        if let Some(driver) = &self.driver {
            for loaded in std::mem::take(&mut self.modules).into_values() {
                driver.unload(loaded.module);
            }
        }
        // Unloading has waited for the kernels, which may read constants.
        let _ = self.free_of(|_| true);
        self.driver = None;
    }

    fn new_handle(&mut self) -> usize {
        self.last_handle += 1;
        self.last_handle
    }

    fn allocate(&mut self, bytes: u64, is_host_shared: bool, owner: Owner) -> Result<usize, String> {
        let in_use: u64 = self.allocations.values().map(|allocation| allocation.bytes).sum();
        let driver = self.open()?;
        let device = driver.device();
        let (name, most, memory) = (&device.name, device.most_allocation_bytes, device.memory_bytes);
        if bytes > most {
            return Err(format!(
                "a buffer of {bytes} bytes is too large for '{name}', which allocates at most {most} bytes at once"
            ));
        }
        if bytes.saturating_add(in_use) > memory {
            return Err(format!(
                "a buffer of {bytes} bytes is too large for '{name}', which has {memory} bytes of memory and {in_use} bytes of it in use"
            ));
        }
        // An empty buffer has an address, too.
        let address = driver.allocate(bytes.max(1), is_host_shared)?;
        self.allocations.insert(address, Allocation { bytes, owner });
        Ok(address)
    }

    fn is_on_device(&self, address: usize) -> bool {
        let before = self.allocations.range(..=address).next_back();
        before.is_some_and(|(start, allocation)| ((address - start) as u64) < allocation.bytes)
    }

    /// Reads the times of the oldest launches, except for the latest `staying` ones.
    fn measure(&mut self, staying: usize) -> Result<(), String> {
        let Some(driver) = &self.driver else { return Ok(()) };
        let count = self.pending.len().saturating_sub(staying);
        for timing in self.pending.drain(..count) {
            self.seconds.push(driver.seconds(timing)?);
        }
        Ok(())
    }

    /// Frees the memory of some owners.
    fn free_of(&mut self, is_freed: impl Fn(Owner) -> bool) -> Result<(), String> {
        let freed = self.allocations.iter().filter(|(_, allocation)| is_freed(allocation.owner));
        let freed: Vec<_> = freed.map(|(address, _)| *address).collect();
        self.allocations.retain(|_, allocation| !is_freed(allocation.owner));
        self.constants.retain(|_, address| self.allocations.contains_key(address));
        let Some(driver) = &mut self.driver else { return Ok(()) };
        // The stream of the last call may not exist any more.
        driver.use_stream(None);
        freed.into_iter().map(|address| driver.free(address)).fold(Ok(()), Result::and)
    }
}

/// Checks launches against the limits of the device, because drivers only report that a launch is invalid.
fn check_limits(device: &Device, grid: [u64; 3], block: [u64; 3], shared_bytes: u32) -> Result<(), String> {
    let name = &device.name;
    let text = |sizes: [u64; 3]| sizes.map(|size| size.to_string()).join("x");
    let threads = block.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
    let exceeds = |sizes: [u64; 3], most: [u64; 3]| sizes.iter().zip(most).any(|(size, most)| *size > most);
    if block.contains(&0) || exceeds(block, device.most_block) || threads.is_none_or(|all| all > device.most_threads) {
        let (got, most, threads) = (text(block), text(device.most_block), device.most_threads);
        return Err(format!(
            "'{name}' requires blocks of at most {most} threads, not 0, and at most {threads} in all, got {got}"
        ));
    }
    if exceeds(grid, device.most_grid) {
        let (got, most) = (text(grid), text(device.most_grid));
        return Err(format!("'{name}' requires grids of at most {most} blocks, got {got}"));
    }
    if u64::from(shared_bytes) > device.shared_bytes {
        let most = device.shared_bytes;
        // Compiled code also requests this size if it needs more than the type can represent.
        let or_more = if shared_bytes == i32::MAX as u32 { " or more" } else { "" };
        return Err(format!(
            "'{name}' has {most} bytes of shared memory for a block, a launch requires {shared_bytes}{or_more}"
        ));
    }
    Ok(())
}
