//! A command at work, as others see it: the thread that draws its screen and writes its live file.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use fedbits_record::live::LiveFile;
use fedbits_spec::threads;

use super::follow::Follower;
use super::pace::Pace;
use super::page::Look;
use super::plot;
use super::run_page;
use super::screen::{self, Screen};
use super::shared::Shared;
use super::state::LiveState;
use super::study_page;
use super::view::{Key, View};
use crate::cli::host::Signals;
use crate::cli::progress::Console;
use crate::listener::Listener;

/// Seconds between two writings of the live file.
const WRITE_EVERY: f64 = 1.0;
/// Seconds between two drawings where no key is pressed.
const DRAW_EVERY: f64 = 0.2;
/// Drawing takes at most this share of the time of its thread, however many arms there are.
const DRAWING: f64 = 0.02;
/// Points of all curves in the live file together, and of one at the least.
const POINTS: usize = 2_000;
const POINTS_OF_ONE: usize = 16;

/// While it lives, a command can be watched.
pub(crate) struct Session {
    shared: Arc<Shared>,
    /// Gone, it ends the thread.
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    console: Console,
    screen: bool,
}

impl Session {
    /// Begins; the results will be in `target`. `wanted`: is a screen asked for? Its key `q` is as Ctrl-C.
    pub(crate) fn begin(
        state: LiveState,
        target: &Path,
        (wanted, signals): (bool, &Signals),
        console: &Console,
    ) -> Self {
        let screen = open(wanted, console);
        let shown = screen.is_some();
        let first = |mut file: LiveFile| file.write(&state).map(|()| file);
        let file = match LiveFile::create(target).and_then(first) {
            Ok(file) => Some(file),
            Err(error) => {
                console.message(&format!("`fedbits status --watch` cannot follow this: {error}"));
                None
            }
        };
        let view = if state.arms_planned > 0 { View::default() } else { View::of_study() };
        let shared = Arc::new(Shared::new(state));
        let (over, ended) = channel();
        let (own, signals) = (Arc::clone(&shared), signals.clone());
        let attendant = move || {
            let mut attendant = Attendant { signals, shared: own, file, screen, view, pace: Pace::default() };
            attendant.attend(|wait| ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout));
        };
        let thread = threads::spawn("live", None, attendant);
        if thread.is_err() {
            screen::close();
            console.message("the progress cannot be shown: no thread can be made for it");
        }
        let console = if shown && thread.is_ok() { console.behind_screen() } else { *console };
        Self { shared, over: Some(over), thread: thread.ok(), console, screen: shown }
    }

    /// Who listens to the runs.
    pub(crate) fn follower(&self) -> Follower {
        Follower::new(self.console, Arc::clone(&self.shared), self.screen)
    }

    /// The state.
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has said so.
            let _ = thread.join();
        }
    }
}

/// Opens the screen where one is asked for; says why, where that cannot be done on a terminal.
fn open(wanted: bool, console: &Console) -> Option<Screen> {
    if !wanted || console.is_quiet() {
        return None;
    }
    match screen::obstacle() {
        Some(obstacle) if obstacle.is_pipe => None,
        Some(obstacle) => {
            console.message(&format!("no screen: {}", obstacle.why));
            None
        }
        None => Screen::open(),
    }
}

/// What the thread works with.
struct Attendant {
    signals: Signals,
    shared: Arc<Shared>,
    file: Option<LiveFile>,
    screen: Option<Screen>,
    view: View,
    pace: Pace,
}

impl Attendant {
    /// Until `goes_on` says, after waiting for so long, that the command is over.
    fn attend(&mut self, goes_on: impl Fn(Duration) -> bool) {
        let (mut written, mut next) = (-WRITE_EVERY, 0.0);
        loop {
            let state = self.snapshot();
            if state.seconds - written >= WRITE_EVERY {
                written = state.seconds;
                self.write(&state);
            }
            if state.seconds >= next {
                self.draw(&state);
                let took = self.shared.seconds() - state.seconds;
                next = state.seconds + DRAW_EVERY.max(took / DRAWING);
            }
            let wait = if self.screen.is_some() { Duration::ZERO } else { Duration::from_secs(1) };
            if !goes_on(wait) {
                return;
            }
            let keys = self.screen.as_mut().map(Screen::keys).unwrap_or_default();
            if !keys.is_empty() {
                next = 0.0;
            }
            keys.into_iter().for_each(|key| self.press(key));
        }
    }

    /// The state now.
    fn snapshot(&mut self) -> LiveState {
        let mut state = self.shared.state();
        state.seconds = self.shared.seconds();
        self.pace.keep(&mut state);
        state.clone()
    }

    fn write(&mut self, state: &LiveState) {
        let Some(file) = &mut self.file else { return };
        let jobs = state.jobs.as_ref().map_or(0, |jobs| jobs.running.len());
        let points = (POINTS / (state.arms.len() + jobs).max(1)).max(POINTS_OF_ONE);
        let mut state = state.clone();
        state.beat = self.pace.beat();
        let running = state.jobs.iter_mut().flat_map(|jobs| jobs.running.iter_mut().map(|job| &mut job.state));
        for arm in state.arms.iter_mut().chain(running) {
            arm.curve = std::mem::take(&mut arm.curve).at_most(points);
        }
        // The next writing tries again: a full disk ends the run itself.
        let _ = file.write(&state);
    }

    fn draw(&mut self, state: &LiveState) {
        let Some(screen) = &mut self.screen else { return };
        self.shared.take_former();
        let tally = self.shared.tally();
        let (view, look) = (&self.view, Look::of_terminal());
        // The results are free again before anything is written to the terminal, which may be slow.
        screen.draw(move |area, buffer| match &*tally {
            Some(tally) => {
                let processes = std::slice::from_ref(state);
                let sight = study_page::Sight { tally, processes, notes: &[] };
                study_page::draw(&sight, view, "q stop", look, area, buffer);
            }
            None => run_page::draw(state, view, "q stop", look, area, buffer),
        });
    }

    fn press(&mut self, key: Key) {
        if key == Key::Quit {
            self.signals.interrupt();
            return;
        }
        let tally = self.shared.tally();
        let arms = tally.as_ref().map_or(0, |tally| tally.arms.len());
        let measured = match &*tally {
            Some(tally) => tally.has_measured(),
            None => plot::measured(self.shared.state().arms.iter().map(|arm| &arm.curve)),
        };
        self.view.press(key, arms, measured);
    }
}
