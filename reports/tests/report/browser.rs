//! A headless Chromium, driven over its own protocol: JSON messages, ended by a zero byte, on two pipes. It knows no
//! page.

use crate::common::skipped;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A browser with one page open.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: String,
    last: u64,
    /// Events so far: method and parameters.
    pub events: Vec<(String, Value)>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// `None`, and a word about it, when no Chromium is installed.
    pub fn start(width: u32, height: u32) -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let installed =
            |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|message| message.status.success());
        let Some(name) = names.into_iter().find(installed) else {
            skipped("no Chromium (Debian: chromium) is installed");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let folder = profile.path().display();
        let script = format!(
            "exec {name} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
             --force-device-scale-factor=1 --hide-scrollbars --host-resolver-rules='MAP * ~NOTFOUND' \
             --window-size={width},{height} --user-data-dir='{folder}' --remote-debugging-pipe 3<&0 4>&1 </dev/null \
             >/dev/null 2>&1"
        );
        let mut child =
            Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let (session, events) = (String::new(), Vec::new());
        let mut browser = Self { child, input, output, session, last: 0, events, _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network", "DOM"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.window(width, height, false);
        Some(browser)
    }

    /// Calls a method and waits for its result; events that come before are kept.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.input.flush().unwrap();
        loop {
            let response = self.next();
            if response["id"] == self.last {
                assert!(response["error"].is_null(), "{method}: {}", response["error"]);
                return response["result"].clone();
            }
        }
    }

    /// The next message; events are kept.
    fn next(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.output.read_until(0, &mut bytes).unwrap();
        assert!(bytes.pop().is_some(), "the browser went away");
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        if let Some(method) = message["method"].as_str() {
            self.events.push((method.to_owned(), message["params"].clone()));
        }
        message
    }

    /// Opens an address and waits until it is loaded.
    pub fn open(&mut self, address: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({"url": address}));
        while !self.events.iter().any(|(method, _)| method == "Page.loadEventFired") {
            self.next();
        }
    }

    /// The value of an expression in the page; a promise is waited for.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let response = self.call("Runtime.evaluate", parameters);
        assert!(response["exceptionDetails"].is_null(), "{expression}: {}", response["exceptionDetails"]);
        response["result"]["value"].clone()
    }

    /// Moves the mouse, and presses and releases its left button when `click`.
    pub fn mouse(&mut self, x: f64, y: f64, click: bool) {
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": x, "y": y}));
        for kind in ["mousePressed", "mouseReleased"].iter().filter(|_| click) {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses the left button at a point and releases it at another.
    pub fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        let steps = [("mouseMoved", from), ("mousePressed", from), ("mouseMoved", to), ("mouseReleased", to)];
        for (kind, (x, y)) in steps {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses and releases a key.
    pub fn key(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": key, "code": key, "text": text}));
        }
    }

    /// The window's width and height, and whether the system prefers dark pages.
    pub fn window(&mut self, width: u32, height: u32, dark: bool) {
        let page = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", page);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", features);
    }

    /// Errors on the console, exceptions, and requests for anything that is neither a file nor inside the page.
    pub fn complaints(&self) -> Vec<String> {
        let complaint = |(method, parameters): &(String, Value)| match method.as_str() {
            "Runtime.exceptionThrown" => Some(parameters["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if parameters["type"] == "error" => Some(parameters["args"].to_string()),
            "Log.entryAdded" if parameters["entry"]["level"] == "error" => Some(parameters["entry"].to_string()),
            "Network.requestWillBeSent" => {
                let address = parameters["request"]["url"].as_str().unwrap_or_default();
                let inside = ["file:", "data:", "about:"].iter().any(|kind| address.starts_with(kind));
                (!inside).then(|| format!("asks for {address}"))
            }
            _ => None,
        };
        self.events.iter().filter_map(complaint).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser that has gone already needs no end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
