//! The files of other tools, decoded by code that is written from their documentation alone: messages of Protocol
//! Buffers, the logs of TensorBoard and W&B, the archives of NumPy.

use std::collections::BTreeMap;

/// The fields of a message of Protocol Buffers: numbers and what they hold.
#[derive(Clone)]
pub enum Field {
    Whole(u64),
    Bytes(Vec<u8>),
}

impl Field {
    pub fn text(&self) -> String {
        match self {
            Self::Bytes(bytes) => String::from_utf8(bytes.clone()).unwrap(),
            Self::Whole(_) => panic!("a number"),
        }
    }

    pub fn message(&self) -> Vec<(u64, Field)> {
        match self {
            Self::Bytes(bytes) => message(bytes),
            Self::Whole(_) => panic!("a number"),
        }
    }
}

pub fn message(mut bytes: &[u8]) -> Vec<(u64, Field)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let mut take = |count: usize| {
            let (taken, rest) = bytes.split_at(count);
            bytes = rest;
            taken.to_vec()
        };
        let field = match tag & 7 {
            1 => Field::Whole(u64::from_le_bytes(take(8).try_into().unwrap())),
            5 => Field::Whole(u32::from_le_bytes(take(4).try_into().unwrap()).into()),
            0 => Field::Whole(varint(&mut bytes)),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (taken, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(taken.to_vec())
            }
            wire => panic!("wire type {wire}"),
        };
        fields.push((tag >> 3, field));
    }
    fields
}

pub fn all(fields: &[(u64, Field)], number: u64) -> Vec<Field> {
    fields.iter().filter(|(own, _)| *own == number).map(|(_, field)| field.clone()).collect()
}

pub fn whole(fields: &[(u64, Field)], number: u64) -> u64 {
    all(fields, number).last().map_or(0, |field| match field {
        Field::Whole(value) => *value,
        Field::Bytes(_) => panic!("bytes"),
    })
}

/// CRC-32C bit by bit, checked by its published value, and turned as in TFRecord files.
fn masked_crc32c(bytes: &[u8]) -> u32 {
    fn crc32c(bytes: &[u8]) -> u32 {
        let mut rest = !0u32;
        for byte in bytes {
            rest ^= u32::from(*byte);
            for _ in 0..8 {
                rest = if rest & 1 == 1 { (rest >> 1) ^ 0x82f6_3b78 } else { rest >> 1 };
            }
        }
        !rest
    }
    assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    let checksum = crc32c(bytes);
    checksum.rotate_right(15).wrapping_add(0xa282_ead8)
}

pub fn tf_records(mut file: &[u8]) -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    let checksum = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    while !file.is_empty() {
        let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
        assert_eq!(checksum(&file[8..12]), masked_crc32c(&file[..8]));
        let data = &file[12..12 + length];
        assert_eq!(checksum(&file[12 + length..16 + length]), masked_crc32c(data));
        records.push(data.to_vec());
        file = &file[16 + length..];
    }
    records
}

/// The data of a log of LevelDB in W&B's version.
pub fn log_data(file: &[u8]) -> Vec<Vec<u8>> {
    assert_eq!(file[..7], [b':', b'W', b'&', b'B', 0xe1, 0xbe, 0]);
    let (mut at, mut data, mut begun, mut found) = (7, Vec::new(), false, Vec::new());
    while at < file.len() {
        let left = 32768 - at % 32768;
        if left < 7 {
            assert!(file[at..at + left].iter().all(|&byte| byte == 0));
            at += left;
            continue;
        }
        let length = usize::from(u16::from_le_bytes([file[at + 4], file[at + 5]]));
        assert!(7 + length <= left, "no piece goes over the end of a block");
        let piece = &file[at + 7..at + 7 + length];
        let checksum = crc32fast::hash(&[&file[at + 6..at + 7], piece].concat());
        assert_eq!(file[at..at + 4], checksum.to_le_bytes());
        // A first piece may be empty, at the end of a block.
        assert_eq!(!begun, [1, 2].contains(&file[at + 6]), "a first piece, or a further one");
        data.extend(piece);
        begun = [2, 3].contains(&file[at + 6]);
        if !begun {
            found.push(std::mem::take(&mut data));
        }
        at += 7 + length;
    }
    assert!(!begun);
    found
}

/// The arrays of a zip archive whose files are stored, by name: what follows the header of each, as doubles.
pub fn stored_arrays(file: &[u8]) -> BTreeMap<String, (String, Vec<u8>)> {
    let short = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
    let long = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let end = file.windows(4).rposition(|bytes| bytes == b"PK\x05\x06").unwrap();
    let (count, mut at) = (short(end + 10), long(end + 16) as usize);
    let mut arrays = BTreeMap::new();
    for _ in 0..count {
        assert_eq!((&file[at..at + 4], short(at + 10)), (&b"PK\x01\x02"[..], 0), "a file that is stored");
        let (length, local) = (long(at + 24) as usize, long(at + 42) as usize);
        let name = String::from_utf8(file[at + 46..at + 46 + short(at + 28)].to_vec()).unwrap();
        assert_eq!(long(at + 12) >> 16, (1 << 5) + 1, "the date is the first that zip archives know");
        let begin = local + 30 + short(local + 26) + short(local + 28);
        let array = &file[begin..begin + length];
        assert_eq!(crc32fast::hash(array), long(at + 16), "{name}");
        assert_eq!(&array[..8], b"\x93NUMPY\x01\x00");
        let header = usize::from(u16::from_le_bytes([array[8], array[9]]));
        assert_eq!((10 + header) % 64, 0);
        let text = String::from_utf8(array[10..10 + header].to_vec()).unwrap();
        arrays.insert(name.strip_suffix(".npy").unwrap().to_owned(), (text, array[10 + header..].to_vec()));
        at += 46 + short(at + 28) + short(at + 30) + short(at + 32);
    }
    arrays
}
