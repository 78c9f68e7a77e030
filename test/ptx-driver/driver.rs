//! The state of the driver: loaded modules, allocations, and pending work.
//!
//! Work enqueued on a stream runs as late as CUDA allows, when the host synchronizes. A host that does not synchronize
//! sees no effect of it.
use crate::{
    decode,
    fault::{Code, Fault},
    launch::{Launch, MAX_SHARED},
    memory::Memory,
    program::Program,
};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Instant,
};

/// A handle. It is never zero and never reused.
pub type Handle = usize;

/// A loaded module, and the addresses of its global variables.
struct Module {
    program: Arc<Program>,
    variables: Vec<u64>,
}

/// A kernel, and the bytes of dynamic shared memory that the host has opted in to.
struct Kernel {
    module: Handle,
    function: u32,
    asked: u32,
}

/// Work enqueued on a stream.
enum Work {
    Launch(Arc<Program>, Launch),
    Copy { to: u64, from: u64, bytes: usize },
    Fill { to: u64, value: u32, size: u8, count: usize },
    Free(u64),
    Record(Handle),
}

/// The driver.
#[derive(Default)]
pub struct Driver {
    pub is_initialized: bool,
    /// The retain count of the primary context, and the stack of current contexts.
    pub retained: usize,
    pub current: Vec<Handle>,
    /// The contexts that programs have created, and the addresses that were allocated while each was current.
    created: BTreeMap<Handle, Vec<u64>>,
    pub memory: Memory,
    last: Handle,
    modules: BTreeMap<Handle, Module>,
    kernels: BTreeMap<Handle, Kernel>,
    streams: Vec<Handle>,
    /// The times at which events were recorded; `None` until then.
    events: BTreeMap<Handle, Option<Instant>>,
    work: VecDeque<Work>,
    launches: u64,
    /// The fault of a kernel. After it, the context is unusable.
    fault: Option<Fault>,
}

impl Driver {
    fn handle(&mut self) -> Handle {
        self.last += 1;
        self.last
    }

    /// Fails if a kernel has failed.
    pub fn check(&self) -> Result<(), Fault> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// Creates a context. All contexts share the memory, the modules and the work of the device.
    pub fn create_context(&mut self) -> Handle {
        let context = self.handle();
        self.created.insert(context, vec![]);
        context
    }

    /// Returns true if a context was created and not destroyed.
    pub fn has_context(&self, context: Handle) -> bool {
        self.created.contains_key(&context)
    }

    /// Destroys a context, and frees its memory.
    pub fn destroy_context(&mut self, context: Handle) -> Result<(), Fault> {
        let addresses = self.created.remove(&context).ok_or(Code::InvalidContext)?;
        self.current.retain(|current| *current != context);
        let outcome = self.finish();
        addresses.into_iter().try_for_each(|address| self.memory.free(address))?;
        outcome
    }

    /// Allocates memory for the current context.
    pub fn allocate(&mut self, bytes: u64, is_host_shared: bool) -> Result<u64, Fault> {
        self.check()?;
        let address = self.memory.allocate(bytes, is_host_shared)?;
        if let Some(owned) = self.current.last().and_then(|context| self.created.get_mut(context)) {
            owned.push(address);
        }
        Ok(address)
    }

