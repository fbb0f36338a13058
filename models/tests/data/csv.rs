use crate::data::{directory, message, names, write};
use fedbits_models::data::csv::{Column, Columns, CsvFile, read_csv};

fn name(name: &str) -> Column {
    Column::Name(name.to_owned())
}

fn csv() -> CsvFile {
    CsvFile { header: Some(true), delimiter: Some(','), ..CsvFile::new("") }
}

fn error(text: &str, options: &CsvFile) -> String {
    let directory = directory();
    let path = write(&directory, "t.csv", text.as_bytes());
    message(read_csv(&path, options).expect_err("a bad file"), &directory)
}

#[test]
fn names_labels_and_clients_are_found() {
    let directory = directory();
    let path = write(&directory, "t.csv", b"id,x,class,y\nb, 1.5 ,dog,-2\na,3e2,cat,.5\n\nb,-0,dog,7");
    let options = CsvFile { label: Some(name("class")), client: Some(name("id")), ..csv() };
    let data = read_csv(&path, &options).unwrap();
    assert_eq!(data.columns(), names(&["x", "y"]));
    assert_eq!(data.rows(), [1.5, -2.0, 300.0, 0.5, 0.0, 7.0]);
    // Texts: order of first appearance.
    assert_eq!(data.labels(), Some(&[0, 1, 0][..]));
    assert_eq!(data.groups(), Some(&[0, 1, 0][..]));
}

#[test]
fn integers_are_numbered_in_numeric_order() {
    let directory = directory();
    let path = write(&directory, "t.csv", b"1;10\n2;-3\n3;9\n4;010\n");
    let options = CsvFile { header: Some(false), delimiter: Some(';'), label: Some(Column::Index(1)), ..csv() };
    let data = read_csv(&path, &options).unwrap();
    assert_eq!(data.columns(), names(&["column 0"]));
    // −3, 9, and 010 and 10, which are different texts.
    assert_eq!(data.labels(), Some(&[3, 0, 1, 2][..]));
}

#[test]
fn chosen_columns_keep_their_order() {
    let directory = directory();
    let path = write(&directory, "t.csv", b"a,b,c\n1,2,x\n4,5,y\n");
    let options = CsvFile { columns: Columns::Columns(vec![name("b"), Column::Index(0)]), ..csv() };
    let data = read_csv(&path, &options).unwrap();
    assert_eq!((data.columns(), data.rows()), (&names(&["b", "a"])[..], &[2.0, 1.0, 5.0, 4.0][..]));
}

#[test]
fn a_missing_file_is_named() {
    let directory = directory();
    let failure = read_csv(&directory.path().join("no.csv"), &csv()).unwrap_err();
    assert_eq!(message(failure, &directory), "no.csv: No such file or directory (os error 2)");
}

#[test]
fn empty_files_are_named() {
    let bare = CsvFile { header: Some(false), ..csv() };
    assert_eq!(error("", &csv()), "t.csv: no data: expected at least one row after the header");
    assert_eq!(error("a,b\n", &csv()), "t.csv: no data: expected at least one row after the header");
    assert_eq!(error("\n\n", &bare), "t.csv: no data: expected at least one row");
}

