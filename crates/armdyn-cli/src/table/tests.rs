//! Tables from pandas, pyarrow and NumPy (`tests/data/tables/make.py`), tables there and back, and tables with faults.

use super::fault::Place;
use super::{Block, MAX_COLUMNS, Progress, Quantity, Reader, TableError, Writer};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tables").join(name)
}

/// All rows, by blocks of `capacity`.
fn rows(reader: &mut Reader, capacity: usize) -> Result<Vec<Vec<f64>>, TableError> {
    let mut block = reader.block(capacity);
    let mut all = Vec::new();
    while reader.read(&mut block)? > 0 {
        assert!(block.rows() <= capacity);
        all.extend(block.iter().map(<[f64]>::to_vec));
    }
    Ok(all)
}

/// What `make.py` puts into column `c`: floats, or whole numbers.
fn cell(k: usize, c: usize, whole: bool) -> f64 {
    let n = (8 * k + c) as f64;
    if whole { n } else { n / 16.0 - 3.0 }
}

/// Checks a table of 20 rows; each column is its name, its `c`, and whether it holds whole numbers.
fn holds(file: &str, columns: &[(&str, usize, bool)]) {
    for capacity in [1, 3, 7, 20, 1000] {
        let mut reader = Reader::open(&data(file)).unwrap();
        assert_eq!(reader.names(), columns.iter().map(|c| c.0).collect::<Vec<_>>(), "{file}");
        let all = rows(&mut reader, capacity).unwrap();
        let expected = |k| columns.iter().map(|&(_, c, whole)| cell(k, c, whole)).collect();
        assert_eq!(all, (0..20).map(expected).collect::<Vec<Vec<f64>>>(), "{file} by {capacity}");
    }
}

#[test]
fn text_of_pandas() {
    let columns = [("time", 0, false), ("q1", 1, false), ("q2", 2, false)];
    for file in ["plain.csv", "semicolons.csv", "tabs.tsv", "mark_crlf.csv", "quoted.csv"] {
        holds(file, &columns);
    }
    let reader = Reader::open(&data("index.csv")).unwrap();
    assert_eq!(reader.names(), ["column 1", "time", "q1", "q2"]);
}

#[test]
fn parquet_of_arrow() {
    let columns =
        [("time", 0, false), ("q1", 1, false), ("n", 2, true), ("m", 3, true), ("u", 4, true), ("w", 5, true)];
    for file in ["none", "snappy", "gzip", "lz4", "zstd", "pages2", "plain", "encodings"] {
        holds(&format!("{file}.parquet"), &columns);
    }
    #[cfg(feature = "brotli")]
    holds("brotli.parquet", &columns);
    holds("pandas.parquet", &[("time", 0, false), ("q1", 1, false), ("q2", 2, false)]);
}

#[test]
fn arrays_of_numpy() {
    let columns = [("time", 0, false), ("q[0]", 1, false), ("q[1]", 2, false), ("q[2]", 3, false), ("n", 4, true)];
    for file in ["stored", "deflated", "fortran", "fortran_deflated", "big_endian", "small"] {
        holds(&format!("{file}.npz"), &columns);
    }
}

#[test]
fn selected_columns_in_the_order_given() {
    for file in ["plain.csv", "pandas.parquet"] {
        let mut reader = Reader::open(&data(file)).unwrap();
        reader.select(&[2, 0]).unwrap();
        let all = rows(&mut reader, 6).unwrap();
        assert_eq!(all, (0..20).map(|k| vec![cell(k, 2, false), cell(k, 0, false)]).collect::<Vec<_>>(), "{file}");
    }
    for file in ["stored.npz", "fortran.npz", "fortran_deflated.npz", "deflated.npz"] {
        let mut reader = Reader::open(&data(file)).unwrap();
        reader.select(&[3, 4, 1]).unwrap();
        let all = rows(&mut reader, 6).unwrap();
        let expected = |k| vec![cell(k, 3, false), cell(k, 4, true), cell(k, 1, false)];
        assert_eq!(all, (0..20).map(expected).collect::<Vec<_>>(), "{file}");
    }
}

