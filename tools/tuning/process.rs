//! The process of a candidate, as the tuner sees it: it can be paused, and ends with the tuner.
use super::protocol::{Event, WorkerCommand};
use anyhow::{Context as _, Result, anyhow};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    ffi::OsString,
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// Maximum number of characters of the messages of a process that are part of a reason.
const MAX_REASON: usize = 2000;

/// The process of a candidate.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    /// What the process prints to the standard error.
    messages: Option<thread::JoinHandle<String>>,
    is_paused: bool,
}

/// The end of a process, or of the patience with it.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It reported a failure.
    Failed(String),
    /// It ended without a report: a crash.
    Crashed(String),
    /// It took longer than this.
    TimedOut(Duration),
}

impl Process {
    /// Starts a process. Errors are those of the operating system.
    pub fn start(command: &[OsString]) -> Result<Self> {
        let (program, arguments) = command.split_first().ok_or_else(|| anyhow!("the command is empty"))?;
        let mut child = std::process::Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // An interrupt of the terminal ends the tuner only, which ends its processes in order.
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start '{}'", program.display()))?;
        let (sender, events) = channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    // Other lines are what the program of the user prints.
                    if let Ok(event) = serde_json::from_str(&line)
                        && sender.send(event).is_err()
                    {
                        break;
                    }
                }
            });
        }
        let messages = child.stderr.take().map(|mut errors| {
            thread::spawn(move || {
                let mut text = vec![];
                let _ = errors.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            })
        });
        Ok(Self { input: child.stdin.take(), child, events, messages, is_paused: false })
    }

    /// Sends a command. A process that has ended reports that in the next [`Process::wait`].
    pub fn send(&mut self, command: &WorkerCommand) {
        if let (Some(input), Ok(text)) = (&mut self.input, serde_json::to_string(command)) {
            let _ = writeln!(input, "{text}").and_then(|()| input.flush());
        }
    }

    /// Returns the next event, if there is one already.
    pub fn poll(&mut self) -> Option<Result<Event, Ended>> {
        match self.wait(Duration::ZERO) {
            Err(Ended::TimedOut(_)) => None,
            outcome => Some(outcome),
        }
    }

    /// Waits for the next event.
    pub fn wait(&mut self, limit: Duration) -> Result<Event, Ended> {
        match self.events.recv_timeout(limit) {
            Ok(Event::Failed { reason }) => Err(Ended::Failed(reason)),
            Ok(event) => Ok(event),
            Err(RecvTimeoutError::Timeout) => Err(Ended::TimedOut(limit)),
            Err(RecvTimeoutError::Disconnected) => Err(Ended::Crashed(self.crash())),
        }
    }

    /// Describes how the process ended.
    fn crash(&mut self) -> String {
        let status = self.child.wait();
        let messages = self.messages.take().and_then(|messages| messages.join().ok()).unwrap_or_default();
        let how = match status {
            Ok(status) => match status.signal() {
                Some(signal) => format!("ended by signal {signal}"),
                None => format!("ended with exit code {}", status.code().unwrap_or_default()),
            },
            Err(error) => error.to_string(),
        };
        let messages: String = messages.trim().chars().take(MAX_REASON).collect();
        if messages.is_empty() { how } else { format!("{how}: {messages}") }
    }

    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        // A process that has ended is reported by `wait`.
        let _ = id.map(|id| kill_process(id, signal));
    }

    /// Pauses the process: neither compilation nor idle threads disturb measurements of others.
    pub fn pause(&mut self) {
        if !self.is_paused {
            self.signal(Signal::STOP);
            self.is_paused = true;
        }
    }

    /// Resumes the process.
    pub fn resume(&mut self) {
        if self.is_paused {
            self.signal(Signal::CONT);
            self.is_paused = false;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that runs a script of the shell.
    fn shell(script: &str) -> Process {
        Process::start(&["sh", "-c", script].map(OsString::from)).unwrap()
    }

    const LIMIT: Duration = Duration::from_secs(20);

    #[test]
    fn events_and_ends_are_reported() {
        let mut process = shell(r#"echo 'not an event'; echo '{"event":"compiled"}'; echo problem >&2; exit 3"#);
        assert_eq!(process.wait(LIMIT), Ok(Event::Compiled));
        assert_eq!(process.wait(LIMIT), Err(Ended::Crashed("ended with exit code 3: problem".to_owned())));
        assert_eq!(shell("kill -SEGV $$").wait(LIMIT), Err(Ended::Crashed("ended by signal 11".to_owned())));
        let mut failed = shell(r#"echo '{"event":"failed","reason":"no"}'"#);
        assert_eq!(failed.wait(LIMIT), Err(Ended::Failed("no".to_owned())));
        assert!(Process::start(&[OsString::from("/no/such/program")]).is_err());
    }

    #[test]
    fn a_paused_process_does_nothing() {
        let mut process = shell(r#"read line; echo '{"event":"measured","seconds":[1]}'"#);
        process.pause();
        process.send(&WorkerCommand::Measure { count: 1 });
        assert_eq!(process.wait(Duration::from_millis(200)), Err(Ended::TimedOut(Duration::from_millis(200))));
        process.resume();
        assert_eq!(process.wait(LIMIT), Ok(Event::Measured { seconds: vec![1.0] }));
    }
}
