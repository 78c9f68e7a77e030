//! Takes from this process all rights that the compilation and the execution of a program do not need: it can read the
//! files that it is told, and write to what is open already. Nothing gives the rights back.
use anyhow::{Context as _, Result, anyhow, ensure};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::{collections::BTreeMap, path::Path};

/// What describes the processor and the memory, for default schedules and the number of threads.
const DESCRIPTIONS: [&str; 3] = ["/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system"];

/// Confines this process, all of its threads, and those that it starts. `readable`: the files that it may read;
/// `memory`: the bytes of memory that it may use. The error names what the system lacks.
pub fn confine(readable: &[&Path], memory: u64) -> Result<()> {
    let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
    // The process does not outlive the one that waits for it, and leaves no trace in files.
    set_parent_process_death_signal(Some(Signal::KILL)).context("--isolated cannot tie its process to this one")?;
    for (resource, most) in [(Resource::Data, memory), (Resource::Core, 0), (Resource::Fsize, 0)] {
        setrlimit(resource, limit(most)).context("--isolated cannot limit its process")?;
    }
    restrict_files(readable)?;
    restrict_calls()
}

/// Landlock: files, the network, signals to other processes.
fn restrict_files(readable: &[&Path]) -> Result<()> {
    let lacks = |error: &dyn std::fmt::Display| anyhow!("--isolated requires Landlock of Linux 5.13 or newer: {error}");
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .map_err(|error| lacks(&error))?
        // What older kernels lack is refused by the filter of system calls, too.
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(ABI::V4)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(ABI::V6)))
        .map_err(|error| lacks(&error))?;
    let mut created = ruleset.create().map_err(|error| lacks(&error))?;
    for path in readable.iter().copied().chain(DESCRIPTIONS.map(Path::new)) {
        // A file that does not exist is reported when it is read.
        let Ok(file) = PathFd::new(path) else { continue };
        let access = if path.is_dir() { AccessFs::ReadFile | AccessFs::ReadDir } else { AccessFs::ReadFile.into() };
        created = created.add_rule(PathBeneath::new(file, access)).map_err(|error| lacks(&error))?;
    }
    let status = created.restrict_self().map_err(|error| lacks(&error))?;
    ensure!(status.ruleset != RulesetStatus::NotEnforced, lacks(&"this kernel does not enforce it"));
    Ok(())
}

/// seccomp: the system calls that are needed; all others fail.
fn restrict_calls() -> Result<()> {
    let lacks = |error: &dyn std::fmt::Display| anyhow!("--isolated requires seccomp: {error}");
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| lacks(&error))?;
    let filter = |rules, otherwise, action| -> Result<BpfProgram> {
        let filter = SeccompFilter::new(rules, otherwise, action, architecture).map_err(|error| lacks(&error))?;
        BpfProgram::try_from(filter).map_err(|error| lacks(&error))
    };
    // The arguments of this call are in memory, which a filter cannot read. Without it, the C library uses `clone`.
    let absent = SeccompAction::Errno(libc::ENOSYS as u32);
    let first = filter(BTreeMap::from([(libc::SYS_clone3, vec![])]), SeccompAction::Allow, absent)?;
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let second = filter(allowed().map_err(|error| lacks(&error))?, refused, SeccompAction::Allow)?;
    for program in [first, second] {
        seccompiler::apply_filter_all_threads(&program).map_err(|error| lacks(&error))?;
    }
    Ok(())
}

/// The allowed system calls, some of them with conditions.
fn allowed() -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let own = u64::from(std::process::id());
    let when = |argument, length, operator, value| {
        SeccompRule::new(vec![SeccompCondition::new(argument, length, operator, value)?])
    };
    let (word, long) = (SeccompCmpArgLen::Dword, SeccompCmpArgLen::Qword);
    let writing = (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND) as u64;
    let thread = libc::CLONE_THREAD as u64;
    let conditional = [
        // Read-only.
        (libc::SYS_openat, when(2, word.clone(), SeccompCmpOp::MaskedEq(writing), 0)?),
        // Threads, no processes.
        (libc::SYS_clone, when(0, long.clone(), SeccompCmpOp::MaskedEq(thread), thread)?),
        // The own end, as by `abort`.
        (libc::SYS_tgkill, when(0, word.clone(), SeccompCmpOp::Eq, own)?),
        // Names of threads.
        (libc::SYS_prctl, when(0, word, SeccompCmpOp::Eq, libc::PR_SET_NAME as u64)?),
        // Limits are read, not set.
        (libc::SYS_prlimit64, when(2, long, SeccompCmpOp::Eq, 0)?),
    ];
    let unconditional = CALLS.iter().map(|call| (*call, vec![]));
    Ok(unconditional.chain(conditional.map(|(call, rule)| (call, vec![rule]))).collect())
}

/// System calls on memory, threads, time, and files that are open.
const CALLS: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_clone3,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getcpu,
    libc::SYS_getdents64,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_newfstatat,
    libc::SYS_pread64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_statx,
    libc::SYS_uname,
    libc::SYS_write,
    libc::SYS_writev,
];

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::Pid;
    use std::{
        fs::{self, File},
        io::ErrorKind,
        net::{TcpListener, UdpSocket},
        os::unix::net::UnixStream,
        process::Command,
        thread,
    };

    /// The variable that makes a test the confined process, with the file that it may read.
    const READABLE: &str = "MDH_TEST_READABLE";

    #[test]
    fn a_confined_process_has_no_rights() {
        if let Some(readable) = std::env::var_os(READABLE) {
            return confined(Path::new(&readable));
        }
        let folder = tempfile::tempdir().unwrap();
        let readable = folder.path().join("readable");
        fs::write(&readable, "text").unwrap();
        fs::write(folder.path().join("other"), "secret").unwrap();
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "confinement::tests::a_confined_process_has_no_rights"]).env(READABLE, &readable);
        let output = again.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    fn confined(readable: &Path) {
        confine(&[readable], 1 << 36).unwrap();
        assert_eq!(fs::read_to_string(readable).unwrap(), "text");
        assert_eq!(thread::spawn(|| 7).join().unwrap(), 7);
        let folder = readable.parent().unwrap();
        let refused = |what: &str, outcome: std::io::Result<()>| {
            assert_eq!(outcome.map_err(|error| error.kind()), Err(ErrorKind::PermissionDenied), "{what}");
        };
        refused("another file", File::open(folder.join("other")).map(drop));
        refused("a system file", File::open("/etc/passwd").map(drop));
        refused("a write", File::options().write(true).open(readable).map(drop));
        refused("a new file", File::create(folder.join("new")).map(drop));
        refused("a folder", fs::read_dir(folder).map(drop));
        refused("a removal", fs::remove_file(readable));
        refused("a link", fs::hard_link(readable, folder.join("link")));
        refused("TCP", TcpListener::bind("127.0.0.1:0").map(drop));
        refused("UDP", UdpSocket::bind("127.0.0.1:0").map(drop));
        refused("sockets", UnixStream::pair().map(drop));
        refused("a program", Command::new("/bin/true").status().map(drop));
        refused("signals", rustix::process::test_kill_process(Pid::INIT).map_err(Into::into));
        let more = Rlimit { current: None, maximum: None };
        refused("a limit", setrlimit(Resource::Core, more).map_err(Into::into));
    }
}
