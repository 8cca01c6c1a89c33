//! Tables as text: a line of names, then one line per row; separated by commas, semicolons or tabs.
//!
//! RFC 4180, with these deviations: a cell ends at the end of its line, so that an unclosed quote is found early; blank lines
//! and lines that begin with `#` are skipped; spaces around a cell are ignored. The separator is that of the header. Numbers
//! are written with the fewest digits that restore them exactly (Ryū).

use super::atomic_file::AtomicFile;
use super::{Block, Progress, TableError};
use crate::format::many;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// The longest line \[bytes\].
const LONGEST: u64 = 4 << 20;

/// The byte order mark that some programs write.
const MARK: &str = "\u{feff}";

pub(super) struct CsvReader {
    path: PathBuf,
    input: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    /// Its line number, from 1.
    number: u64,
    done: u64,
    total: u64,
    separator: u8,
    /// For each column, its index in a row, if it is selected.
    places: Vec<Option<usize>>,
}

impl CsvReader {
    /// Reads text of `total` bytes (0 if unknown).
    pub fn open(path: &Path, input: Box<dyn Read + Send>, total: u64) -> Result<(Vec<String>, Self), TableError> {
        let input = BufReader::with_capacity(1 << 18, input);
        let (path, line) = (path.to_path_buf(), Vec::new());
        let mut reader =
            CsvReader { path, input, line, number: 0, done: 0, total, separator: b',', places: Vec::new() };
        if !reader.next()? {
            return Err(reader.fault("has no header", "add a first line with the column names"));
        }
        let header = reader.text()?;
        if header.contains('\0') {
            return Err(reader.fault("is not text (it contains a zero byte)", "export it as CSV in UTF-8"));
        }
        let separator = separator(header);
        let cells = cells(header, separator).map_err(|what| reader.here(what, CLOSE_QUOTES))?;
        if cells.iter().all(|c| c.trim().parse::<f64>().is_ok()) {
            return Err(reader.here("contains numbers instead of column names", "add a header line before it"));
        }
        let name = |(k, c): (usize, &Cow<str>)| match c.trim() {
            "" => format!("column {}", k + 1),
            name => name.to_string(),
        };
        let names: Vec<String> = cells.iter().enumerate().map(name).collect();
        reader.separator = separator;
        Ok((names, reader))
    }

    pub fn progress(&self) -> Progress {
        Progress::Bytes(self.done, self.total.max(self.done))
    }

    pub fn select(&mut self, names: usize, columns: &[usize]) {
        self.places = vec![None; names];
        for (place, &column) in columns.iter().enumerate() {
            self.places[column] = Some(place);
        }
    }

    pub fn fill(&mut self, names: &[String], block: &mut Block) -> Result<(), TableError> {
        let mut row = vec![0.0; block.width()];
        while !block.is_full() && self.next()? {
            let text = self.text()?;
            let mut count = 0;
            let mut take = |cell: &str| {
                if let Some(Some(place)) = self.places.get(count) {
                    row[*place] = number(cell).map_err(|(what, fix)| self.here(what, fix).column(&names[count]))?;
                }
                count += 1;
                Ok(())
            };
            // Fast path: lines without quotes.
            if text.contains('"') {
                let cells = cells(text, self.separator).map_err(|what| self.here(what, CLOSE_QUOTES))?;
                cells.iter().try_for_each(|c| take(c))?;
            } else {
                text.split(char::from(self.separator)).try_for_each(take)?;
            }
            if count != names.len() {
                let what = format!("has {}, but there are {}", many(count, "cell"), many(names.len(), "column"));
                return Err(self.here(what, "write one cell per column"));
            }
            block.push(&row);
        }
        Ok(())
    }

    /// Reads the next line that is neither blank nor a comment; false at the end.
    fn next(&mut self) -> Result<bool, TableError> {
        loop {
            self.line.clear();
            let read = (&mut self.input).take(LONGEST).read_until(b'\n', &mut self.line);
            let read = read.map_err(|e| self.fault(format!("cannot be read: {e}"), "read it again"))? as u64;
            if read == 0 {
                return Ok(false);
            }
            (self.number, self.done) = (self.number + 1, self.done + read);
            if read == LONGEST && self.line.last() != Some(&b'\n') {
                return Err(self.here(format!("has more than {LONGEST} bytes"), "end each row with a newline"));
            }
            if self.number == 1 && self.line.starts_with(MARK.as_bytes()) {
                self.line.drain(..MARK.len());
            }
            if self.line.trim_ascii_start().first().is_some_and(|&c| c != b'#') {
                return Ok(true);
            }
        }
    }

