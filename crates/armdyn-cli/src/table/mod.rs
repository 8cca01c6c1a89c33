//! Tables of states: named columns of numbers, read and written in blocks of rows, as CSV, Parquet, npz or MCAP.
//!
//! A [`Reader`] holds one block and what its format requires (a line, a page per column, a section of an array), however long
//! the file is. A [`Writer`] writes to a temporary file and renames it at the end: the target is complete or absent.
//! Blocks are row-major: a row is one state. [`Reader::select`] selects columns and their order, so that a row can be split
//! into q, q̇, q̈; other columns are ignored and may contain anything.
//!
//! Rows and lines count from 1. Non-finite numbers are errors, in reading and in writing.
//!
//! Standard streams are tables too: Parquet and npz are not read and written in order, so a temporary file holds them.

mod atomic_file;
pub mod columns;
mod csv;
mod fault;
#[cfg(feature = "mcap")]
mod mcap;
mod npz;
mod parquet;
mod quantity;
mod section;
#[cfg(test)]
mod tests;

pub use atomic_file::{AtomicFile, Scratch, put_all, remove_unfinished_on_interrupt};
pub use fault::TableError;
pub use quantity::Quantity;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

/// The maximum number of columns.
pub const MAX_COLUMNS: usize = 16_384;

/// Rows of a table, row-major.
#[derive(Clone, Debug)]
pub struct Block {
    width: usize,
    capacity: usize,
    values: Vec<f64>,
}

impl Block {
    /// An empty block of rows of `width` numbers, with room for `capacity` (at least one) of them.
    pub fn new(width: usize, capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Block { width, capacity, values: Vec::with_capacity(width * capacity) }
    }

    /// Numbers in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Maximum number of rows.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    pub fn is_full(&self) -> bool {
        self.rows() == self.capacity
    }

    /// A row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }

    /// The rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.width.max(1))
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[f64]) {
        assert_eq!(row.len(), self.width, "a row of {} numbers in a block of width {}", row.len(), self.width);
        assert!(!self.is_full(), "the block is full");
        self.values.extend_from_slice(row);
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Sets `rows` rows, to be filled, possibly more than before.
    pub fn reset(&mut self, rows: usize) {
        self.values.resize(rows * self.width, 0.0);
    }

    /// All numbers, row-major.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Row and column (from 0) of the first non-finite number.
    fn first_not_finite(&self) -> Option<(usize, usize)> {
        // A sum over a piece is fast; the place is searched once.
        let pieces = self.values.chunks(1024).enumerate();
        let mut wrong = pieces.filter(|(_, piece)| !piece.iter().fold(true, |finite, x| finite & x.is_finite()));
        let (piece, values) = wrong.next()?;
        let k = 1024 * piece + values.iter().position(|x| !x.is_finite())?;
        Some((k / self.width, k % self.width))
    }
}

/// Progress of a reader: in bytes if the number of rows is unknown (CSV), else in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Bytes read, and the file size.
    Bytes(u64, u64),
    /// Rows read, and the number of rows.
    Rows(u64, u64),
}

/// A format of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text, separated by commas
    #[default]
    Csv,
    /// Text, separated by tabs
    Tsv,
    /// Apache Parquet
    Parquet,
    /// NumPy arrays
    Npz,
    /// Joint states of ROS 2
    #[value(skip)]
    Mcap,
}

impl Format {
    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Result<Self, TableError> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Ok(Format::Csv),
            "tsv" => Ok(Format::Tsv),
            "parquet" => Ok(Format::Parquet),
            "npz" => Ok(Format::Npz),
            "mcap" if cfg!(feature = "mcap") => Ok(Format::Mcap),
            "mcap" => {
                let fix = "build armdyn with `--features mcap`, or convert the file to .csv, .parquet or .npz";
                Err(TableError::new(path, "is an MCAP file, which this build of armdyn does not support", fix))
            }
            _ => {
                let fix = "name it .csv, .tsv, .parquet, .npz or .mcap";
                Err(TableError::new(path, "has no extension of a known format", fix))
            }
        }
    }
}