#[test]
fn no_column_and_one_twice_are_refused() {
    let error = Reader::open(&data("plain.csv")).unwrap().select(&[]).unwrap_err();
    assert!(error.what.contains("none of the requested columns"), "{error}");
    let error = Reader::open(&data("plain.csv")).unwrap().select(&[1, 0, 1]).unwrap_err();
    assert_eq!((error.what.as_str(), error.column.as_deref()), ("is selected twice", Some("q1")));
}

#[test]
fn progress_ends_at_the_total() {
    for (file, known) in [("plain.csv", None), ("zstd.parquet", Some(20)), ("deflated.npz", Some(20))] {
        let mut reader = Reader::open(&data(file)).unwrap();
        assert_eq!(reader.rows(), known);
        rows(&mut reader, 6).unwrap();
        match reader.progress() {
            Progress::Bytes(done, total) => assert_eq!((done, total), (fs::metadata(data(file)).unwrap().len(), done)),
            Progress::Rows(done, total) => assert_eq!((done, total), (20, 20)),
        }
    }
}

/// The error that reading the columns named gives (all, if none is).
fn fault(path: &Path, columns: &[&str]) -> TableError {
    let read = || {
        let mut reader = Reader::open(path)?;
        let place = |n: &&str| reader.names().iter().position(|m| m == n).unwrap();
        let places: Vec<_> = columns.iter().map(place).collect();
        if !places.is_empty() {
            reader.select(&places)?;
        }
        rows(&mut reader, 6)
    };
    let error = read().expect_err(&path.display().to_string());
    assert_eq!(error.file, path);
    assert!(error.to_string().starts_with(&format!("`{}`", path.display())));
    error
}

#[test]
fn faults_in_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    let mut fault_of = |text: &[u8]| {
        count += 1;
        let path = folder.path().join(format!("{count}.csv"));
        fs::write(&path, text).unwrap();
        let error = fault(&path, &[]);
        (error.place, error.column, error.what)
    };
    let mut says = |text: &[u8], place: Place, column: Option<&str>, what: &str| {
        let (at, of, found) = fault_of(text);
        let shown = String::from_utf8_lossy(text);
        assert_eq!((at, of.as_deref()), (place, column), "{shown}: {found}");
        assert!(found.contains(what), "{shown}: {found}");
    };
    use Place::{Line, Whole};
    says(b"", Whole, None, "empty");
    says(b"\n# nothing\n\n", Whole, None, "no header");
    says(b"a,b\n\n", Whole, None, "no rows");
    says(b"1,2\n3,4\n", Line(1), None, "contains numbers");
    says(b"a,b,a\n1,2,3\n", Whole, None, "two columns named `a`");
    says(b"# by hand\n\na,b\n1,2\n# more\n\n3,x y\n", Line(7), Some("b"), "`x y` is not a number");
    says(b"a;b\r\n1;2\r\n0,5;2\r\n", Line(3), Some("a"), "`0,5` is not a number");
    says(b"a,b\n1,\n", Line(2), Some("b"), "empty cell");
    says(b"a,b\n1,NaN\n", Line(2), Some("b"), "`NaN` is not a finite number");
    says(b"a,b\n-inf,1\n", Line(2), Some("a"), "`-inf` is not a finite number");
    says(b"a,b\n1,1e999\n", Line(2), Some("b"), "`1e999` is not a finite number");
    says(b"a,b\n1,2\n3\n", Line(3), None, "has 1 cell, but there are 2 columns");
    says(b"a,b\n1,2,3\n", Line(2), None, "has 3 cells, but there are 2 columns");
    says(b"a,b\n1,\"2\n", Line(2), None, "quote");
    says(b"\xff\xfea\0,\0b\0\n", Line(1), None, "UTF-8");
    says(b"a\0,b\n1,2\n", Whole, None, "zero byte");
    says(b"a,b\n1,\xff\n", Line(2), None, "UTF-8");
    says(&vec![b'7'; 5 << 20], Line(1), None, "bytes");
    says(&[b"a\n", &vec![b'7'; 5 << 20][..]].concat(), Line(2), None, "bytes");
    says("n,".repeat(MAX_COLUMNS + 1).as_bytes(), Whole, None, "columns");
}

