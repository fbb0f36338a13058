//! All threads of the program are made here. Where the system makes fewer than are wished, the program says so once and
//! goes on with those; where it makes none, the work is done by the thread that wants it.

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

/// Bytes of stack of a thread, as many as the standard library gives.
const STACK: usize = 2 << 20;
/// Bytes of stack where a whole command is done in a thread: as many as the main thread usually has.
pub const MAIN_STACK: usize = 8 << 20;
/// Bytes of address space that a thread takes beside its stack: guards and the stack of signals.
const BESIDE: usize = 1 << 20;
/// Bytes of address space that stay free for the work when threads are made.
const SPARE: usize = 48 << 20;
/// The shared pool: the number of its threads.
static SHARED: OnceLock<usize> = OnceLock::new();
/// Is the only thread of the shared pool the one that made it? Whoever waits in it keeps others from using the pool, so
/// that no others may be made.
static ALONE: AtomicBool = AtomicBool::new(false);

/// The number of threads of the pool that the whole process shares, which the first call makes: as many as are wished,
/// or as there are cores. Called before the first parallel computation, which would otherwise panic where no threads
/// can be made.
pub fn shared(wished: Option<usize>) -> usize {
    *SHARED.get_or_init(|| {
        let wished = wished.unwrap_or_else(cores);
        let crew = crew(wished);
        // The library takes no second attempt. Where a pool is there already, as in tests, nothing is to be done.
        if crew.is_empty() {
            let only = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
            ALONE.store(only.is_ok(), Ordering::Relaxed);
        } else {
            drop(ThreadPoolBuilder::new().num_threads(crew.len()).spawn_handler(hired(crew)).build_global());
        }
        let made = rayon::current_num_threads();
        tell(made, wished);
        made
    })
}

/// Does `work` in a pool of so many threads of its own, or of fewer, and tells it how many there are. Where none can be
/// made, the calling thread does it alone.
pub fn in_pool<T: Send>(wished: usize, work: impl FnOnce(usize) -> T + Send) -> T {
    match pool(wished, |builder| builder) {
        Some((threads, pool)) => pool.install(|| work(threads)),
        None => work(1),
    }
}

/// A pool of so many threads, or of fewer, and how many it has; none where none can be made.
pub fn pool(wished: usize, with: impl Fn(ThreadPoolBuilder) -> ThreadPoolBuilder) -> Option<(usize, ThreadPool)> {
    let crew = if ALONE.load(Ordering::Relaxed) { Vec::new() } else { crew(wished) };
    let made = (!crew.is_empty()).then(|| {
        let threads = crew.len();
        let pool = with(ThreadPoolBuilder::new().num_threads(threads)).spawn_handler(hired(crew)).build();
        pool.ok().map(|pool| (threads, pool))
    });
    let made = made.flatten();
    if made.is_none() {
        // Whoever computes in parallel uses the shared pool then.
        shared(None);
    }
    tell(made.as_ref().map_or(1, |(threads, _)| *threads), wished);
    made
}

/// Makes a thread; where that cannot be done, the work is given back.
///
/// # Errors
/// The work.
pub fn spawn<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(
    name: &str,
    stack: Option<usize>,
    work: W,
) -> Result<JoinHandle<T>, W> {
    let kept = Arc::new(Mutex::new(Some(work)));
    let inside = Arc::clone(&kept);
    let made = builder(name, stack).and_then(|builder| builder.spawn(move || taken(&inside)()));
    made.map_err(|_| taken(&kept))
}

/// Makes a thread of a scope.
///
/// # Errors
/// Where that cannot be done.
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    builder("", None)?.spawn_scoped(scope, work)
}

/// The cores that the process may use, or what the variable `RAYON_NUM_THREADS` says.
pub fn cores() -> usize {
    let variable = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    variable.filter(|&threads| threads > 0).unwrap_or_else(cores)
}

/// Threads that wait for their place in a pool, as many as are wished or can be made. They end where they get none.
fn crew(wished: usize) -> Vec<Sender<ThreadBuilder>> {
    let hire = |_| {
        let (place, waits) = channel::<ThreadBuilder>();
        let work = move || waits.recv().into_iter().for_each(ThreadBuilder::run);
        builder("", None).and_then(|builder| builder.spawn(work)).ok().map(|_| place)
    };
    (0..wished).map_while(hire).collect()
}

/// Gives each place of a pool to one of the crew, of whom there are as many.
fn hired(mut crew: Vec<Sender<ThreadBuilder>>) -> impl FnMut(ThreadBuilder) -> io::Result<()> {
    let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
    move |place| crew.pop().ok_or_else(gone)?.send(place).map_err(|_| gone())
}

/// Whether there is address space for so many bytes and for the work: a thread that finds none for the stack of its
/// signals ends the process.
fn has_room(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes + SPARE).is_ok()
}

fn builder(name: &str, stack: Option<usize>) -> io::Result<Builder> {
    let stack = stack.unwrap_or(STACK);
    if ALONE.load(Ordering::Relaxed) || !has_room(stack + BESIDE) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let builder = Builder::new().stack_size(stack);
    Ok(if name.is_empty() { builder } else { builder.name(name.to_owned()) })
}

/// Says once that there are fewer threads than wished.
fn tell(made: usize, wished: usize) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if made < wished && !TOLD.swap(true, Ordering::Relaxed) {
        let threads = crate::so_many(made, "thread");
        // Nobody may listen.
        let _ = writeln!(io::stderr(), "fedbits: goes on with {threads} of {wished}: the system makes no more");
    }
}

/// Work that a thread takes, or who could not make the thread.
fn taken<W>(kept: &Mutex<Option<W>>) -> W {
    let mut work = kept.lock().unwrap_or_else(PoisonError::into_inner);
    work.take().expect("either the thread takes the work, or there is no thread")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_have_as_many_threads_as_they_say() {
        for wished in [1, 2, 5] {
            let inside = in_pool(wished, |threads| (threads, rayon::current_num_threads()));
            assert_eq!(inside, (wished, wished));
        }
        assert_eq!(shared(Some(3)), rayon::current_num_threads());
    }

    #[test]
    fn work_is_done_or_given_back() {
        let done = spawn("worker", None, || 7).map(|thread| thread.join().expect("it does not panic"));
        assert_eq!(done.unwrap_or_else(|work| work()), 7);
        // No address space is that large.
        let given_back = spawn("giant", Some(1 << 60), || 8);
        assert_eq!(given_back.err().map(|work| work()), Some(8));
        let mut number = 1;
        std::thread::scope(|scope| drop(spawn_scoped(scope, || number += 1)));
        assert_eq!(number, 2);
    }
}
