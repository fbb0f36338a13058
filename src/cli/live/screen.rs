//! The terminal as a screen: opened on standard error, so that results can go through a pipe, and given back as it was
//! however the process ends, but for SIGKILL.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Read, Stderr, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::{Terminal, TerminalOptions, Viewport};
use ratatui_termion::TermionBackend;
use rustix::fs::OFlags;
use rustix::termios::{InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios};
use rustix::termios::{tcgetattr, tcgetpgrp, tcsetattr};

use super::view::Key;
use crate::cli::stderr;

/// Is it open?
static OPEN: AtomicBool = AtomicBool::new(false);
/// Held while something is drawn.
static DRAWING: Mutex<()> = Mutex::new(());
/// The terminal and how it was set before.
static FORMER: Mutex<Option<(File, Termios)>> = Mutex::new(None);
static PANICS: Once = Once::new();

/// To the second screen of the terminal, without a cursor; and back.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE: &str = "\x1b[0m\x1b[?25h\x1b[?1049l";

/// How often keys are looked for.
const WAIT: Duration = Duration::from_millis(100);
/// How long giving the terminal back waits for a drawing.
const PATIENCE: Duration = Duration::from_millis(200);

/// Why there can be no screen.
pub(crate) struct Obstacle {
    /// In words.
    pub(crate) why: &'static str,
    /// Is there no terminal at all?
    pub(crate) is_pipe: bool,
}

/// What stands in the way of a screen; none where nothing does.
pub(crate) fn obstacle() -> Option<Obstacle> {
    let terminal = std::env::var("TERM").unwrap_or_default();
    if !std::io::stderr().is_terminal() {
        return Some(Obstacle { why: "standard error is no terminal", is_pipe: true });
    }
    if terminal.is_empty() || terminal == "dumb" {
        return Some(Obstacle { why: "the terminal cannot show one (by the variable TERM)", is_pipe: false });
    }
    let own = rustix::process::getpgrp();
    if tcgetpgrp(std::io::stderr()).is_ok_and(|foreground| foreground != own) {
        return Some(Obstacle { why: "this process runs in the background of its terminal", is_pipe: false });
    }
    None
}

/// The open screen.
pub(crate) struct Screen {
    terminal: Option<(Rect, Terminal<TermionBackend<BufWriter<Stderr>>>)>,
    keyboard: Option<File>,
}

impl Screen {
    /// Opens it; none where something is in the way ([`obstacle`]).
    pub(crate) fn open() -> Option<Self> {
        if obstacle().is_some() || OPEN.swap(true, Ordering::SeqCst) {
            return None;
        }
        PANICS.call_once(|| {
            let former = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                close();
                former(panic);
            }));
        });
        stderr::hold();
        // A read never waits: the terminal may be given back at any moment, and then gives whole lines only.
        let flags = OFlags::NONBLOCK.bits() as i32;
        let keyboard = File::options().read(true).write(true).custom_flags(flags).open("/dev/tty").ok();
        let keyboard = keyboard.filter(|terminal| silence(terminal).is_some());
        let mut out = std::io::stderr();
        let _ = out.write_all(ENTER.as_bytes()).and_then(|()| out.flush());
        Some(Self { terminal: None, keyboard })
    }

    /// Waits for a tenth of a second; the keys that were pressed meanwhile.
    pub(crate) fn keys(&mut self) -> Vec<Key> {
        std::thread::sleep(WAIT);
        let mut bytes = [0; 64];
        if !OPEN.load(Ordering::SeqCst) {
            return Vec::new();
        }
        let read = self.keyboard.as_mut().and_then(|keyboard| keyboard.read(&mut bytes).ok());
        read.map_or_else(Vec::new, |length| Key::read(&bytes[..length]))
    }

    /// Draws, unless the screen was closed. The page is done with when the terminal is written to.
    pub(crate) fn draw(&mut self, page: impl FnOnce(Rect, &mut Buffer)) {
        let _drawing = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
        if !OPEN.load(Ordering::SeqCst) {
            return;
        }
        let Some((rows, columns)) = console::Term::stderr().size_checked() else { return };
        let area = Rect::new(0, 0, columns, rows);
        if self.terminal.as_ref().is_none_or(|(former, _)| *former != area) {
            let mut out = BufWriter::new(std::io::stderr());
            let _ = out.write_all(b"\x1b[2J");
            let options = TerminalOptions { viewport: Viewport::Fixed(area) };
            let terminal = Terminal::with_options(TermionBackend::new(out), options);
            self.terminal = terminal.ok().map(|terminal| (area, terminal));
        }
        let mut drawn = Buffer::empty(area);
        page(area, &mut drawn);
        if let Some((_, terminal)) = &mut self.terminal {
            // A terminal that is gone ends the process by SIGHUP, not by an error of the drawing.
            let _ = terminal.draw(|frame| frame.buffer_mut().clone_from(&drawn));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        close();
    }
}

/// Takes keys one by one and shows none of them. Ctrl-C still sends its signal; the keys that would stop the process or
/// its output, and leave the screen behind, do nothing.
fn silence(terminal: &File) -> Option<()> {
    let former = tcgetattr(terminal).ok()?;
    let mut own = former.clone();
    own.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
    own.input_modes.remove(InputModes::IXON);
    own.special_codes[SpecialCodeIndex::VMIN] = 0;
    own.special_codes[SpecialCodeIndex::VTIME] = 0;
    own.special_codes[SpecialCodeIndex::VSUSP] = 0;
    own.special_codes[SpecialCodeIndex::VQUIT] = 0;
    tcsetattr(terminal, OptionalActions::Now, &own).ok()?;
    let saved = (terminal.try_clone().ok()?, former);
    *FORMER.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved);
    Some(())
}

/// Gives the terminal back, and prints what was held back meanwhile. Does nothing where no screen is open.
pub(crate) fn close() {
    if !OPEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // A panic while drawing comes here with the lock held: then nothing is waited for in vain for long.
    let mut waited = Duration::ZERO;
    let step = Duration::from_millis(5);
    let mut drawing = DRAWING.try_lock();
    while drawing.is_err() && waited < PATIENCE {
        std::thread::sleep(step);
        waited += step;
        drawing = DRAWING.try_lock();
    }
    let mut out = std::io::stderr();
    let _ = out.write_all(LEAVE.as_bytes()).and_then(|()| out.flush());
    if let Some((terminal, former)) = FORMER.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = tcsetattr(&terminal, OptionalActions::Now, &former);
    }
    stderr::release();
}
