//! CRC-32C (Castagnoli; RFC 3720, appendix B.4), which event files of TensorBoard are checked by.

/// The polynomial 0x1EDC6F41, lowest bit first.
const POLYNOMIAL: u32 = 0x82f6_3b78;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut rest, mut bit) = (byte as u32, 0);
        while bit < 8 {
            rest = (rest >> 1) ^ if rest & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
};

/// The checksum of some bytes.
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |rest: u32, &byte| (rest >> 8) ^ TABLE[usize::from(rest as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::crc32c;

    /// The vectors of RFC 3720, B.4, and the check value of the catalogue of CRC algorithms.
    #[test]
    fn published_vectors() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        let up: Vec<u8> = (0..32).collect();
        let down: Vec<u8> = (0..32).rev().collect();
        assert_eq!((crc32c(&up), crc32c(&down)), (0x46dd_794e, 0x113f_db5c));
        assert_eq!(crc32c(b""), 0);
    }
}