    fn text(&self) -> Result<&str, TableError> {
        let text = str::from_utf8(&self.line).map_err(|_| self.here("is not UTF-8", "save the text as UTF-8"))?;
        Ok(text.trim_end_matches(['\n', '\r']))
    }

    fn fault(&self, what: impl Into<String>, fix: &str) -> TableError {
        TableError::new(&self.path, what, fix)
    }

    fn here(&self, what: impl Into<String>, fix: &str) -> TableError {
        self.fault(what, fix).line(self.number)
    }
}

const CLOSE_QUOTES: &str = "close each quote on its line";

/// The most frequent separator in the header, outside quotes.
fn separator(header: &str) -> u8 {
    let mut found = [(b'\t', 0), (b';', 0), (b',', 0)];
    let mut quoted = false;
    for byte in header.bytes() {
        quoted ^= byte == b'"';
        for (separator, count) in &mut found {
            *count += usize::from(byte == *separator && !quoted);
        }
    }
    found.into_iter().max_by_key(|f| f.1).map_or(b',', |f| f.0)
}

/// The cells of a line, possibly quoted.
fn cells(line: &str, separator: u8) -> Result<Vec<Cow<'_, str>>, String> {
    if !line.contains('"') {
        return Ok(line.split(char::from(separator)).map(Cow::Borrowed).collect());
    }
    if line.bytes().filter(|&c| c == b'"').count() % 2 == 1 {
        return Err("has a quote that is not closed".to_string());
    }
    let mut builder = csv::ReaderBuilder::new();
    let builder = builder.has_headers(false).delimiter(separator).buffer_capacity(line.len());
    let mut records = builder.from_reader(line.as_bytes()).into_records();
    let record = records.next().and_then(Result::ok).ok_or("cannot be split into cells")?;
    Ok(record.iter().map(|c| Cow::Owned(c.to_string())).collect())
}

/// The number in a cell, or what is wrong and how to fix it.
fn number(cell: &str) -> Result<f64, (String, &'static str)> {
    let cell = cell.trim();
    match cell.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err((format!("`{}` is not a finite number", excerpt(cell)), "fix or remove the row")),
        Err(_) if cell.is_empty() => Err(("empty cell".to_string(), "write a number")),
        Err(_) => Err((format!("`{}` is not a number", excerpt(cell)), "write it like 0.5 or 5e-1, with a point")),
    }
}

fn excerpt(cell: &str) -> String {
    let shown: String = cell.chars().take(40).collect();
    if shown.len() < cell.len() { format!("{}…", shown.escape_debug()) } else { shown.escape_debug().to_string() }
}

pub(super) struct CsvWriter {
    output: BufWriter<AtomicFile>,
    separator: u8,
}

impl CsvWriter {
    pub fn create(file: AtomicFile, names: &[String], separator: u8) -> Result<Self, TableError> {
        let mut header = csv::WriterBuilder::new().delimiter(separator).comment(Some(b'#')).from_writer(Vec::new());
        let header = header
            .write_record(names)
            .map_err(io::Error::from)
            .and_then(|()| header.into_inner().map_err(|e| io::Error::other(e.to_string())));
        let mut writer = CsvWriter { output: BufWriter::with_capacity(1 << 18, file), separator };
        let written = header.and_then(|header| writer.output.write_all(&header));
        written.map_err(|e| writer.fault(e))?;
        Ok(writer)
    }

    pub fn write(&mut self, block: &Block) -> Result<(), TableError> {
        block.iter().try_for_each(|row| self.row(row)).map_err(|e| self.fault(e))
    }

    pub fn finish(self) -> Result<(), TableError> {
        let target = self.output.get_ref().target.clone();
        self.output.into_inner().map_err(|e| TableError::unwritable(&target, e.error()))?.finish()
    }

    fn row(&mut self, row: &[f64]) -> io::Result<()> {
        let mut digits = ryu::Buffer::new();
        for (k, &x) in row.iter().enumerate() {
            if k > 0 {
                self.output.write_all(&[self.separator])?;
            }
            self.output.write_all(digits.format_finite(x).as_bytes())?;
        }
        self.output.write_all(b"\n")
    }

    fn fault(&self, why: io::Error) -> TableError {
        TableError::unwritable(&self.output.get_ref().target, why)
    }
}
