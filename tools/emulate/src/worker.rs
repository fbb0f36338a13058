//! A thread that waits for descriptors, one of which wakes it.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

use crate::error::EmulateError;

/// A running thread; dropping it wakes the thread and waits for its end.
pub(crate) struct Worker {
    wake: UnixStream,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Does `work`, which gets the descriptor that can be read when it is woken.
    pub(crate) fn start(name: &str, work: impl FnOnce(UnixStream) + Send + 'static) -> Result<Self, EmulateError> {
        let (wake, woken) = UnixStream::pair().map_err(EmulateError::failed("a pair of sockets"))?;
        let quiet = woken.set_nonblocking(true).and_then(|()| wake.set_nonblocking(true));
        quiet.map_err(EmulateError::failed("a pair of sockets"))?;
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(woken));
        Ok(Self { wake, thread: Some(thread.map_err(EmulateError::failed("a thread cannot be made"))?) })
    }

    pub(crate) fn wake(&mut self) {
        // When the pipe is full the thread wakes anyway.
        let _ = self.wake.write(&[1]);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.wake();
        if let Some(thread) = self.thread.take() {
            // A panic has said why.
            let _ = thread.join();
        }
    }
}
