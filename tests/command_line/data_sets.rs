//! `fedbits data`: the data sets of the library. Downloads by themselves are tested beside their code.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::skips::{Lacks, skipped};
use crate::support::{Output, Scratch, finish};

/// With a cache of its own.
fn data(scratch: &Scratch, arguments: &[&str]) -> Output {
    let mut command = scratch.fedbits(["data"]);
    command.args(arguments).env("XDG_CACHE_HOME", scratch.path("caches"));
    finish(command)
}

#[test]
fn data_sets_are_listed() {
    let scratch = Scratch::new();
    let list = data(&scratch, &["list"]).done();
    assert!(list.contains("mnist: MNIST handwritten digits\n    4 files, 11.06 MiB; CC BY-SA 3.0"), "{list}");
    assert!(list.contains("fedbits data fetch mnist") && list.contains("by hand: https://cran"), "{list}");
    let one = data(&scratch, &["list", "geant"]).done();
    assert!(one.contains("SHA-256 5259257d6a81e501") && one.contains("topology/Geant2012.gml, 11.67 KiB"), "{one}");
    let sets: Value = serde_json::from_str(&data(&scratch, &["list", "--json"]).done()).unwrap();
    let files = sets.as_array().unwrap().iter().flat_map(|set| set["files"].as_array().unwrap());
    assert!(files.clone().count() > 15);
    assert!(files.clone().all(|file| file["sha256"].as_str().unwrap().len() == 64 && file["is"].is_null()));
    // The project's folder of data is looked into.
    std::fs::write(scratch.path("fedbits.ron"), "(data: \"sets\")").unwrap();
    std::fs::create_dir_all(scratch.path("sets/topology")).unwrap();
    std::fs::write(scratch.path("sets/topology/Geant2012.gml"), "graph []").unwrap();
    let geant: Value = serde_json::from_str(&data(&scratch, &["list", "geant", "--json"]).done()).unwrap();
    assert!(geant[0]["files"][0]["is"].is_string(), "{geant}");
    let unknown = data(&scratch, &["list", "mnits"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("did you mean `mnist`?"), "{}", unknown.err);
}

#[test]
fn what_cannot_be_fetched_says_why() {
    let scratch = Scratch::new();
    let by_hand = data(&scratch, &["fetch", "warfarin"]);
    assert_eq!(by_hand.code, Some(2));
    assert!(by_hand.err.contains("another form") && by_hand.err.contains("6fa3c173f05defb7"), "{}", by_hand.err);
    let address = data(&scratch, &["fetch", "mnist", "--from", "ftp://example.org"]);
    assert_eq!(address.code, Some(2));
    assert!(address.err.contains("expected an address"), "{}", address.err);
    assert!(!scratch.path("caches").exists());
}

/// Proxies are those of the environment; what they give is checked all the same.
#[test]
fn proxies_are_asked() {
    let scratch = Scratch::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = String::new();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while reader.read_line(&mut request).unwrap() > 2 {}
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnone").unwrap();
        request
    });
    let mut command = scratch.fedbits(["data", "fetch", "oxboys", "--from", "http://data.invalid/sets/"]);
    command.env("XDG_CACHE_HOME", scratch.path("caches")).env("http_proxy", &proxy).env_remove("no_proxy");
    let output = finish(command);
    if output.err.contains("neither `curl` nor `wget`") {
        return skipped(Lacks::Program, "neither curl nor wget is here");
    }
    assert_eq!(output.code, Some(74), "{}", output.err);
    assert!(output.err.contains("SHA-256 is ") && output.err.contains("52413baf2057"), "{}", output.err);
    let request = server.join().unwrap();
    assert!(request.starts_with("GET http://data.invalid/sets/oxboys/Oxboys.csv "), "{request}");
}

/// A mirror on this machine fills the cache, and a scenario of the library finds its file there.
#[test]
fn scenarios_find_what_was_fetched() {
    let Ok(folder) = std::env::var("FEDBITS_DATA") else {
        return skipped(Lacks::Data, "FEDBITS_DATA is not set: data fetch from a mirror");
    };
    let scratch = Scratch::new();
    let mirror = format!("file://{folder}");
    let fetched = data(&scratch, &["fetch", "oxboys", "--from", &mirror]);
    assert_eq!(fetched.code, Some(0), "{}", fetched.err);
    let again = data(&scratch, &["fetch", "oxboys", "--from", &mirror]);
    assert!(again.err.contains("Oxboys.csv is there"), "{}", again.err);
    let run = |cache: &str| {
        let mut command = scratch.fedbits(["check", "papers/flsaem-oxboys", "--pilot-seconds", "1"]);
        command.env("XDG_CACHE_HOME", scratch.path(cache));
        finish(command)
    };
    assert_eq!(run("nowhere").code, Some(2));
    let found = run("caches");
    assert_eq!(found.code, Some(0), "{}", found.err);
    let file = scratch.path("caches/fedbits/data/oxboys/Oxboys.csv");
    fs::write(&file, "mine").unwrap();
    let refused = data(&scratch, &["fetch", "oxboys", "--from", &mirror]);
    assert_eq!(refused.code, Some(2));
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}
