//! A headless browser, controlled by the DevTools protocol: messages in JSON through pipes, each followed by a zero byte.
//!
//! ```text
//! test ──{"id": 1, "method": "Runtime.evaluate", ..}──▶ file descriptor 3 ┐
//!                                                                        browser
//! test ◀──{"id": 1, "result": ..}, events──────────────  file descriptor 4 ┘
//! ```
use serde_json::{Value, json};
use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

/// The names of browsers that speak the protocol.
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/// The time limit of an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub struct Browser {
    process: Child,
    /// `None` when the browser is to end.
    commands: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// The number of the last command.
    last: u64,
    session: Option<String>,
    /// The events since the last navigation.
    events: Vec<Value>,
    /// The folder of the browser's data, which is removed with it.
    _folder: tempfile::TempDir,
}

/// Returns the program of an installed browser.
fn program() -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&folders).collect();
    NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

impl Browser {
    /// Starts a browser with an empty page. If there is none, prints a message, and the caller skips the test.
    pub fn start() -> Option<Self> {
        let Some(program) = program() else {
            println!("unsupported: no browser is installed (scripts/setup/browser.sh installs Chromium)");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        // The shell gives the pipes the numbers that the browser expects. Containers lack what the browser's sandbox
        // requires; the page is one that the test has made.
        let mut process = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-extensions", "--disable-default-apps", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell can be run");
        let (commands, answers) = (process.stdin.take(), process.stdout.take().expect("a pipe"));
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            for message in BufReader::new(answers).split(0) {
                let value = message.map(|message| serde_json::from_slice(&message).unwrap_or_default());
                if value.is_ok_and(|value| sender.send(value).is_err()) {
                    return;
                }
            }
        });
        let mut browser = Self { process, commands, messages, last: 0, session: None, events: vec![], _folder: folder };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Executes a command, and returns its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let commands = self.commands.as_mut().expect("the browser runs");
        write!(commands, "{message}\0").and_then(|()| commands.flush()).expect("the browser reads its commands");
        let last = self.last;
        let answer = self.until(method, |message| message["id"] == last);
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    /// Returns the next message of a kind; others before it are kept as events.
    fn until(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let rest = end.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(rest).unwrap_or_else(|error| panic!("{what}: {error}"));
            if is_it(&message) {
                return message;
            }
            self.events.push(message);
        }
    }

    /// Opens a file, and waits until it is loaded and drawn. The events are those from now on.
    pub fn open(&mut self, file: &Path) {
        self.events.clear();
        let answer = self.call("Page.navigate", json!({ "url": address(file) }));
        assert!(answer["errorText"].is_null(), "{answer}");
        if !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let loaded = self.until("the page", |message| message["method"] == "Page.loadEventFired");
            self.events.push(loaded);
        }
    }

    /// Returns the value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Returns the center of the element that an expression yields, scrolled into view.
    fn center(&mut self, element: &str) -> [f64; 2] {
        let center = self.value(&format!(
            "(() => {{ const element = {element}; element.scrollIntoView({{ block: 'center', inline: 'center' }});
            const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] }})()"
        ));
        [0, 1].map(|i| center[i].as_f64().unwrap_or_else(|| panic!("{element} has no place")))
    }

    /// Moves the mouse over the element that an expression yields.
    pub fn hover(&mut self, element: &str) {
        let [x, y] = self.center(element);
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Clicks the element that an expression yields.
    pub fn click(&mut self, element: &str) {
        let [x, y] = self.center(element);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let parameters = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", parameters);
        }
    }

    /// Presses a key that writes nothing.
    pub fn press(&mut self, key: &str) {
        for kind in ["rawKeyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key }));
        }
    }

    /// Returns the errors and warnings since the page was opened, and the requests for anything but the page.
    pub fn complaints(&mut self, page: &Path) -> Vec<String> {
        // Events precede the answer of a later command. Those of refused requests come a little later.
        thread::sleep(Duration::from_millis(50));
        self.value("0");
        let page = address(page);
        let complaint = |event: &Value| {
            let parameters = &event["params"];
            let is_bad = match event["method"].as_str()? {
                "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded" => true,
                "Network.requestWillBeSent" => {
                    let url = parameters["request"]["url"].as_str().unwrap_or_default();
                    url != page && !url.starts_with("data:")
                }
                _ => false,
            };
            is_bad.then(|| event.to_string())
        };
        self.events.iter().filter_map(complaint).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser whose pipe is closed ends.
        self.commands = None;
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end {
            if let Ok(Some(_)) = self.process.try_wait() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the address of a file, whose path has no characters to escape.
fn address(file: &Path) -> String {
    format!("file://{}", file.display())
}
