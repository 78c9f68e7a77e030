//! Integer divisions that trap in compiled code, in a process that must go on: the division is skipped, its results are
//! zero, and the call that the thread executes or takes part in is an error. Processors other than x86-64 do not trap.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
use anyhow::Result;

/// Makes divisions of compiled code that trap be skipped from now on. Other signals go to the former handler. If another
/// handler has been installed meanwhile, it becomes the former one.
pub fn recover_divisions() -> Result<()> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    x86::install()?;
    Ok(())
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod x86 {
    use crate::jit::guard;
    use crate::signal::{FPE_INTDIV, FPE_INTOVF, install as install_handler, pass_on};
    use anyhow::Result;
    use std::{
        mem::MaybeUninit,
        ptr::null,
        sync::{
            Mutex, PoisonError,
            atomic::{AtomicPtr, Ordering},
        },
    };

    /// The handler that was there before; it is never freed, because a handler may be reading it.
    static FORMER: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());

    pub fn install() -> Result<()> {
        static LOCK: Mutex<()> = Mutex::new(());
        let _one = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let mut current = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: a null action only asks for the current one, whose fields may all be zero.
        let current = unsafe {
            libc::sigaction(libc::SIGFPE, null(), current.as_mut_ptr());
            current.assume_init()
        };
        if current.sa_sigaction != skip as *const () as libc::sighandler_t {
            FORMER.store(Box::into_raw(Box::new(current)), Ordering::Release);
            install_handler(libc::SIGFPE, skip)?;
        }
        Ok(())
    }

    /// Async-signal-safe: does not allocate, and the signal comes from the instruction that it interrupts.
    extern "C" fn skip(signal: libc::c_int, information: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the system passes the signal's information and the state of the thread, which goes on with it.
        unsafe {
            let is_division = matches!((*information).si_code, FPE_INTDIV | FPE_INTOVF);
            let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            let at = registers[libc::REG_RIP as usize] as *const u8;
            if is_division
                && !is_of_library(at)
                && let Some((length, bits)) = division(|offset| at.add(offset).read())
                && guard::count_division()
            {
                // What the instruction writes. Those of 32 bits clear the upper half of the registers, too.
                let (quotient, remainder) = match bits {
                    // Both results of 8 bits are in one register.
                    8 => (0xffff, 0),
                    16 => (0xffff, 0xffff),
                    _ => (-1, -1),
                };
                registers[libc::REG_RAX as usize] &= !quotient;
                registers[libc::REG_RDX as usize] &= !remainder;
                registers[libc::REG_RIP as usize] += length as i64;
                return;
            }
            let former = FORMER.load(Ordering::Acquire).as_ref();
            match former.map(|former| (former.sa_sigaction, former.sa_flags & libc::SA_SIGINFO != 0)) {
                None | Some((libc::SIG_DFL | libc::SIG_IGN, _)) => pass_on(signal),
                Some((handler, true)) => {
                    let handler: crate::signal::Handler = std::mem::transmute(handler);
                    handler(signal, information, context);
                }
                Some((handler, false)) => {
                    let handler: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
                    handler(signal);
                }
            }
        }
    }

    /// True if an instruction is in a program or a shared library. Code that was linked in memory is in none.
    fn is_of_library(at: *const u8) -> bool {
        let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: any address may be asked for.
        unsafe { libc::dladdr(at.cast(), found.as_mut_ptr()) != 0 }
    }

    /// The length of an instruction in bytes and the bits of its operand, if it is `div` or `idiv` of integers. Reads no
    /// byte after the instruction.
    fn division(byte: impl Fn(usize) -> u8) -> Option<(usize, u32)> {
        let (mut at, mut is_short, mut is_wide) = (0, false, false);
        loop {
            match byte(at) {
                // The size of operands; segments of addresses.
                0x66 => is_short = true,
                0x2e | 0x36 | 0x3e | 0x26 | 0x64 | 0x65 => {}
                // REX, the last prefix.
                rex @ 0x40..=0x4f => {
                    is_wide = rex & 8 != 0;
                    at += 1;
                    break;
                }
                _ => break,
            }
            at += 1;
        }
        let bits = match byte(at) {
            0xf6 => 8,
            0xf7 if is_wide => 64,
            0xf7 if is_short => 16,
            0xf7 => 32,
            _ => return None,
        };
        let form = byte(at + 1);
        if !matches!(form >> 3 & 7, 6 | 7) {
            return None;
        }
        at += 2;
        let (mode, register) = (form >> 6, form & 7);
        let has_index = mode != 3 && register == 4;
        let base = if has_index { byte(at) & 7 } else { register };
        at += usize::from(has_index);
        at += match mode {
            // Without a base there is a displacement instead.
            0 if base == 5 => 4,
            1 => 1,
            2 => 4,
            _ => 0,
        };
        Some((at, bits))
    }

    #[cfg(test)]
    mod tests {
        use super::division;

        #[test]
        fn divisions_have_lengths() {
            let of = |bytes: &[u8]| division(|offset| bytes[offset]);
            // idiv ecx; idiv rcx; div r8d; idiv cx; idiv cl; div sil
            assert_eq!(of(&[0xf7, 0xf9]), Some((2, 32)));
            assert_eq!(of(&[0x48, 0xf7, 0xf9]), Some((3, 64)));
            assert_eq!(of(&[0x41, 0xf7, 0xf0]), Some((3, 32)));
            assert_eq!(of(&[0x66, 0xf7, 0xf9]), Some((3, 16)));
            assert_eq!(of(&[0xf6, 0xf9]), Some((2, 8)));
            assert_eq!(of(&[0x40, 0xf6, 0xf6]), Some((3, 8)));
            // idiv dword [rdi]; [rdi + 4]; [rdi + 400]; [rdi + rsi * 4]; [rdi + rsi * 4 + 4]; [rip + 4]; [rsi * 4 + 4]
            assert_eq!(of(&[0xf7, 0x3f]), Some((2, 32)));
            assert_eq!(of(&[0xf7, 0x7f, 4]), Some((3, 32)));
            assert_eq!(of(&[0xf7, 0xbf, 0, 0, 0, 1]), Some((6, 32)));
            assert_eq!(of(&[0xf7, 0x3c, 0xb7]), Some((3, 32)));
            assert_eq!(of(&[0xf7, 0x7c, 0xb7, 4]), Some((4, 32)));
            assert_eq!(of(&[0xf7, 0x3d, 4, 0, 0, 0]), Some((6, 32)));
            assert_eq!(of(&[0xf7, 0x3c, 0xb5, 4, 0, 0, 0]), Some((7, 32)));
            // mul ecx; add ecx, eax
            assert_eq!(of(&[0xf7, 0xe1]), None);
            assert_eq!(of(&[0x01, 0xc1]), None);
        }
    }
}
