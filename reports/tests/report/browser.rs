//! A headless Chromium, driven over its own protocol: JSON messages, ended by a zero byte, on two pipes. It knows no
//! page.

use crate::skips::{Lacks, skipped};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

/// Every canvas knows the words drawn on it since it was cleared, `canvas.words` with their boxes in its pixels, and the
/// corners of its lines, `canvas.corners`.
const WORDS_OF_CANVASES: &str = "(() => {
    const own = CanvasRenderingContext2D.prototype, { fillText, clearRect, lineTo } = own;
    own.clearRect = function (...all) {
        [this.canvas.words, this.canvas.corners] = [[], []];
        return clearRect.apply(this, all);
    };
    own.lineTo = function (x, y) {
        (this.canvas.corners ||= []).push([x, y]);
        return lineTo.call(this, x, y);
    };
    own.fillText = function (text, x, y) {
        const at = this.getTransform(), size = this.measureText(text);
        const xs = [x - size.actualBoundingBoxLeft, x + size.actualBoundingBoxRight];
        const ys = [y - size.actualBoundingBoxAscent, y + size.actualBoundingBoxDescent];
        const corners = xs.flatMap(x => ys.map(y => at.transformPoint({ x, y })));
        const [left, right] = [Math.min, Math.max].map(end => end(...corners.map(corner => corner.x)));
        const [top, bottom] = [Math.min, Math.max].map(end => end(...corners.map(corner => corner.y)));
        (this.canvas.words ||= []).push({ text, left, right, top, bottom });
        return fillText.call(this, text, x, y);
    };
})()";

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
    /// Opens a page that is written already: what fails without a browser fails where none is installed, too. `None`,
    /// and a word about it, when no Chromium is installed.
    pub fn show(page: &Path, fragment: &str) -> Option<Self> {
        assert!(page.is_file(), "{}", page.display());
        let mut browser = Self::start()?;
        browser.open(page, fragment);
        Some(browser)
    }

    fn start() -> Option<Self> {
        static NAME: LazyLock<Option<&str>> = LazyLock::new(|| {
            let names = ["chromium", "chromium-browser", "google-chrome"];
            let installed =
                |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|said| said.status.success());
            names.into_iter().find(installed)
        });
        let Some(name) = *NAME else {
            skipped(Lacks::Program, "no Chromium (Debian: chromium) is installed");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let folder = profile.path().display();
        // Neither a network nor a graphics card nor a sandbox is needed.
        let script = format!(
            "exec {name} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
             --disable-quic --disable-background-networking --disable-component-update --disable-sync \
             --force-device-scale-factor=1 --hide-scrollbars --host-resolver-rules='MAP * ~NOTFOUND' \
             --user-data-dir='{folder}' --remote-debugging-pipe 3<&0 4>&1 </dev/null >/dev/null 2>&1"
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
        browser.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": WORDS_OF_CANVASES}));
        browser.window(1200, false);
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
    pub fn navigate(&mut self, address: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({"url": address}));
        while !self.events.iter().any(|(method, _)| method == "Page.loadEventFired") {
            self.next();
        }
    }

    /// Opens a page anew, and waits until it is drawn with its font.
    pub fn open(&mut self, page: &Path, fragment: &str) {
        // To another fragment alone a browser would not load it again.
        self.navigate("about:blank");
        self.navigate(&format!("file://{}{fragment}", page.display()));
        let drawn = "document.fonts.ready.then(() => new Promise(done => \
            requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))";
        self.value(drawn);
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

    /// The window's width, and whether the system prefers dark pages.
    pub fn window(&mut self, width: u32, dark: bool) {
        let page = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
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
                let inside = ["file:", "data:", "blob:", "about:"].iter().any(|kind| address.starts_with(kind));
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
