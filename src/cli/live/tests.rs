//! The pages as they look, on fixed data, in the sizes of small terminals.

use fedbits_record::study::{Bound, PlanTarget};
use ratatui_core::backend::TestBackend;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Terminal;

use super::page::Look;
use super::run_page;
use super::state::{ArmState, Curve, Ended, JobsState, LiveState, Point, RunningJob};
use super::study_page::{self, Sight};
use super::tally::Tally;
use super::tally::tests::{plan, run};
use super::view::{Key, View};

const PLAIN: Look = Look { colors: false };

/// What is on a screen of this size.
fn drawn(columns: u16, rows: u16, page: impl FnOnce(Rect, &mut Buffer)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| page(frame.area(), frame.buffer_mut())).unwrap();
    terminal.backend().to_string()
}

/// An arm in which ‖h‖² falls by `factor` in each round, and every tenth is measured.
fn arm(name: &str, factor: f64, rounds: u64) -> ArmState {
    let mut curve = Curve::default();
    let mut field = 0.8;
    for round in 0..=rounds {
        let measured = round % 10 == 0;
        let values = [field, 15.171 + field / 10.0, 0.98].map(|value| measured.then_some(value));
        let values = [values[0], values[1], values[2], None];
        curve.push(Point { round, time_ns: 200_000_000 * round, bits: 110_000 * round, values });
        field *= factor;
    }
    ArmState { name: name.to_owned(), curve, seconds: 12.5, ..ArmState::default() }
}

fn running() -> LiveState {
    let ended = Ended { why: "mean field: ‖h‖² = 9.3e-11".to_owned(), failed: false };
    let mut now = arm("dithering-2", 0.93, 234);
    (now.fraction, now.rounds_per_second) = (Some(0.585), Some(18.72));
    LiveState {
        name: "quickstart".to_owned(),
        seconds: 27.0,
        caveats: vec![
            "updates of clients are biased: without ω no theorem applies, and nothing is said of where this ends"
                .to_owned(),
            "12 of 30 clients never took part".to_owned(),
        ],
        arms: vec![ArmState { ended: Some(ended), ..arm("uncompressed", 0.87, 170) }, now],
        arms_planned: 4,
        ..LiveState::default()
    }
}

fn run_drawn(state: &LiveState, view: &View, columns: u16, rows: u16) -> String {
    drawn(columns, rows, |area, buffer| run_page::draw(state, view, "q stop", PLAIN, area, buffer))
}

#[test]
fn the_page_of_a_run() {
    let mut view = View::default();
    insta::assert_snapshot!("run-80x24", run_drawn(&running(), &view, 80, 24));
    insta::assert_snapshot!("run-60x15", run_drawn(&running(), &view, 60, 15));
    let measured = [true, true, true, false];
    view.press(Key::Right, 0, measured);
    view.press(Key::Down, 0, measured);
    insta::assert_snapshot!("run-objective-in-bits", run_drawn(&running(), &view, 80, 24));
}

#[test]
fn the_page_of_a_run_at_its_beginning_and_at_its_end() {
    let mut state = LiveState { doing: "preparing uncompressed".to_owned(), arms: Vec::new(), ..running() };
    insta::assert_snapshot!("run-begins", run_drawn(&state, &View::default(), 60, 15));
    let ended = Ended { why: "cannot be run".to_owned(), failed: true };
    state.arms = vec![ArmState { name: "rand-6".to_owned(), ended: Some(ended), ..ArmState::default() }];
    insta::assert_snapshot!("run-fails", run_drawn(&state, &View::default(), 60, 15));
}

fn tally() -> Tally {
    let target = PlanTarget { column: "mean_field_sq".to_owned(), bound: Bound::AtMost(1e-4) };
    let names = ["none / 100 %", "none / 25 %", "dither-8 / 100 %", "dither-8 / 25 %", "rand-16 / 100 %", "top-1"];
    let mut tally = Tally::new(&plan(&names, 10, Some(target)));
    for replicate in 0..3 {
        for (arm, factor) in [0.9, 0.7, 0.85, 0.6, 0.95, 0.99].into_iter().enumerate() {
            tally.add(arm, replicate, &run(factor - 0.02 * replicate as f64, 150));
        }
    }
    tally.add(0, 3, &fedbits_record::study::StoredRun::NotRun("why".to_owned()));
    tally
}

fn studying() -> LiveState {
    let job = |number, replicate, state| RunningJob { arm: number, replicate, state };
    let running = vec![job(1, 3, arm("", 0.8, 50)), job(2, 3, ArmState::default())];
    let jobs = JobsState { rest: Some(130.0), running };
    LiveState { seconds: 61.0, jobs: Some(jobs), ..LiveState::default() }
}

fn study_drawn(view: &View, columns: u16, rows: u16) -> String {
    let (tally, processes) = (tally(), [studying()]);
    let sight = Sight { tally: &tally, processes: &processes, notes: &[] };
    drawn(columns, rows, |area, buffer| study_page::draw(&sight, view, "q stop", PLAIN, area, buffer))
}

#[test]
fn the_page_of_a_study() {
    let mut view = View::of_study();
    insta::assert_snapshot!("study-80x24", study_drawn(&view, 80, 24));
    insta::assert_snapshot!("study-60x15", study_drawn(&view, 60, 15));
    (0..4).for_each(|_| view.press(Key::Down, 6, [true, false, false, false]));
    view.press(Key::Right, 6, [true, false, false, false]);
    insta::assert_snapshot!("study-chosen", study_drawn(&view, 80, 24));
}

/// A process can be at work on an arm of a plan that was not read yet: an optimization has proposed it.
#[test]
fn an_arm_that_is_not_planned_yet_is_no_mistake() {
    let (tally, mut process) = (tally(), studying());
    process.jobs.as_mut().unwrap().running.push(RunningJob { arm: 77, replicate: 0, state: ArmState::default() });
    let processes = [process];
    let sight = Sight { tally: &tally, processes: &processes, notes: &[] };
    let page = |area, buffer: &mut _| study_page::draw(&sight, &View::of_study(), "q stop", PLAIN, area, buffer);
    assert!(drawn(80, 24, page).contains("2 running"));
}

/// Whatever the size of the terminal, nothing is drawn beside it, and a screen with room for it says how to leave.
#[test]
fn every_size_can_be_drawn() {
    for columns in [1, 2, 7, 20, 33, 59, 80, 200] {
        for rows in [1, 2, 3, 5, 8, 15, 24, 70] {
            let pages = [
                run_drawn(&running(), &View::default(), columns, rows),
                run_drawn(&LiveState::default(), &View::default(), columns, rows),
                study_drawn(&View::of_study(), columns, rows),
            ];
            for page in pages {
                assert_eq!(page.lines().count(), usize::from(rows));
                assert!(columns < 20 || rows < 5 || page.contains("q stop"), "{columns} × {rows}:\n{page}");
            }
        }
    }
}

#[test]
fn lines_for_a_pipe() {
    assert_eq!(
        run_page::line(&running()),
        "dithering-2: 58 %, round 234, ‖h‖² 4.510e-8, objective 15.17; 12.5 s, ETA 8.9 s"
    );
    let (tally, processes) = (tally(), [studying()]);
    let line = study_page::line(&Sight { tally: &tally, processes: &processes, notes: &[] }, &View::of_study());
    assert!(
        line.starts_with("19 of 60 runs done, 1 not begun, 2 running; ETA 2.2 min; dither-8 / 25 % leads"),
        "{line}"
    );
}