enum Source {
    Csv(csv::CsvReader),
    Parquet(parquet::ParquetReader),
    Npz(npz::NpzReader),
    #[cfg(feature = "mcap")]
    Mcap(Box<mcap::McapReader>),
}

/// A table being read.
pub struct Reader {
    path: PathBuf,
    names: Vec<String>,
    selected: Option<Vec<usize>>,
    source: Source,
    read: u64,
    ended: bool,
}

impl Reader {
    /// Opens a table; its format by its name's ending.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let format = Format::of(path)?;
        let unreadable = |e: std::io::Error| {
            TableError::new(path, format!("cannot be read: {e}"), "check the path and who may read it")
        };
        let about = std::fs::metadata(path).map_err(unreadable)?;
        if !about.is_file() {
            let what = if about.is_dir() { "is a folder" } else { "is not a file" };
            return Err(TableError::new(path, what, "name the table's file"));
        }
        if about.len() == 0 {
            return Err(TableError::new(path, "is empty", "a table begins with its columns' names"));
        }
        let file = File::open(path).map_err(unreadable)?;
        match format {
            Format::Csv | Format::Tsv => Reader::of_text(path, Box::new(file), about.len()),
            _ => Reader::of_file(path, format, file, about.len()),
        }
    }

    /// Reads a table from standard input.
    pub fn stdin(format: Format) -> Result<Self, TableError> {
        let (path, input) = (Path::new("stdin"), io::stdin());
        match format {
            Format::Csv | Format::Tsv => Reader::of_text(path, Box::new(input), 0),
            _ => {
                let (file, bytes) = spooled(input).map_err(|e| {
                    TableError::new(path, format!("cannot be read: {e}"), "check the space for temporary files")
                })?;
                Reader::of_file(path, format, file, bytes)
            }
        }
    }

    fn of_text(path: &Path, input: Box<dyn Read + Send>, bytes: u64) -> Result<Self, TableError> {
        let (names, reader) = csv::CsvReader::open(path, input, bytes)?;
        Reader::new(path, names, Source::Csv(reader))
    }

    fn of_file(path: &Path, format: Format, file: File, bytes: u64) -> Result<Self, TableError> {
        if format == Format::Parquet {
            let (names, reader) = parquet::ParquetReader::open(path, file, bytes)?;
            return Reader::new(path, names, Source::Parquet(reader));
        }
        #[cfg(feature = "mcap")]
        if format == Format::Mcap {
            let (names, reader) = mcap::McapReader::open(path, file)?;
            return Reader::new(path, names, Source::Mcap(Box::new(reader)));
        }
        let (names, reader) = npz::NpzReader::open(path, file, bytes)?;
        Reader::new(path, names, Source::Npz(reader))
    }

    fn new(path: &Path, names: Vec<String>, source: Source) -> Result<Self, TableError> {
        check_names(path, &names)?;
        Ok(Reader { path: path.to_path_buf(), names, selected: None, source, read: 0, ended: false })
    }

    /// The names of all columns, in the file's order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many rows there are, where the file says so (not CSV and MCAP).
    pub fn rows(&self) -> Option<u64> {
        match &self.source {
            Source::Csv(_) => None,
            Source::Parquet(reader) => Some(reader.rows()),
            Source::Npz(reader) => Some(reader.rows()),
            #[cfg(feature = "mcap")]
            Source::Mcap(_) => None,
        }
    }

    /// How far reading is.
    pub fn progress(&self) -> Progress {
        match &self.source {
            Source::Csv(reader) => reader.progress(),
            _ => Progress::Rows(self.read, self.rows().unwrap_or(self.read)),
        }
    }

    /// Selects the columns of a row by their indices in [`Reader::names`], in this order; by default all. Call it before the
    /// first [`Reader::read`]; selecting a column without numbers is an error.
    pub fn select(&mut self, columns: &[usize]) -> Result<(), TableError> {
        assert_eq!(self.read, 0, "columns are selected before the first row is read");
        if columns.is_empty() {
            return Err(TableError::new(&self.path, "has none of the requested columns", "rename its columns"));
        }
        let mut seen = HashSet::new();
        if let Some(&twice) = columns.iter().find(|c| !seen.insert(**c)) {
            let error = TableError::new(&self.path, "is selected twice", "use one column per quantity");
            return Err(error.column(&self.names[twice]));
        }
        match &mut self.source {
            Source::Csv(reader) => reader.select(self.names.len(), columns),
            Source::Parquet(reader) => reader.select(&self.names, columns)?,
            Source::Npz(reader) => reader.select(&self.names, columns)?,
            #[cfg(feature = "mcap")]
            Source::Mcap(reader) => reader.select(columns),
        }
        self.selected = Some(columns.to_vec());
        Ok(())
    }

    /// A block that [`Reader::read`] can fill.
    pub fn block(&self, capacity: usize) -> Block {
        Block::new(self.selected.as_ref().map_or(self.names.len(), Vec::len), capacity)
    }

    /// Replaces the block's rows by the next ones and returns their number: 0 at the end. A table without rows is an error.
    /// After an error, there are no more rows.
    pub fn read(&mut self, block: &mut Block) -> Result<usize, TableError> {
        // Parquet and npz replace the block's rows, the others add to it.
        if self.ended || !matches!(self.source, Source::Parquet(_) | Source::Npz(_)) {
            block.clear();
        }
        if self.ended {
            return Ok(0);
        }
        self.ended = true;
        if self.selected.is_none() {
            self.select(&(0..self.names.len()).collect::<Vec<_>>())?;
        }
        let selected = self.selected.as_deref().unwrap_or_default();
        assert_eq!(block.width, selected.len(), "a block of width {} for {} columns", block.width, selected.len());
        let filled = match &mut self.source {
            Source::Csv(reader) => reader.fill(&self.names, block),
            Source::Parquet(reader) => reader.fill(&self.names, self.read, block),
            Source::Npz(reader) => reader.fill(&self.names, self.read, block),
            #[cfg(feature = "mcap")]
            Source::Mcap(reader) => reader.fill(self.read, block),
        };
        if let Err(error) = filled {
            block.clear();
            return Err(error);
        }
        if let Some((row, column)) = block.first_not_finite() {
            let found = block.row(row)[column];
            block.clear();
            return Err(not_finite(&self.path, self.read + row as u64 + 1, &self.names[selected[column]], found));
        }
        self.read += block.rows() as u64;
        if self.read == 0 {
            return Err(TableError::new(&self.path, "has no rows", "add at least one row"));
        }
        self.ended = block.rows() == 0;
        Ok(block.rows())
    }
}

