//! The audit: is the charged length the length of a real bit string that the receiver decodes to the same vector?

use thiserror::Error;

use crate::{BitReader, BitWriter, CodecError, Compressor, Draw, Encoded};

/// How a message and its bit string differ.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum AuditError {
    /// The charge is not the length of the string.
    #[error("{compressor}: {charged} bits were charged, the string has {written}")]
    Length {
        /// Name of the compressor.
        compressor: String,
        /// Bits charged.
        charged: u64,
        /// Bits of the string.
        written: u64,
    },
    /// The string cannot be read.
    #[error("{compressor}: the written string cannot be read: {source}")]
    Unreadable {
        /// Name of the compressor.
        compressor: String,
        /// What the reader found.
        source: CodecError,
    },
    /// The reader stopped before the end of the string.
    #[error("{compressor}: {left} of {written} bits were not read")]
    Rest {
        /// Name of the compressor.
        compressor: String,
        /// Bits left.
        left: u64,
        /// Bits of the string.
        written: u64,
    },
    /// Other symbols were read than written.
    #[error("{compressor}: the symbols that were read are not those that were written")]
    Symbols {
        /// Name of the compressor.
        compressor: String,
    },
    /// The decoded vectors differ.
    #[error("{compressor}: entry {index} decodes to {sent:e} before and {received:e} after the wire")]
    Value {
        /// Name of the compressor.
        compressor: String,
        /// First entry that differs.
        index: usize,
        /// What the sender decodes.
        sent: f64,
        /// What the receiver decodes.
        received: f64,
    },
}

/// Writes the string of `message`, checks that its length is exactly [`Encoded::bits`], reads it back (with the key of
/// `draw`, if the ends share it) and compares the symbols and the decoded vector bit by bit. Returns the string; an
/// empty one, without looking, where the compressor has none ([`Compressor::has_string`]).
///
/// # Errors
/// What differs.
pub fn audit(compressor: &dyn Compressor, message: &Encoded, draw: Draw<'_>) -> Result<BitWriter, AuditError> {
    let mut writer = BitWriter::new();
    if !compressor.has_string() {
        return Ok(writer);
    }
    compressor.write_bits(message, &mut writer);
    let written = writer.length();
    if written != message.bits() {
        return Err(AuditError::Length { compressor: compressor.name(), charged: message.bits(), written });
    }
    read_back(compressor, message, draw, writer.words())?;
    Ok(writer)
}

/// Reads what arrived of `message`, whose string has [`Encoded::bits`] bits, as [`audit`] reads what was written.
///
/// # Errors
/// What differs.
pub fn read_back(
    compressor: &dyn Compressor,
    message: &Encoded,
    draw: Draw<'_>,
    words: &[u64],
) -> Result<Encoded, AuditError> {
    let (name, written) = (|| compressor.name(), message.bits());
    let (mut reader, mut received) = (BitReader::new(words, written), Encoded::new());
    compressor
        .read_bits(&mut reader, message.dimension(), draw.key(), &mut received)
        .map_err(|source| AuditError::Unreadable { compressor: name(), source })?;
    if reader.remaining() > 0 {
        return Err(AuditError::Rest { compressor: name(), left: reader.remaining(), written });
    }
    if received != *message {
        return Err(AuditError::Symbols { compressor: name() });
    }
    compare_decoded(compressor, message, &received)?;
    Ok(received)
}

fn compare_decoded(compressor: &dyn Compressor, sent: &Encoded, received: &Encoded) -> Result<(), AuditError> {
    let decode = |message: &Encoded| {
        let mut vector = vec![0.0; message.dimension()];
        compressor.decode(message, &mut vector);
        vector
    };
    let (before, after) = (decode(sent), decode(received));
    match before.iter().zip(&after).position(|(a, b)| a.to_bits() != b.to_bits()) {
        None => Ok(()),
        Some(index) => {
            Err(AuditError::Value { compressor: compressor.name(), index, sent: before[index], received: after[index] })
        }
    }
}
