//! Machine code of a function, and its form as bytes, in the cache and between modules of a process.
use crate::signature::Signature;
use anyhow::{Result, ensure};
use mdh_runtime::Api;

/// Machine code of a function, for [`super::Compiled`] to link. It may come from another process through the cache.
///
/// It cannot be constructed without a promise, because it is executed:
///
/// ```compile_fail,E0451
/// use mdh_execution::{jit::Code, signature::Signature};
/// let signature = Signature { name: String::new(), arguments: vec![], results: vec![] };
/// let code = Code { signature, object: vec![], parallel: false, api: None, in_device_memory: false };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    pub(crate) signature: Signature,
    pub(crate) object: Vec<u8>,
    pub(crate) parallel: bool,
    pub(crate) api: Option<Api>,
    pub(crate) in_device_memory: bool,
}

impl Code {
    /// The code of an object file. `parallel`: whether it calls OpenMP's run-time library. `api`: what runs its kernels;
    /// `None` without a device. `in_device_memory`: whether its arrays are in the memory of the device.
    ///
    /// # Safety
    /// The object file defines [`super::ENTRY`], a function of the C interface with this signature; with arrays in device
    /// memory, one that takes a stream.
    pub unsafe fn new(
        signature: Signature,
        object: Vec<u8>,
        parallel: bool,
        api: Option<Api>,
        in_device_memory: bool,
    ) -> Self {
        Self { signature, object, parallel, api, in_device_memory }
    }

    /// The signature of the function.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The code as bytes: flags, the length of the signature, the signature as JSON, and the object file.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let number = |api| Api::ALL.iter().position(|other| *other == api).map_or(0, |number| 1 + number as u64);
        let flags = u64::from(self.parallel) + 2 * u64::from(self.in_device_memory) + 4 * self.api.map_or(0, number);
        let signature = serde_json::to_vec(&self.signature)?;
        let mut bytes = flags.to_le_bytes().to_vec();
        bytes.extend((signature.len() as u64).to_le_bytes());
        bytes.extend(signature);
        bytes.extend(&self.object);
        Ok(bytes)
    }

    /// The code that was encoded.
    ///
    /// # Safety
    /// [`Code::encode`] has returned the bytes, in this version of the compiler.
    pub unsafe fn decode(bytes: &[u8]) -> Result<Self> {
        /// Flags and a length.
        const HEADER: usize = 16;
        ensure!(bytes.len() >= HEADER, "code requires {HEADER} bytes at least, but has {}", bytes.len());
        let number = |at: usize| bytes[at..at + 8].try_into().map(u64::from_le_bytes).unwrap_or_default();
        let (flags, length, rest) = (number(0), number(8), &bytes[HEADER..]);
        let (signature, object) = usize::try_from(length)
            .ok()
            .and_then(|length| rest.split_at_checked(length))
            .ok_or_else(|| anyhow::anyhow!("the signature requires {length} bytes, but there are {}", rest.len()))?;
        let api = (flags / 4).checked_sub(1).and_then(|number| Api::ALL.get(number as usize).copied());
        let signature = serde_json::from_slice(signature)?;
        let [parallel, in_device_memory] = [flags & 1 != 0, flags & 2 != 0];
        Ok(Self { signature, object: object.to_vec(), parallel, api, in_device_memory })
    }
}
