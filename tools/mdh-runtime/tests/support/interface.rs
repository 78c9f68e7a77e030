//! Calls the entry points by their addresses, as compiled code does.
use mdh_runtime::{Api, entry_points};
use std::ffi::{CString, c_char, c_void};

type Pointer = *mut c_void;

/// The entry points of an API.
pub struct Interface(Api);

impl Interface {
    pub fn new(api: Api) -> Self {
        Self(api)
    }

    /// The address of an entry point, by its name without prefix.
    pub fn address(&self, name: &str) -> *const () {
        let prefix = if self.0 == Api::Cuda { "mdhCuda" } else { "mdhOpencl" };
        let symbol = format!("{prefix}{name}");
        entry_points(self.0).into_iter().find(|(name, _)| *name == symbol).expect("an entry point").1
    }

    pub fn load(&self, image: &[u8]) -> Pointer {
        // SAFETY: this is the signature of the entry point.
        unsafe {
            let load: extern "C" fn(*const u8, usize) -> Pointer = std::mem::transmute(self.address("ModuleLoad"));
            load(image.as_ptr(), image.len())
        }
    }

    pub fn load_text(&self, text: &str) -> Pointer {
        let text = CString::new(text).expect("no zero byte");
        // SAFETY: as above.
        unsafe {
            let load: extern "C" fn(*const c_char, i32) -> Pointer = std::mem::transmute(self.address("ModuleLoadJIT"));
            load(text.as_ptr(), 3)
        }
    }

    pub fn unload(&self, module: Pointer) {
        // SAFETY: as above.
        let unload: extern "C" fn(Pointer) = unsafe { std::mem::transmute(self.address("ModuleUnload")) };
        unload(module);
    }

    pub fn function(&self, module: Pointer, name: &str) -> Pointer {
        let name = CString::new(name).expect("no zero byte");
        // SAFETY: as above.
        unsafe {
            let function: extern "C" fn(Pointer, *const c_char) -> Pointer =
                std::mem::transmute(self.address("ModuleGetFunction"));
            function(module, name.as_ptr())
        }
    }

    pub fn launch(&self, function: Pointer, grid: u64, block: u64, parameters: &mut [Pointer]) {
        self.launch_sharing(function, grid, block, 0, parameters);
    }

    pub fn launch_sharing(
        &self,
        function: Pointer,
        grid: u64,
        block: u64,
        shared_bytes: i32,
        parameters: &mut [Pointer],
    ) {
        type Launch =
            extern "C" fn(Pointer, u64, u64, u64, u64, u64, u64, i32, Pointer, *mut Pointer, *mut Pointer, usize);
        // SAFETY: as above.
        let launch: Launch = unsafe { std::mem::transmute(self.address("LaunchKernel")) };
        let (null, none) = (std::ptr::null_mut(), std::ptr::null_mut());
        launch(function, grid, 1, 1, block, 1, 1, shared_bytes, null, parameters.as_mut_ptr(), none, parameters.len());
    }

    pub fn allocate(&self, bytes: u64) -> Pointer {
        // SAFETY: as above.
        let allocate: extern "C" fn(u64, Pointer, u8) -> Pointer =
            unsafe { std::mem::transmute(self.address("MemAlloc")) };
        allocate(bytes, self.stream(), 0)
    }

    pub fn free(&self, memory: Pointer) {
        // SAFETY: as above.
        let free: extern "C" fn(Pointer, Pointer) = unsafe { std::mem::transmute(self.address("MemFree")) };
        free(memory, std::ptr::null_mut());
    }

    fn copy(&self, to: Pointer, from: Pointer, bytes: usize) {
        // SAFETY: as above.
        let copy: extern "C" fn(Pointer, Pointer, usize, Pointer) =
            unsafe { std::mem::transmute(self.address("Memcpy")) };
        copy(to, from, bytes, self.stream());
    }

    pub fn send(&self, to: Pointer, values: &[f32]) {
        self.copy(to, values.as_ptr().cast_mut().cast(), size_of_val(values));
    }

    pub fn receive(&self, from: Pointer, count: usize) -> Vec<f32> {
        let mut values = vec![0.0f32; count];
        self.copy(values.as_mut_ptr().cast(), from, size_of_val(values.as_slice()));
        values
    }

    pub fn fill(&self, to: Pointer, value: f32, count: usize) {
        // SAFETY: as above.
        let fill: extern "C" fn(Pointer, u32, usize, Pointer) =
            unsafe { std::mem::transmute(self.address("Memset32")) };
        fill(to, value.to_bits(), count, self.stream());
    }

    pub fn fill_halves(&self, to: Pointer, value: u16, count: usize) {
        // SAFETY: as above.
        let fill: extern "C" fn(Pointer, u16, usize, Pointer) =
            unsafe { std::mem::transmute(self.address("Memset16")) };
        fill(to, value, count, self.stream());
    }

    fn stream(&self) -> Pointer {
        // SAFETY: as above.
        let create: extern "C" fn() -> Pointer = unsafe { std::mem::transmute(self.address("StreamCreate")) };
        create()
    }

    pub fn synchronize(&self) {
        // SAFETY: as above.
        let synchronize: extern "C" fn(Pointer) = unsafe { std::mem::transmute(self.address("StreamSynchronize")) };
        synchronize(self.stream());
    }
}

/// The address of a value, as compiled code passes arguments.
pub fn address<T>(value: &mut T) -> Pointer {
    std::ptr::from_mut(value).cast()
}
