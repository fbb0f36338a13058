use crate::data::{directory, message, write};
use fedbits_models::data::idx::read_idx;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use tempfile::TempDir;

/// Three images of 2 × 2 pixels: the format's own description, byte by byte.
fn images() -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2];
    bytes.extend([0, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    bytes
}

fn labels() -> Vec<u8> {
    vec![0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 9]
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn error(images: &[u8], labels: Option<&[u8]>) -> String {
    let directory = directory();
    let image_path = write(&directory, "images", images);
    let label_path = labels.map(|labels| write(&directory, "labels", labels));
    let failure = read_idx(&image_path, label_path.as_deref()).expect_err("a damaged file");
    message(failure, &directory)
}

fn check(directory: &TempDir, images: &[u8], labels: &[u8]) {
    let (images, labels) = (write(directory, "images", images), write(directory, "labels", labels));
    let data = read_idx(&images, Some(&labels)).expect("a whole file");
    assert_eq!((data.len(), data.dimension()), (3, 4));
    assert_eq!(data.rows(), [0.0, 255.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
    assert_eq!(data.labels(), Some(&[7, 0, 9][..]));
    assert_eq!(data.columns()[3], "pixel 3");
}

#[test]
fn raw_and_gzipped_files_give_the_same() {
    let directory = directory();
    check(&directory, &images(), &labels());
    check(&directory, &gz(&images()), &labels());
    check(&directory, &gz(&images()), &gz(&labels()));
}

#[test]
fn labels_are_optional() {
    let directory = directory();
    let path = write(&directory, "images", &images());
    assert_eq!(read_idx(&path, None).unwrap().labels(), None);
}

#[test]
fn wrong_files_are_named() {
    assert_eq!(error(&labels(), None), "images: truncated: expected 16 bytes, found 11");
    let mut swapped = labels();
    swapped.extend([0; 9]);
    assert_eq!(error(&swapped, None), "images: not an IDX file of images: expected magic number 2051, found 2049");
    assert_eq!(
        error(&images(), Some(&images())),
        "labels: not an IDX file of labels: expected magic number 2049, found 2051"
    );
    let directory = directory();
    let failure = read_idx(&directory.path().join("none"), None).unwrap_err();
    assert_eq!(message(failure, &directory), "none: No such file or directory (os error 2)");
}

#[test]
fn lengths_are_checked() {
    let (images, labels) = (images(), labels());
    assert_eq!(error(&[], None), "images: truncated: expected 16 bytes, found 0");
    assert_eq!(error(&images[..20], None), "images: truncated: expected 28 bytes, found 20");
    assert_eq!(error(&gz(&images[..20]), None), "images: truncated: expected 28 bytes, found 20 (uncompressed)");
    let long = [&images[..], &[1]].concat();
    assert_eq!(error(&long, None), "images: bytes after the end: the header promises 28 bytes, header included");
    assert_eq!(error(&gz(&long), None), "images: bytes after the end: the header promises 28 bytes, header included");
    let fewer = [&[0, 0, 8, 1, 0, 0, 0, 2], &labels[8..10]].concat();
    assert_eq!(error(&images, Some(&fewer)), "images has 3 images, but labels has 2 labels");
}

/// A gzip stream cut in the middle is a truncated file; a flipped bit in its checksum is a damaged one.
#[test]
fn damaged_gzip_streams_are_reported() {
    let packed = gz(&images());
    let cut = error(&packed[..14], None);
    assert!(cut.starts_with("images: truncated: expected 16 bytes, found "), "{cut}");
    let mut flipped = packed.clone();
    let checksum = flipped.len() - 8;
    flipped[checksum] ^= 1;
    assert_eq!(error(&flipped, None), "images: corrupt gzip stream does not have a matching checksum");
}

/// A header may claim anything: no memory is taken on its word.
#[test]
fn impossible_headers_are_rejected() {
    let header = |n: [u8; 4]| [&[0, 0, 8, 3][..], &n, &[0, 0, 0, 2], &[0, 0, 0, 2]].concat();
    assert_eq!(error(&header([0; 4]), None), "images: impossible dimensions [0, 2, 2] in the header");
    assert_eq!(error(&header([255; 4]), None), "images: truncated: expected 17179869196 bytes, found 16");
    let huge = [&[0, 0, 8, 3][..], &[255; 12]].concat();
    assert_eq!(error(&huge, None), "images: impossible dimensions [4294967295, 4294967295, 4294967295] in the header");
}