#[test]
fn the_last_line_needs_no_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    fs::write(&path, " a ,\"b, c\"\n +1 ,\"2\"\n   \n3,-4e-2").unwrap();
    let mut reader = Reader::open(&path).unwrap();
    assert_eq!(reader.names(), ["a", "b, c"]);
    assert_eq!(rows(&mut reader, 9).unwrap(), [[1.0, 2.0], [3.0, -0.04]]);
}

#[test]
fn faults_in_arrow_and_numpy_files() {
    let says = |file: &str, columns: &[&str], place: Place, what: &str| {
        let error = fault(&data(file), columns);
        assert_eq!((error.place, error.column.as_deref()), (place, columns.last().copied()), "{error}");
        assert!(error.what.contains(what), "{error}");
    };
    use Place::{Row, Whole};
    says("odd.parquet", &["time", "label"], Whole, "BYTE_ARRAY");
    says("odd.parquet", &["time", "hole"], Row(10), "is null");
    says("odd.parquet", &["when"], Whole, "Timestamp");
    says("odd.parquet", &["cents"], Whole, "Decimal");
    says("odd.parquet", &["list.list.element"], Whole, "lists");
    says("odd.parquet", &["flag"], Whole, "BOOLEAN");
    says("odd.parquet", &["huge"], Row(5), "9007199254740993 does not fit");
    says("odd.parquet", &["time", "gap"], Row(12), "NaN is not a finite number");
    says("no_rows.parquet", &[], Whole, "no rows");
    says("odd.npz", &["dt"], Whole, "0 dimensions");
    says("odd.npz", &["cube"], Whole, "3 dimensions");
    says("odd.npz", &["time", "label"], Whole, "<U1");
    says("odd.npz", &["half"], Whole, "<f2");
    says("odd.npz", &["pair"], Whole, "('a', '<f8')");
    says("odd.npz", &["huge"], Row(1), "9007199254740993 does not fit");
    says("odd.npz", &["time", "gap"], Row(12), "inf is not a finite number");
    says("lengths.npz", &[], Whole, "`q` has 7 rows, but `time` has 20");
    says("no_rows.npz", &[], Whole, "no rows");
    says("claims_rows.npz", &[], Whole, "[1000000000000]");
    says("claims_columns.npz", &[], Whole, "too many columns");
    says("claims_product.npz", &[], Whole, "too many columns");
    // What is not selected does not matter.
    for file in ["odd.parquet", "odd.npz"] {
        let mut reader = Reader::open(&data(file)).unwrap();
        reader.select(&[0]).unwrap();
        assert_eq!(rows(&mut reader, 6).unwrap(), (0..20).map(|k| [cell(k, 0, false)]).collect::<Vec<_>>());
    }
}

#[test]
fn faults_of_paths() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("folder.csv")).unwrap();
    for (name, what) in [("folder.csv", "is a folder"), ("none.npz", "cannot be read"), ("none.txt", "no extension")] {
        assert!(fault(&at(name), &[]).what.contains(what));
    }
    for ending in ["csv", "tsv", "parquet", "npz"] {
        let path = at(&format!("empty.{ending}"));
        fs::write(&path, "").unwrap();
        assert!(fault(&path, &[]).what.contains("is empty"));
    }
    let names = |names: &[&str]| names.iter().map(|n| Quantity::number(n)).collect::<Vec<_>>();
    let refused = |path: &Path, of: &[&str]| Writer::create(path, &names(of)).err().unwrap().what;
    assert!(refused(&at("folder.csv"), &["a"]).contains("not a file"));
    assert!(refused(&at("none/t.csv"), &["a"]).contains("cannot be written"));
    assert!(refused(&at("t.csv"), &[]).contains("no columns"));
    assert!(refused(&at("t.csv"), &["a", "a"]).contains("two columns named `a`"));
    assert!(refused(&at("t.csv"), &["a\nb"]).contains("not a valid column name"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5, "nothing is left behind");
}