enum Sink {
    Csv(csv::CsvWriter),
    Parquet(parquet::ParquetWriter),
    Npz(npz::NpzWriter),
    #[cfg(feature = "mcap")]
    Mcap(Box<mcap::McapWriter>),
}

/// A table being written. Dropping it before [`Writer::finish`] leaves no file.
pub struct Writer {
    path: PathBuf,
    /// Names of the columns.
    names: Vec<String>,
    sink: Sink,
    written: u64,
}

impl Writer {
    /// Creates a table, its format by the file extension. An existing file is replaced when the table is complete.
    pub fn create(path: &Path, quantities: &[Quantity]) -> Result<Self, TableError> {
        let format = Format::of(path)?;
        check_new_names(path, quantities)?;
        Writer::new(path, AtomicFile::beside(path)?, format, quantities)
    }

    /// Creates a table that is copied to standard output when it is complete.
    pub fn stdout(format: Format, quantities: &[Quantity]) -> Result<Self, TableError> {
        let path = Path::new("stdout");
        check_new_names(path, quantities)?;
        Writer::new(path, AtomicFile::stdout()?, format, quantities)
    }

    fn new(path: &Path, file: AtomicFile, format: Format, quantities: &[Quantity]) -> Result<Self, TableError> {
        let names = columns(quantities);
        let sink = match format {
            Format::Csv => Sink::Csv(csv::CsvWriter::create(file, &names, b',')?),
            Format::Tsv => Sink::Csv(csv::CsvWriter::create(file, &names, b'\t')?),
            Format::Parquet => Sink::Parquet(parquet::ParquetWriter::create(file, &names)?),
            #[cfg(feature = "mcap")]
            Format::Mcap => Sink::Mcap(Box::new(mcap::McapWriter::create(file, quantities)?)),
            _ => Sink::Npz(npz::NpzWriter::create(file, quantities)?),
        };
        Ok(Writer { path: path.to_path_buf(), names, sink, written: 0 })
    }

