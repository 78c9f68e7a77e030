//! Errors, with the error codes of CUDA.
use std::fmt;

/// A CUDA error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    InvalidValue = 1,
    OutOfMemory = 2,
    InvalidDevice = 101,
    InvalidContext = 201,
    InvalidPtx = 218,
    InvalidHandle = 400,
    NotFound = 500,
    NotReady = 600,
    IllegalAddress = 700,
    LaunchOutOfResources = 701,
    IllegalInstruction = 715,
    MisalignedAddress = 716,
    LaunchFailed = 719,
}

impl Code {
    /// All codes.
    pub const ALL: [Self; 13] = [
        Self::InvalidValue,
        Self::OutOfMemory,
        Self::InvalidDevice,
        Self::InvalidContext,
        Self::InvalidPtx,
        Self::InvalidHandle,
        Self::NotFound,
        Self::NotReady,
        Self::IllegalAddress,
        Self::LaunchOutOfResources,
        Self::IllegalInstruction,
        Self::MisalignedAddress,
        Self::LaunchFailed,
    ];

    /// The name in CUDA's header.
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidValue => "CUDA_ERROR_INVALID_VALUE",
            Self::OutOfMemory => "CUDA_ERROR_OUT_OF_MEMORY",
            Self::InvalidDevice => "CUDA_ERROR_INVALID_DEVICE",
            Self::InvalidContext => "CUDA_ERROR_INVALID_CONTEXT",
            Self::InvalidPtx => "CUDA_ERROR_INVALID_PTX",
            Self::InvalidHandle => "CUDA_ERROR_INVALID_HANDLE",
            Self::NotFound => "CUDA_ERROR_NOT_FOUND",
            Self::NotReady => "CUDA_ERROR_NOT_READY",
            Self::IllegalAddress => "CUDA_ERROR_ILLEGAL_ADDRESS",
            Self::LaunchOutOfResources => "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
            Self::IllegalInstruction => "CUDA_ERROR_ILLEGAL_INSTRUCTION",
            Self::MisalignedAddress => "CUDA_ERROR_MISALIGNED_ADDRESS",
            Self::LaunchFailed => "CUDA_ERROR_LAUNCH_FAILED",
        }
    }

    /// The generic message of the code.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::InvalidValue => "invalid argument",
            Self::OutOfMemory => "out of memory",
            Self::InvalidDevice => "invalid device ordinal",
            Self::InvalidContext => "invalid device context",
            Self::InvalidPtx => "a PTX JIT compilation failed",
            Self::InvalidHandle => "invalid resource handle",
            Self::NotFound => "named symbol not found",
            Self::NotReady => "device not ready",
            Self::IllegalAddress => "an illegal memory access was encountered",
            Self::LaunchOutOfResources => "too many resources requested for launch",
            Self::IllegalInstruction => "an illegal instruction was encountered",
            Self::MisalignedAddress => "misaligned address",
            Self::LaunchFailed => "unspecified launch failure",
        }
    }
}

/// An error code, with a message that is more specific than CUDA's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    pub text: String,
}

impl Fault {
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// Prefixes the message with a location.
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self { text: format!("{place}: {}", self.text), ..self }
    }
}

impl From<Code> for Fault {
    fn from(code: Code) -> Self {
        Self::new(code, code.meaning())
    }
}
