//! A headless Chromium, driven through chromedriver: HTTP and JSON.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::process::skip;

/// A window of a browser.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Opens a window; `None`, and a message, if there is no browser.
    pub fn start() -> Option<Self> {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = driver else {
            skip("there is no chromedriver", "CKDIFF_REQUIRE_BROWSER");
            return None;
        };
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Self {
            driver,
            port: port.expect("chromedriver says its port"),
            session: String::new(),
            _profile: profile,
        };
        // Root cannot have a sandbox, and containers have little shared memory.
        let directory = format!("--user-data-dir={}", browser._profile.path().display());
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            &directory,
        ];
        let capabilities = json!({
            "goog:chromeOptions": { "args": args },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let body = json!({ "capabilities": { "alwaysMatch": capabilities } });
        match browser.call("POST", "/session", Some(&body)) {
            Ok(session) => browser.session = session["sessionId"].as_str().unwrap().to_owned(),
            Err(error) => {
                skip(&format!("Chromium does not start: {error}"), "CKDIFF_REQUIRE_BROWSER");
                return None;
            }
        }
        Some(browser)
    }

    /// A request to chromedriver, which keeps connections open: the answer ends with its length.
    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(|e| e.to_string())?;
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let len = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len}");
        write!(stream, "{head}\r\n\r\n{body}").map_err(|error| error.to_string())?;
        let mut reader = BufReader::new(stream);
        let mut content_len = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).map_err(|error| error.to_string())?;
            let Some((name, value)) = line.split_once(':') else {
                if line.trim().is_empty() {
                    break;
                }
                continue;
            };
            if name.eq_ignore_ascii_case("content-length") {
                content_len = value.trim().parse().unwrap();
            }
        }
        let mut answer = vec![0; content_len];
        reader.read_exact(&mut answer).map_err(|error| error.to_string())?;
        let mut answer: Value = serde_json::from_slice(&answer).unwrap();
        let value = answer["value"].take();
        match value.get("error").and_then(Value::as_str) {
            Some(error) => Err(format!("{error}: {}", value["message"])),
            None => Ok(value),
        }
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}/{path}", self.session);
        let body = Some(body).filter(|_| method == "POST");
        self.call(method, &path, body).unwrap()
    }

    /// Opens a file, with what follows its path in the address.
    pub fn open(&self, path: &Path, hash: &str) {
        // A change of the hash alone would not load the file again.
        self.command("POST", "url", &json!({ "url": "about:blank" }));
        self.command("POST", "url", &json!({ "url": format!("file://{}{hash}", path.display()) }));
    }

    /// The result of JavaScript, a function body.
    pub fn eval(&self, script: &str) -> Value {
        self.command("POST", "execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until JavaScript is true.
    #[track_caller]
    pub fn wait_for(&self, condition: &str) {
        let start = Instant::now();
        while self.eval(&format!("return Boolean({condition})")) != true {
            assert!(start.elapsed() < Duration::from_secs(20), "not within 20 s: {condition}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types keys into the element that has the focus.
    pub fn press(&self, keys: &str) {
        let press = |key: char| {
            [("keyDown", key), ("keyUp", key)]
                .map(|(kind, key)| json!({ "type": kind, "value": key }))
        };
        let actions: Vec<Value> = keys.chars().flat_map(press).collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.command("POST", "actions", &json!({ "actions": [keyboard] }));
    }

    /// A command of Chromium's own protocol.
    pub fn protocol(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.command("POST", "goog/cdp/execute", &body)
    }

    /// Sets the medium and the color scheme.
    pub fn emulate(&self, medium: &str, scheme: &str) {
        let scheme = json!({ "name": "prefers-color-scheme", "value": scheme });
        let media = json!({ "media": medium, "features": [scheme] });
        self.protocol("Emulation.setEmulatedMedia", &media);
    }

    /// Sets the size of the window's content.
    pub fn resize(&self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.protocol("Emulation.setDeviceMetricsOverride", &size);
    }

    /// What the window shows, as PNG.
    pub fn screenshot(&self) -> Vec<u8> {
        let image = self.command("GET", "screenshot", &Value::Null);
        super::base64(image.as_str().unwrap())
    }

    /// The messages in the console since the last call.
    pub fn console(&self) -> Vec<String> {
        let messages = self.command("POST", "se/log", &json!({ "type": "browser" }));
        messages.as_array().unwrap().iter().map(Value::to_string).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // The driver ends its browser with the session; nothing is left to do if it does not answer.
            let _ = self.call("DELETE", &format!("/session/{}", self.session), None);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