#[test]
fn bad_rows_and_cells_are_named() {
    let options = csv();
    assert_eq!(error("a,b\n1,2\n3\n", &options), "t.csv:3: expected 2 fields, found 1");
    assert_eq!(error("a,b\n1,2,3\n", &options), "t.csv:2: expected 2 fields, found 3");
    // As R writes them.
    let open = CsvFile { header: None, delimiter: None, ..csv() };
    for text in ["\"a\" \"b\"\n\"1\" 3 4\n\"2\" 5 6\n", "a\tb\n1\t3\t4\n2\t5\t6\n"] {
        assert_eq!(error(text, &open), "t.csv:2: expected 2 fields, found 3");
    }
    let comment =
        "t.csv:2: expected 1 field, as in the first row (comments and titles above a table are not skipped), found 2";
    assert_eq!(error("# of 2021\na,b\n1,2\n", &options), comment);
    // The rest of the file would be one cell, and its rows be missing.
    let open = "a double quote begins a cell in this row, and is closed nowhere after it";
    for text in ["a,b\n1,2\n\n3,\"4\n5,6\n", "a,b\n1,2\n\n\"3,4\n5,6", "a,b\n1,2\n\n3,\"\n"] {
        assert_eq!(error(text, &options), format!("t.csv:4: {open}"), "{text:?}");
    }
    assert_eq!(error("a,\"b\n1,2\n", &options), format!("t.csv:1: {open}"));
    assert_eq!(
        error("a,b\n1,2\n3,x4\n", &options),
        "t.csv:3: column `b`: expected a number, or a text of `missing_values`, found `x4`"
    );
    assert_eq!(error("a,b\n1,-inf\n", &options), "t.csv:2: column `b`: expected a finite number, found `-inf`");
    assert_eq!(error("a,b\n1,1e999\n", &options), "t.csv:2: column `b`: expected a finite number, found `1e999`");
    let separators = error("a;b\n1;2\n", &options);
    assert!(separators.ends_with("expected a number (has the file another `delimiter`?), found `1;2`"), "{separators}");
    let thousands = error("a\n\"1,000\"\n", &options);
    assert!(
        thousands.ends_with("with a decimal point and without separators of thousands, found `1,000`"),
        "{thousands}"
    );
    let bare = CsvFile { header: Some(false), ..options };
    assert_eq!(
        error("1,2\n!,2\n", &bare),
        "t.csv:2: column 0: expected a number, or a text of `missing_values`, found `!`"
    );
}

/// Lines are those of an editor: blank lines and line breaks within quotes count.
#[test]
fn lines_are_counted_as_in_an_editor() {
    let options = CsvFile { label: Some(name("t")), ..csv() };
    assert_eq!(
        error("a,t\n\n\n1,x\n\nz,y\n", &options),
        "t.csv:6: column `a`: expected a number, or a text of `missing_values`, found `z`"
    );
    assert_eq!(
        error("a,t\r\n\r\nz,x\r\n", &options),
        "t.csv:3: column `a`: expected a number (texts: `factors: OneHot`, or leave the column out of `columns`), found `z`"
    );
    assert_eq!(
        error("a,t\n1,\"two\nlines\"\nz,y\n", &options),
        "t.csv:4: column `a`: expected a number, or a text of `missing_values`, found `z`"
    );
    // As spreadsheets of old Macintoshes end them.
    assert_eq!(
        error("a,t\r\r1,x\rz,y\r", &options),
        "t.csv:4: column `a`: expected a number, or a text of `missing_values`, found `z`"
    );
}

#[test]
fn unknown_columns_get_a_hint() {
    let label = |column| CsvFile { label: Some(column), ..csv() };
    let text = "height,weight,class\n1,2,3\n";
    assert_eq!(error(text, &label(name("clas"))), "t.csv: no column `clas`: did you mean `class`?");
    assert_eq!(error(text, &label(name("Weigth"))), "t.csv: no column `Weigth`: did you mean `weight`?");
    assert_eq!(error(text, &label(name("zzz"))), "t.csv: no column `zzz`: there are `height`, `weight`, `class`");
    assert_eq!(error(text, &label(Column::Index(3))), "t.csv: no column 3: there are 3, numbered from 0");
    let bare = CsvFile { header: Some(false), ..label(name("class")) };
    assert_eq!(error("1,2\n", &bare), "t.csv: no column `class`: the file is read without a header, use an index");
}

/// A row of data in the place of names would be lost; numbers of columns are names.
#[test]
fn numbers_are_no_names() {
    let options = csv();
    for data in ["1.5,2\n3,4\n", "1,1\n0,1\n", "-1,2\n3,4\n"] {
        let said = error(data, &options);
        assert!(
            said.starts_with("t.csv:1: expected a first line with the names of the columns")
                && said.contains("`header: false`"),
            "{said}"
        );
    }
    let directory = directory();
    let path = write(&directory, "t.csv", b"1,2\n0,1\n");
    assert_eq!(read_csv(&path, &options).unwrap().columns(), names(&["1", "2"]));
}

