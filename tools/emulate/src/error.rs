//! What can keep an emulation from beginning, or end it. It must not know how it is run.

use thiserror::Error;

/// Why there is no emulation, or none to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmulateError {
    /// The kernel does not let this process make its networks.
    #[error(
        "this process may not {what}: {source}. An emulation needs the capabilities CAP_SYS_ADMIN and CAP_NET_ADMIN \
         and the device /dev/net/tun: run it as root (`sudo fedbits-emulate …`), in a user namespace (`unshare \
         --map-root-user --net fedbits-emulate …`), or in a container with `--privileged --device /dev/net/tun`"
    )]
    Rights {
        /// What was tried.
        what: String,
        /// What the kernel says.
        source: std::io::Error,
    },
    /// What was asked cannot be played.
    #[error("{0}")]
    Unfit(String),
    /// The kernel does not have this congestion control.
    #[error("this kernel does not offer the congestion control `{name}` here: expected one of {available}")]
    Congestion {
        /// What was asked for.
        name: String,
        /// What there is.
        available: String,
    },
    /// A connection, a device or a thread failed.
    #[error("{what}: {source}{}", more_files(source))]
    Failed {
        /// What was tried.
        what: String,
        /// What the kernel says.
        source: std::io::Error,
    },
    /// Other bytes arrived than were sent.
    #[error("the bytes that node {to} received are not those that node {from} sent: byte {byte} of {length} differs")]
    Bytes {
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
        /// The first byte that differs.
        byte: usize,
        /// Bytes sent.
        length: usize,
    },
    /// It took longer than it may.
    #[error("the emulation did not end within {seconds} s of real time; {under_way} transfers are under way")]
    TooLong {
        /// Transfers under way.
        under_way: usize,
        /// The limit.
        seconds: u64,
    },
}

impl EmulateError {
    /// Makes the failure of `what` of a system's error.
    pub(crate) fn failed(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        |source| Self::Failed { what: what.into(), source }
    }

    /// An error of the system whose usual reason is a lack of rights.
    pub(crate) fn rights(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        |source| match is_short_of_files(&source) {
            true => Self::Failed { what: format!("cannot {}", what.into()), source },
            false => Self::Rights { what: what.into(), source },
        }
    }

    /// Was it never begun, because the machine or the input does not allow it?
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Rights { .. } | Self::Unfit(_) | Self::Congestion { .. } => true,
            Self::Failed { source, .. } => is_short_of_files(source),
            Self::Bytes { .. } | Self::TooLong { .. } => false,
        }
    }
}

fn more_files(error: &std::io::Error) -> &'static str {
    let advice = ". Each node takes five open files: raise their limit (`ulimit -n 4096`)";
    if is_short_of_files(error) { advice } else { "" }
}

/// May the process not open as many files as it needs?
fn is_short_of_files(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}