    /// Waits for all work, and frees memory.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        self.finish()?;
        self.release(address)
    }

    fn release(&mut self, address: u64) -> Result<(), Fault> {
        self.memory.free(address)?;
        // The address of managed memory may be reused.
        self.created.values_mut().for_each(|owned| owned.retain(|other| *other != address));
        Ok(())
    }

    /// Enqueues freeing memory.
    pub fn free_later(&mut self, stream: Handle, address: u64) -> Result<(), Fault> {
        self.is_stream(stream)?;
        if !self.memory.has(address) {
            return Err(Code::InvalidValue.into());
        }
        self.work.push_back(Work::Free(address));
        Ok(())
    }

    /// Loads PTX text as a module.
    pub fn load(&mut self, text: &str) -> Result<Handle, Fault> {
        self.check()?;
        let (memory, mut variables) = (&mut self.memory, vec![]);
        let mut place = |bytes: &[u8]| {
            let address = memory.allocate(bytes.len().max(1) as u64, false).map_err(|fault| fault.text)?;
            memory.view().write(address, bytes).map_err(|fault| fault.text)?;
            variables.push(address);
            Ok(address)
        };
        let program = decode::decode(text, &mut place).map_err(|error| {
            Fault::new(Code::InvalidPtx, format!("ptx, line {}: error: {}", error.line, error.text))
        })?;
        let handle = self.handle();
        self.modules.insert(handle, Module { program: Arc::new(program), variables });
        Ok(handle)
    }

    pub fn unload(&mut self, module: Handle) -> Result<(), Fault> {
        self.finish()?;
        let Module { variables, .. } = self.modules.remove(&module).ok_or(Code::InvalidHandle)?;
        self.kernels.retain(|_, kernel| kernel.module != module);
        variables.into_iter().try_for_each(|address| self.memory.free(address))
    }

    pub fn kernel(&mut self, module: Handle, name: &str) -> Result<Handle, Fault> {
        let loaded = self.modules.get(&module).ok_or(Code::InvalidHandle)?;
        let place = loaded.program.functions.iter().position(|function| function.is_kernel && function.name == name);
        let function = place.ok_or(Code::NotFound)? as u32;
        let handle = self.handle();
        self.kernels.insert(handle, Kernel { module, function, asked: 0 });
        Ok(handle)
    }

    /// Sets the maximum dynamic shared memory of a kernel, in bytes.
    pub fn ask(&mut self, kernel: Handle, bytes: u32) -> Result<(), Fault> {
        let kernel = self.kernels.get_mut(&kernel).ok_or(Code::InvalidHandle)?;
        if bytes > MAX_SHARED {
            return Err(Code::InvalidValue.into());
        }
        kernel.asked = bytes;
        Ok(())
    }

    /// The offset and size in bytes of each parameter of a kernel.
    pub fn parameters(&self, kernel: Handle) -> Result<Vec<(usize, usize)>, Fault> {
        let kernel = self.kernels.get(&kernel).ok_or(Code::InvalidHandle)?;
        let module = self.modules.get(&kernel.module).ok_or(Code::InvalidHandle)?;
        let parameters = &module.program.functions[kernel.function as usize].parameters;
        Ok(parameters.iter().map(|parameter| (parameter.offset as usize, parameter.bytes as usize)).collect())
    }

    /// Enqueues a launch. Sets the function of `launch` and the order in which its threads run.
    pub fn launch(&mut self, stream: Handle, kernel: Handle, launch: Launch) -> Result<(), Fault> {
        self.is_stream(stream)?;
        let kernel = self.kernels.get(&kernel).ok_or(Code::InvalidHandle)?;
        let module = self.modules.get(&kernel.module).ok_or(Code::InvalidHandle)?;
        let launch = Launch { function: kernel.function, is_backwards: !self.launches.is_multiple_of(2), ..launch };
        self.launches += 1;
        launch.check(&module.program.functions[kernel.function as usize], kernel.asked)?;
        self.work.push_back(Work::Launch(module.program.clone(), launch));
        Ok(())
    }

    pub fn is_stream(&self, stream: Handle) -> Result<(), Fault> {
        self.check()?;
        if stream == 0 || self.streams.contains(&stream) { Ok(()) } else { Err(Code::InvalidHandle.into()) }
    }

    pub fn stream(&mut self) -> Handle {
        let stream = self.handle();
        self.streams.push(stream);
        stream
    }

    pub fn end_stream(&mut self, stream: Handle) -> Result<(), Fault> {
        self.is_stream(stream)?;
        self.finish()?;
        self.streams.retain(|other| *other != stream);
        Ok(())
    }

    /// Waits for all work of a stream.
    pub fn synchronize(&mut self, stream: Handle) -> Result<(), Fault> {
        self.is_stream(stream)?;
        self.finish()
    }

    /// Runs all pending work.
    pub fn finish(&mut self) -> Result<(), Fault> {
        self.check()?;
        while let Some(work) = self.work.pop_front() {
            let outcome = match work {
                Work::Launch(program, launch) => launch.run(&program, &self.memory),
                Work::Copy { to, from, bytes } => {
                    let mut data = vec![0; bytes];
                    let mut view = self.memory.view();
                    view.read(from, &mut data).and_then(|()| view.write(to, &data))
                }
                Work::Fill { to, value, size, count } => {
                    let element = &value.to_le_bytes()[..usize::from(size)];
                    self.memory.view().write(to, &element.repeat(count))
                }
                Work::Free(address) => self.release(address),
                Work::Record(event) => {
                    self.events.insert(event, Some(Instant::now()));
                    Ok(())
                }
            };
            if let Err(fault) = outcome {
                self.work.clear();
                self.fault = Some(fault.clone());
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Enqueues a copy within the device.
    pub fn copy(&mut self, stream: Handle, to: u64, from: u64, bytes: usize) -> Result<(), Fault> {
        self.is_stream(stream)?;
        self.work.push_back(Work::Copy { to, from, bytes });
        Ok(())
    }

    /// Enqueues filling memory with a value of 1, 2 or 4 bytes.
    pub fn fill(&mut self, stream: Handle, to: u64, value: u32, size: u8, count: usize) -> Result<(), Fault> {
        self.is_stream(stream)?;
        if !to.is_multiple_of(size.into()) {
            return Err(Code::InvalidValue.into());
        }
        self.work.push_back(Work::Fill { to, value, size, count });
        Ok(())
    }

    pub fn event(&mut self) -> Handle {
        let event = self.handle();
        self.events.insert(event, None);
        event
    }

    pub fn end_event(&mut self, event: Handle) -> Result<(), Fault> {
        self.events.remove(&event).map(drop).ok_or_else(|| Code::InvalidHandle.into())
    }

    pub fn record(&mut self, stream: Handle, event: Handle) -> Result<(), Fault> {
        self.is_stream(stream)?;
        *self.events.get_mut(&event).ok_or(Code::InvalidHandle)? = None;
        self.work.push_back(Work::Record(event));
        Ok(())
    }

    /// Waits for an event.
    pub fn wait(&mut self, event: Handle) -> Result<(), Fault> {
        self.events.get(&event).ok_or(Code::InvalidHandle)?;
        self.finish()
    }

    /// The milliseconds between two events.
    pub fn elapsed(&self, start: Handle, end: Handle) -> Result<f32, Fault> {
        let time = |event: Handle| self.events.get(&event).ok_or(Code::InvalidHandle)?.ok_or(Code::NotReady);
        Ok(time(end)?.saturating_duration_since(time(start)?).as_secs_f32() * 1e3)
    }
}
