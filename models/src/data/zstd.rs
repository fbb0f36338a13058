//! Files packed with zstd (RFC 8878): frames one after the other, each with its checksum where it has one.

use std::error::Error as StdError;
use std::io::{self, BufRead, Error, ErrorKind, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// How a frame begins.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// What is in all frames of a file.
pub(super) struct Frames<R> {
    file: R,
    decoder: FrameDecoder,
    /// Whether a frame has begun whose end was not seen.
    inside: bool,
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(file: R) -> Self {
        Self { file, decoder: FrameDecoder::new(), inside: false }
    }

    /// Begins the next frame that has data; false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.file.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.file) {
                Ok(()) => {
                    self.inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    io::copy(&mut self.file.by_ref().take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(damaged(error)),
            }
        }
        Ok(false)
    }

    /// Ends a frame of which all was read.
    fn end(&mut self) -> io::Result<()> {
        self.inside = false;
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(written), Some(found)) if written != found => {
                Err(damaged(format!("its checksum is {found:08x}, and {written:08x} is written in it")))
            }
            _ => Ok(()),
        }
    }
}

fn damaged(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
    Error::new(ErrorKind::InvalidData, format!("the zstd file is damaged: {}", error.into()))
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.inside && !self.begin()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let more = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.file, more).map_err(damaged)?;
            }
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            self.end()?;
        }
    }
}