/// The largest number that could be a year has no next one.
#[test]
fn a_first_row_of_huge_numbers_is_data() {
    let directory = directory();
    let path = write(&directory, "t.csv", b"4294967295,2\n4,5\n7,8\n");
    let data = read_csv(&path, &CsvFile { header: None, ..csv() }).unwrap();
    assert_eq!(data.rows(), [4_294_967_295.0, 2.0, 4.0, 5.0, 7.0, 8.0]);
}

#[test]
fn columns_have_one_part_each() {
    let twice = CsvFile { label: Some(name("b")), client: Some(Column::Index(1)), ..csv() };
    assert_eq!(error("a,b\n1,2\n", &twice), "t.csv: column `b` is used twice");
    let none = CsvFile { label: Some(name("a")), client: Some(name("b")), ..csv() };
    assert_eq!(error("a,b\n1,2\n", &none), "t.csv: no column is left for the numbers of an example");
}

#[test]
fn a_name_must_say_which_column() {
    let options = CsvFile { label: Some(name("a")), ..csv() };
    assert_eq!(error("a,b,a\n1,2,3\n", &options), "t.csv: the header has 2 columns `a`: expected its position from 0");
}

/// Spreadsheets write a byte order mark before the first name.
#[test]
fn a_byte_order_mark_is_no_part_of_a_name() {
    let directory = directory();
    let path = write(&directory, "t.csv", "\u{feff}a,b\n1,2\n".as_bytes());
    assert_eq!(read_csv(&path, &csv()).unwrap().columns(), names(&["a", "b"]));
}

/// Wherever in the file: a zero byte would end it, and other characters than Unicode's would make one name of two.
#[test]
fn only_unicode_is_text() {
    let directory = directory();
    let options = CsvFile { label: Some(name("class")), ..csv() };
    let read = |bytes: &[u8]| {
        let path = write(&directory, "t.csv", bytes);
        read_csv(&path, &options)
            .map(|data| data.labels().map(<[u32]>::to_vec))
            .map_err(|error| message(error, &directory))
    };
    let bare = b"a\0,\0b\0";
    let said = read(bare).unwrap_err();
    assert!(said.contains("a zero byte in line 1 (UTF-16 without its mark"), "{said}");
    // Half a character of UTF-16, at its end and before.
    for (end, line) in [(&b"\n\0x"[..], 3), (b"\x00\xd8\n\0", 2), (b"\x00\xdc", 2)] {
        let text = [&b"\xff\xfex\0,\0c\0l\0a\0s\0s\0\n\0"[..], b"1\0,\0", end].concat();
        let wrong =
            format!("t.csv: expected UTF-16 text, as its first bytes say, found half a character in line {line}");
        assert_eq!(read(&text), Err(wrong));
    }
    let latin1 = "(Latin-1 becomes UTF-8 by `iconv -f LATIN1 -t UTF-8`)";
    for rows in [1, 2_000, 20_000] {
        let text = ["x,class\n", &"1,a\n".repeat(rows)].concat();
        let with = |end: &[u8]| read(&[text.as_bytes(), end].concat());
        let line = rows + 2;
        for end in [&b"\0\n1,a\n"[..], b"\0", b"1,\0\n"] {
            assert_eq!(with(end), Err(format!("t.csv: expected UTF-8 text, found a zero byte in line {line}")));
        }
        for end in [&b"1,Ch\xe8\n1,Ch\xe9\n"[..], b"1,\xe9", b"1,\xf0\x9f\x98"] {
            let wrong = format!("t.csv: expected UTF-8 text, found other bytes in line {line} {latin1}");
            assert_eq!(with(end), Err(wrong), "{end:?}");
        }
    }
    // Characters that are read in two pieces.
    for shift in 0..4 {
        let text = ["x,class\n", &"1".repeat(1 + shift), &",\u{1f600}\n1,è\n1".repeat(9_000), ",è\n"].concat();
        assert_eq!(
            read(text.as_bytes()).unwrap().unwrap(),
            [0, 1].repeat(9_000).into_iter().chain([1]).collect::<Vec<_>>()
        );
    }
}
