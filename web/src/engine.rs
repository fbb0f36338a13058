//! Questions and their answers.

use std::path::Path;

use fedbits::reports::{Style, page_parts};
use fedbits::spec::files::hold;
use fedbits::{Digests, Error, MemoryRuns, RunOptions, Scenario};
use serde::Deserialize;
use serde_json::{Value, json};

/// The folder of the data files that a page brings.
const DATA: &str = "/page";
/// Bytes that a run may take: tabs of browsers have 2 to 4 GiB.
const MEMORY: u64 = 1 << 30;

/// What is asked, as JSON: `{"ask": "load", …}`.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Question {
    /// Reads a scenario with changes, each a path and a value: its text, arms and replicates.
    Load { name: String, text: String, sets: Vec<(String, String)> },
    /// Gives the engine a data file, whose bytes stand behind the question.
    Hold { path: String },
    /// Makes a run of the loaded scenario: its frame.
    Play { arm: usize, replicate: u64 },
    /// Draws the page's parts of the runs whose frames stand behind the question.
    Draw { style: String },
}

/// An answer: JSON, and bytes behind it.
#[derive(Debug, Default)]
pub struct Reply {
    /// The JSON; `error` is what is wrong, in words.
    pub text: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Plays and draws one scenario.
pub struct WebEngine {
    runs: Option<MemoryRuns>,
}

impl Default for WebEngine {
    fn default() -> Self {
        Self::new()
    }
}

impl WebEngine {
    /// An engine without a scenario.
    #[must_use]
    pub fn new() -> Self {
        fedbits::register_parts();
        Self { runs: None }
    }

    /// Answers a question.
    pub fn ask(&mut self, question: &[u8], frames: &[u8]) -> Reply {
        let read = serde_json::from_slice(question).map_err(|why| Error::Input(why.to_string()));
        let (value, bytes) = read
            .and_then(|question| self.answer(question, frames))
            .unwrap_or_else(|error| (json!({ "error": error.to_string() }), Vec::new()));
        Reply { text: value.to_string(), bytes }
    }

    fn answer(&mut self, question: Question, frames: &[u8]) -> Result<(Value, Vec<u8>), Error> {
        match question {
            Question::Load { name, text, sets } => {
                let scenario = Scenario::from_text(&name, &text);
                let scenario = sets.iter().fold(scenario, |scenario, (path, value)| scenario.set(path, value));
                let value = self.load(&scenario)?;
                Ok((value, Vec::new()))
            }
            Question::Hold { path } => {
                hold(Path::new(DATA).join(path), frames.to_vec());
                Ok((json!({}), Vec::new()))
            }
            Question::Play { arm, replicate } => {
                let (record, frame) = self.runs()?.frame(arm, replicate, crate::page::show)?;
                let Digests { data, timeline, state } = record.manifest.digests;
                Ok((json!({ "digests": [data, timeline, state] }), frame))
            }
            Question::Draw { style } => {
                let results = self.runs()?.results(frames.to_vec())?;
                let style = Style::from_name(&style)
                    .ok_or_else(|| Error::Input(format!("there is no style `{style}`: expected that of a venue")))?;
                let digest = results.digest();
                let parts = page_parts(&[results], style)?;
                Ok((json!({ "parts": parts, "digest": digest }), Vec::new()))
            }
        }
    }

    fn load(&mut self, scenario: &Scenario) -> Result<Value, Error> {
        let options = RunOptions { max_memory: Some(MEMORY), data: Some(DATA.into()), ..RunOptions::default() };
        let runs = self.runs.insert(MemoryRuns::new(scenario.runs()?, options)?);
        let plan = runs.plan();
        let arms: Vec<&str> = plan.arms.iter().map(|arm| arm.name.as_str()).collect();
        let replicates: Vec<u64> = plan.replicate_numbers().collect();
        let engine = fedbits::ENGINE;
        Ok(json!({ "text": plan.scenario_text, "arms": arms, "replicates": replicates, "engine": engine }))
    }

    fn runs(&mut self) -> Result<&mut MemoryRuns, Error> {
        self.runs.as_mut().ok_or_else(|| Error::Input("no scenario is loaded".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(engine: &mut WebEngine, question: &Value, frames: &[u8]) -> (Value, Vec<u8>) {
        let answer = engine.ask(question.to_string().as_bytes(), frames);
        (serde_json::from_str(&answer.text).unwrap(), answer.bytes)
    }

    /// The runs of a scenario are those that its folder would have: the digest over all of them is the same.
    #[test]
    fn frames_are_those_of_a_result_folder() {
        let quickstart = Scenario::load("quickstart").unwrap().set("stop.rounds", "4").runs().unwrap();
        let runs = MemoryRuns::new(quickstart, RunOptions::default()).unwrap();
        let text = runs.plan().scenario_text.clone();
        let scenario = Scenario::from_text("quickstart", &text);
        let folder = tempfile::tempdir().unwrap();
        let native = scenario.runs().unwrap().run(folder.path(), &RunOptions::default()).unwrap();
        let mut engine = WebEngine::new();
        let load = json!({"ask": "load", "name": "quickstart", "text": text, "sets": []});
        let (loaded, _) = ask(&mut engine, &load, &[]);
        assert_eq!(loaded["arms"].as_array().unwrap().len(), 4, "{loaded}");
        let mut frames = Vec::new();
        for arm in 0..4 {
            let (answer, frame) = ask(&mut engine, &json!({"ask": "play", "arm": arm, "replicate": 0}), &[]);
            assert_eq!(answer["digests"].as_array().unwrap().len(), 3, "{answer}");
            frames.extend(frame);
        }
        let (drawn, _) = ask(&mut engine, &json!({"ask": "draw", "style": "neurips"}), &frames);
        assert_eq!(drawn["digest"], native.digest());
        assert!(drawn["parts"]["drawings"].as_str().unwrap().contains("<svg"));
    }

    #[test]
    fn what_is_wrong_is_said_as_at_the_command_line() {
        let mut engine = WebEngine::new();
        let text = "(name: \"x\", base: \"quickstart\")";
        let load = json!({"ask": "load", "name": "x", "text": text, "sets": [["protocol.gama", "Constant(0.1)"]]});
        let (answer, _) = ask(&mut engine, &load, &[]);
        assert!(answer["error"].as_str().unwrap().contains("did you mean `gamma`?"), "{answer}");
        let (answer, _) = ask(&mut engine, &json!({"ask": "play", "arm": 0, "replicate": 0}), &[]);
        assert_eq!(answer["error"], "no scenario is loaded");
    }
}