/// Cut off anywhere, or with any byte changed, a file is read or refused: no panic.
#[test]
fn broken_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["snappy.parquet", "pages2.parquet", "plain.parquet", "encodings.parquet", "deflated.npz", "stored.npz"]
    {
        let whole = fs::read(data(name)).unwrap();
        let path = folder.path().join(name);
        let read = |bytes: &[u8]| {
            // A new file each time: some systems wait for the disk when one is overwritten.
            let _ = fs::remove_file(&path);
            fs::write(&path, bytes).unwrap();
            Reader::open(&path).and_then(|mut r| rows(&mut r, 9))
        };
        let good = read(&whole).unwrap();
        for cut in (0..whole.len()).step_by(7) {
            assert!(read(&whole[..cut]).is_err(), "{name} cut off at {cut}");
        }
        for k in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[k] ^= [0x01, 0x80, 0xff][k % 3];
            // Arrays carry a checksum; pages of pyarrow, by default, don't.
            if let (Ok(rows), "deflated.npz" | "stored.npz") = (read(&bytes), name) {
                assert_eq!(rows, good, "{name}, byte {k}");
            }
        }
    }
}

#[test]
fn nothing_is_left_of_an_unfinished_table() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["csv", "parquet", "npz"] {
        let path = folder.path().join(format!("t.{ending}"));
        fs::write(&path, "before").unwrap();
        let mut writer = Writer::create(&path, &[Quantity::number("a")]).unwrap();
        let mut block = Block::new(1, 2);
        block.push(&[1.0]);
        writer.write(&block).unwrap();
        block.push(&[f64::NAN]);
        let error = writer.write(&block).unwrap_err();
        assert_eq!((error.place, error.column.as_deref()), (Place::Row(3), Some("a")));
        drop(writer);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
#[cfg(unix)]
fn a_finished_table_has_the_rights_of_a_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("other"), "").unwrap();
    let rights = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
    Writer::create(&folder.path().join("t.csv"), &[Quantity::number("a")]).unwrap().finish().unwrap();
    assert_eq!(rights("t.csv"), rights("other"));
}

/// The npy header of an array in an npz, and the numbers after it: the file's arrays are stored, not compressed.
fn array(path: &Path, name: &str) -> (String, Vec<f64>) {
    let mut zip = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let mut bytes = vec![];
    std::io::Read::read_to_end(&mut zip.by_name(&format!("{name}.npy")).unwrap(), &mut bytes).unwrap();
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8(bytes[10..10 + length].to_vec()).unwrap();
    let number = |b: &[u8]| f64::from_le_bytes(b.try_into().unwrap());
    (header, bytes[10 + length..].chunks_exact(8).map(number).collect())
}

#[test]
fn a_quantity_is_one_array_of_an_npz() {
    let folder = tempfile::tempdir().unwrap();
    let parts = ["a", "b", "c"].map(String::from);
    let quantities = [Quantity::number("t"), Quantity::vector("tau", &parts), Quantity::symmetric("M", &parts)];
    let columns = ["t", "tau_a", "tau_b", "tau_c", "M_a_a", "M_a_b", "M_a_c", "M_b_b", "M_b_c", "M_c_c"];
    assert_eq!(super::columns(&quantities), columns);
    let path = folder.path().join("t.npz");
    let rows = (0..3).map(|k| (0..10).map(|c| f64::from(100 * k + c)).collect());
    Writer::put(&path, &quantities, rows).unwrap();
    let holds = |name: &str, shape: &str, expected: &dyn Fn(f64) -> Vec<f64>| {
        let (header, numbers) = array(&path, name);
        assert!(header.contains(&format!("'shape': {shape}, ")), "{header}");
        assert_eq!(numbers, [0.0, 100.0, 200.0].map(expected).concat(), "{name}");
    };
    holds("t", "(3,)", &|k| vec![k]);
    holds("tau", "(3, 3)", &|k| vec![k + 1.0, k + 2.0, k + 3.0]);
    // The lower triangle repeats the upper one.
    holds("M", "(3, 3, 3)", &|k| [4.0, 5.0, 6.0, 5.0, 7.0, 8.0, 6.0, 8.0, 9.0].map(|c| k + c).to_vec());
    assert_eq!(Reader::open(&path).unwrap().names(), ["t", "tau[0]", "tau[1]", "tau[2]", "M"]);
}