    /// Writes a whole table.
    pub fn put(path: &Path, quantities: &[Quantity], rows: impl Iterator<Item = Vec<f64>>) -> Result<(), TableError> {
        let mut writer = Writer::create(path, quantities)?;
        let mut block = Block::new(writer.names.len(), 4096);
        for row in rows {
            block.push(&row);
            if block.is_full() {
                writer.write(&block)?;
                block.clear();
            }
        }
        writer.write(&block)?;
        writer.finish()
    }

    /// Adds the block's rows.
    pub fn write(&mut self, block: &Block) -> Result<(), TableError> {
        assert_eq!(block.width, self.names.len(), "a block of width {} for {} columns", block.width, self.names.len());
        if let Some((row, column)) = block.first_not_finite() {
            let found = block.row(row)[column];
            return Err(not_finite(&self.path, self.written + row as u64 + 1, &self.names[column], found));
        }
        match &mut self.sink {
            Sink::Csv(writer) => writer.write(block),
            Sink::Parquet(writer) => writer.write(block),
            Sink::Npz(writer) => writer.write(block),
            #[cfg(feature = "mcap")]
            Sink::Mcap(writer) => writer.write(block),
        }?;
        self.written += block.rows() as u64;
        Ok(())
    }

    /// Completes the table and renames it to its target.
    pub fn finish(self) -> Result<(), TableError> {
        match self.sink {
            Sink::Csv(writer) => writer.finish(),
            Sink::Parquet(writer) => writer.finish(),
            Sink::Npz(writer) => writer.finish(),
            #[cfg(feature = "mcap")]
            Sink::Mcap(writer) => writer.finish(),
        }
    }
}

/// The names of the columns of quantities.
pub fn columns(quantities: &[Quantity]) -> Vec<String> {
    quantities.iter().flat_map(|q| q.columns()).cloned().collect()
}

/// A copy of a stream in an unnamed temporary file, from its start, and its length.
fn spooled(mut input: impl Read) -> io::Result<(File, u64)> {
    let mut file = tempfile::tempfile()?;
    let bytes = io::copy(&mut input, &mut file)?;
    file.rewind()?;
    Ok((file, bytes))
}

fn check_new_names(path: &Path, quantities: &[Quantity]) -> Result<(), TableError> {
    let names = columns(quantities);
    check_names(path, &names)?;
    let invalid = |n: &&String| n.trim() != n.as_str() || n.is_empty() || n.chars().any(char::is_control);
    names.iter().find(invalid).map_or(Ok(()), |name| {
        let what = format!("`{}` is not a valid column name", name.escape_debug());
        Err(TableError::new(path, what, "use names without control characters and surrounding spaces"))
    })
}

fn check_names(path: &Path, names: &[String]) -> Result<(), TableError> {
    if names.is_empty() {
        return Err(TableError::new(path, "has no columns", "add at least one column of numbers"));
    }
    if names.len() > MAX_COLUMNS {
        let what = format!("has {} columns; the maximum is {MAX_COLUMNS}", names.len());
        return Err(TableError::new(path, what, "split it"));
    }
    let mut seen = HashSet::new();
    match names.iter().find(|n| !seen.insert(n.as_str())) {
        Some(twice) => {
            Err(TableError::new(path, format!("has two columns named `{twice}`"), "use unique column names"))
        }
        None => Ok(()),
    }
}

fn not_finite(path: &Path, row: u64, column: &str, found: f64) -> TableError {
    TableError::new(path, format!("{found} is not a finite number"), "fix or remove the row").row(row).column(column)
}
