//! Downloads from a server on the loopback interface, by each program that is there.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use fedbits_scenarios::known_files::KnownFile;

#[path = "../../../tests/support/skips.rs"]
mod skips;

use skips::{Lacks, skipped};

use super::fetch::one;
use super::transfer::{Program, Transfer};
use crate::cli::failure::Failure;
use crate::cli::progress::Console;

/// 300 000 bytes, whose sum Python's hashlib has given.
fn body() -> Vec<u8> {
    (0..300_000_u64).map(|i| ((i * i + i / 7) % 251) as u8).collect()
}

const FILE: KnownFile = KnownFile {
    file: "numbers.bin",
    bytes: 300_000,
    sha256: "e6bf660f6165e67ee5538ef51710c8aa1392e476baaf07b3ba47b1b5b8ce2122",
    url: None,
    remark: "",
};

/// What the server does.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// All that is asked for.
    Whole,
    /// The first connection breaks after so many bytes.
    Cut(usize),
    /// It does not know ranges.
    NoRanges,
    Missing,
    /// Other bytes.
    Other,
}

struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

fn serve(manner: Manner) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/d/numbers.bin", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let (kept, count) = (Arc::clone(&requests), AtomicU64::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let first = count.fetch_add(1, Ordering::Relaxed) == 0;
            // A client that goes away is its own matter.
            let _ = answer(stream.unwrap(), manner, first, &kept);
        }
    });
    Server { address, requests }
}

fn answer(mut stream: TcpStream, manner: Manner, first: bool, kept: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut request = String::new();
    let mut reader = BufReader::new(stream.try_clone()?);
    while reader.read_line(&mut request)? > 2 {}
    kept.lock().unwrap().push(request.clone());
    let mut body = body();
    if manner == Manner::Other {
        body[7] ^= 1;
    }
    let range = request.lines().find_map(|line| {
        let (name, value) = line.split_once(": bytes=")?;
        name.eq_ignore_ascii_case("range").then(|| value.trim_end_matches('-').parse::<usize>().unwrap())
    });
    let start = range.filter(|_| manner != Manner::NoRanges).unwrap_or(0);
    let (status, extra) = match (manner, start) {
        (Manner::Missing, _) => ("404 Not Found", String::new()),
        (_, 0) => ("200 OK", String::new()),
        _ => ("206 Partial Content", format!("Content-Range: bytes {start}-{}/{}\r\n", body.len() - 1, body.len())),
    };
    let body = if manner == Manner::Missing { b"no such file".to_vec() } else { body[start..].to_vec() };
    write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n{extra}Content-Length: {}\r\n\r\n", body.len())?;
    match manner {
        Manner::Cut(bytes) if first => stream.write_all(&body[..bytes]),
        _ => stream.write_all(&body),
    }
}

/// Gets the file into a folder, which has its beginning already.
fn get(
    program: Program,
    manner: Manner,
    beginning: &[u8],
) -> (Result<(), Failure>, PathBuf, Vec<String>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d/numbers.bin");
    if !beginning.is_empty() {
        std::fs::create_dir(folder.path().join("d")).unwrap();
        std::fs::write(folder.path().join("d/numbers.bin.part"), beginning).unwrap();
    }
    let console = Console::new(true, false);
    let (server, transfer) = (serve(manner), Transfer::by(program, &console).unwrap());
    let got = one(&FILE, &server.address, &path, &transfer, &console);
    let requests = server.requests.lock().unwrap().clone();
    (got, path, requests, folder)
}

fn programs() -> Vec<Program> {
    let there: Vec<Program> = [Program::Curl, Program::Wget].into_iter().filter(|program| program.is_there()).collect();
    if there.is_empty() {
        skipped(Lacks::Program, "neither curl nor wget is here");
    }
    there
}

#[test]
fn files_are_got_and_checked() {
    for program in programs() {
        let (got, path, requests, _folder) = get(program, Manner::Whole, &[]);
        got.unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), body());
        assert!(!path.with_file_name("numbers.bin.part").exists());
        assert!(requests[0].starts_with("GET /d/numbers.bin "), "{requests:?}");
    }
}

#[test]
fn what_was_cut_off_is_resumed() {
    for program in programs() {
        // Within one command, and by the next one.
        let (got, path, requests, _folder) = get(program, Manner::Cut(100_000), &[]);
        got.unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), body());
        assert!(requests[1].to_lowercase().contains("range: bytes=100000-"), "{requests:?}");
        let (got, path, requests, _folder) = get(program, Manner::Whole, &body()[..250_000]);
        got.unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), body());
        assert!(requests[0].to_lowercase().contains("range: bytes=250000-"), "{requests:?}");
    }
}

#[test]
fn servers_without_ranges_begin_anew() {
    for program in programs() {
        let (got, path, _, _folder) = get(program, Manner::NoRanges, &body()[..1000]);
        got.unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), body());
    }
}

#[test]
fn other_files_are_removed() {
    for program in programs() {
        let (got, path, _, _folder) = get(program, Manner::Other, &[]);
        let failure = got.unwrap_err();
        assert!(failure.text().contains("SHA-256 is ") && failure.text().contains(FILE.sha256), "{}", failure.text());
        assert_eq!(failure.code(), 74);
        assert!(!path.exists() && !path.with_file_name("numbers.bin.part").exists());
        // So is a beginning of another file.
        let (got, path, _, _folder) = get(program, Manner::Whole, &[1; 1000]);
        assert!(got.is_err() && !path.with_file_name("numbers.bin.part").exists());
    }
}

#[test]
fn missing_files_are_said() {
    for program in programs() {
        let (got, path, _, _folder) = get(program, Manner::Missing, &[]);
        let failure = got.unwrap_err();
        assert!(failure.text().contains("404") && failure.text().contains("/d/numbers.bin"), "{}", failure.text());
        assert!(!path.exists() && !path.with_file_name("numbers.bin.part").exists());
    }
}