/// Not a test: the process that the next one interrupts.
#[test]
#[ignore = "runs until it is interrupted"]
fn writes_until_interrupted() {
    let Ok(folder) = std::env::var("ARMDYN_TEST_FOLDER") else { return };
    super::remove_unfinished_on_interrupt().unwrap();
    let mut writer = Writer::create(&Path::new(&folder).join("t.csv"), &[Quantity::number("a")]).unwrap();
    let mut block = Block::new(1, 1);
    block.push(&[1.0]);
    if std::env::var("ARMDYN_TEST_PANIC").is_ok() {
        let _stays = std::mem::ManuallyDrop::new(writer);
        panic!("on purpose");
    }
    loop {
        writer.write(&block).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
#[cfg(unix)]
fn an_interrupt_or_a_panic_leaves_nothing() {
    use std::process::{Command, Stdio};
    for signal in ["-INT", "-TERM", "panic"] {
        let folder = tempfile::tempdir().unwrap();
        let held = || fs::read_dir(folder.path()).unwrap().count();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "table::tests::writes_until_interrupted", "--ignored"]);
        child.env("ARMDYN_TEST_FOLDER", folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        if signal == "panic" {
            assert!(!child.env("ARMDYN_TEST_PANIC", "1").status().unwrap().success());
        } else {
            let mut child = child.spawn().unwrap();
            while held() == 0 && child.try_wait().unwrap().is_none() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            assert_eq!(held(), 1, "{signal}");
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        }
        assert_eq!(held(), 0, "{signal}");
    }
}

/// Finite numbers of every size, and those at the edges.
fn numbers() -> impl Strategy<Value = f64> {
    let edges = [
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::MIN,
        f64::EPSILON,
        0.1,
        1e23,
        9007199254740993.0,
    ];
    prop_oneof![
        4 => any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()),
        1 => proptest::sample::select(edges.to_vec()),
    ]
}

fn tables() -> impl Strategy<Value = (usize, Vec<f64>)> {
    (1_usize..6).prop_flat_map(|width| {
        let row = proptest::collection::vec(numbers(), width);
        (Just(width), proptest::collection::vec(row, 1..60).prop_map(|rows| rows.concat()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn there_and_back_bit_for_bit((width, values) in tables(), by in 1_usize..70, names in 0_usize..4) {
        let folder = tempfile::tempdir().unwrap();
        let name = |k: usize| match names {
            0 => format!("q[{k}]"),
            1 => format!("# joint \"{k}\", a; b"),
            2 => format!("tau{}", k + 1),
            _ => ["q[0]", "q[1]", "q", "q[2]", "y[1]"][k].to_string(),
        };
        let names: Vec<String> = (0..width).map(name).collect();
        // One array in an npz, whose columns are read by these names; else one array of each column.
        let quantities = match names[0].as_str() {
            "q[0]" if !names.contains(&"q".to_string()) => vec![Quantity::with_columns("q", names.clone())],
            _ => names.iter().map(|n| Quantity::number(n)).collect(),
        };
        for ending in ["csv", "tsv", "parquet", "npz"] {
            let path = folder.path().join(format!("t.{ending}"));
            let mut writer = Writer::create(&path, &quantities).unwrap();
            let mut block = Block::new(width, by);
            for rows in values.chunks(by * width) {
                block.clear();
                rows.chunks(width).for_each(|row| block.push(row));
                writer.write(&block).unwrap();
            }
            writer.finish().unwrap();
            let mut reader = Reader::open(&path).unwrap();
            prop_assert_eq!(reader.names(), &names[..]);
            let back = rows(&mut reader, 70 - by).unwrap().concat();
            let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&back), bits(&values), "{}", ending);
        }
        prop_assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
