//! Tables as Parquet: columns in row groups, read page by page.
//!
//! Read: DOUBLE, FLOAT, INT32, INT64 (integers that a double represents), required or optional without nulls, with any
//! codec but LZO. Dates and decimals are errors.
//! Written: DOUBLE, required, byte stream split, then Zstandard: a smooth motion shrinks to three quarters, where Snappy over
//! plain numbers gains nothing.
//! Memory: reading, a page and a dictionary for each selected column; writing, one row group and its encoded columns. A page may
//! have up to 2 GiB. Columns are decoded and encoded on all cores.

use super::atomic_file::AtomicFile;
use super::section::Section;
use super::{Block, TableError};
use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::column::writer::{get_column_writer, get_typed_column_writer};
use parquet::data_type::{DataType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescriptor, Type};
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const WRITE_AGAIN: &str = "write the file again; it may be truncated";

/// Rows that are copied together between columns and rows.
const ROWS_TOGETHER: usize = 256;

/// Bytes that are written together.
const WRITTEN_TOGETHER: usize = 1 << 20;

/// A file that several threads read.
struct SharedFile {
    file: Arc<File>,
    bytes: u64,
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<Section>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(Section::new(&self.file, start, self.bytes)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.bytes);
        let end = end.ok_or_else(|| ParquetError::EOF("a section lies outside the file".to_string()))?;
        let mut bytes = vec![0; length];
        Section::new(&self.file, start, end).read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

pub(super) struct ParquetReader {
    path: PathBuf,
    file: SerializedFileReader<SharedFile>,
    bytes: u64,
    rows: u64,
    selected: Vec<usize>,
    /// The next row group.
    next: usize,
    /// Rows left in the open row group, and its selected columns.
    left: usize,
    columns: Vec<Box<dyn Numbers>>,
}

impl ParquetReader {
    pub fn open(path: &Path, file: File, bytes: u64) -> Result<(Vec<String>, Self), TableError> {
        let file =
            SerializedFileReader::new(SharedFile { file: Arc::new(file), bytes }).map_err(|e| broken(path, e))?;
        let schema = file.metadata().file_metadata().schema_descr();
        let names = schema.columns().iter().map(|c| c.path().parts().join(".")).collect();
        let count = |sum: u64, g: &RowGroupMetaData| sum.checked_add(u64::try_from(g.num_rows()).ok()?);
        let rows = file.metadata().row_groups().iter().try_fold(0, count);
        let rows = rows.ok_or_else(|| broken(path, "a row group has a negative number of rows"))?;
        let (path, selected, columns) = (path.to_path_buf(), Vec::new(), Vec::new());
        Ok((names, ParquetReader { path, file, bytes, rows, selected, next: 0, left: 0, columns }))
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    pub fn select(&mut self, names: &[String], columns: &[usize]) -> Result<(), TableError> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        for &column in columns {
            if let Some(what) = unfit(&schema.column(column)) {
                let fix = "store the column as float64, or remove it";
                return Err(TableError::new(&self.path, what, fix).column(&names[column]));
            }
        }
        self.selected = columns.to_vec();
        Ok(())
    }

    pub fn fill(&mut self, names: &[String], before: u64, block: &mut Block) -> Result<(), TableError> {
        let (width, capacity) = (block.width(), block.capacity());
        let mut filled = 0;
        while filled < capacity && self.go_on()? {
            let rows = self.left.min(capacity - filled);
            let read: Vec<_> = self.columns.par_iter_mut().map(|column| column.read(rows)).collect();
            for (fault, &of) in read.into_iter().zip(&self.selected) {
                let Err(fault) = fault else { continue };
                let at = |row: usize, what: String, fix: &str| {
                    TableError::new(&self.path, what, fix).row(before + (filled + row) as u64 + 1)
                };
                let error = match fault {
                    Fault::Null(row) => at(row, "is null".into(), "fill it in, or remove the row"),
                    Fault::Inexact(row, n) => at(row, format!("{n} does not fit into a double"), "store it as float64"),
                    Fault::Broken(why) => broken(&self.path, why),
                };
                return Err(error.column(&names[of]));
            }
            let columns: Vec<&[f64]> = self.columns.iter().map(|column| column.numbers()).collect();
            // Numbers of the rows before are replaced: only growth is cleared.
            block.values.resize(((filled + rows) * width).max(block.values.len()), 0.0);
            let pieces =
                block.values[filled * width..(filled + rows) * width].par_chunks_mut(ROWS_TOGETHER * width).enumerate();
            pieces.for_each(|(piece, rows)| {
                for (place, column) in columns.iter().enumerate() {
                    let values = &column[piece * ROWS_TOGETHER..];
                    rows.chunks_exact_mut(width).zip(values).for_each(|(row, x)| row[place] = *x);
                }
            });
            self.left -= rows;
            filled += rows;
        }
        block.values.truncate(filled * width);
        Ok(())
    }

    /// Opens the next row group that has rows, if none is open; false at the end.
    fn go_on(&mut self) -> Result<bool, TableError> {
        while self.left == 0 {
            if self.next == self.file.num_row_groups() {
                return Ok(false);
            }
            let about = self.file.metadata().row_group(self.next);
            self.left = usize::try_from(about.num_rows()).unwrap_or(0);
            if self.left > 0 {
                self.columns = self.open_columns(about).map_err(|why| broken(&self.path, why))?;
            }
            self.next += 1;
        }
        Ok(true)
    }

    fn open_columns(&self, about: &RowGroupMetaData) -> Result<Vec<Box<dyn Numbers>>, String> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        if about.num_columns() != schema.num_columns() {
            return Err(format!("row group {} has {} columns", self.next + 1, about.num_columns()));
        }
        let group = self.file.get_row_group(self.next).map_err(|e| e.to_string())?;
        let open = |&column: &usize| {
            // The library does not check these.
            let chunk = about.column(column);
            let start =
                chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset()).min(chunk.data_page_offset());
            let end = u64::try_from(start).ok().zip(u64::try_from(chunk.compressed_size()).ok());
            if end.and_then(|(s, n)| s.checked_add(n)).is_none_or(|end| end > self.bytes) {
                return Err(format!("a column of row group {} lies outside the file", self.next + 1));
            }
            let descriptor = schema.column(column);
            let full = descriptor.max_def_level();
            let unsigned = is_unsigned(&descriptor);
            let size = if matches!(descriptor.physical_type(), Physical::DOUBLE | Physical::INT64) { 8 } else { 4 };
            let pages = group.get_column_page_reader(column).map_err(|e| e.to_string())?;
            let pages = Box::new(Pages { pages, size, dictionary: false });
            Ok(match get_column_reader(descriptor, pages) {
                ColumnReader::DoubleColumnReader(r) => Box::new(Doubles(Values::new(r, full))),
                ColumnReader::FloatColumnReader(r) => converted(r, full, |&x| Ok(f64::from(x))),
                ColumnReader::Int32ColumnReader(r) if unsigned => converted(r, full, |&n| Ok(f64::from(n as u32))),
                ColumnReader::Int32ColumnReader(r) => converted(r, full, |&n| Ok(f64::from(n))),
                ColumnReader::Int64ColumnReader(r) if unsigned => converted(r, full, |&n| exact(i128::from(n as u64))),
                ColumnReader::Int64ColumnReader(r) => converted(r, full, |&n| exact(i128::from(n))),
                _ => return Err("a column does not have its declared type".to_string()),
            })
        };
        self.selected.iter().map(open).collect()
    }
}

fn broken(path: &Path, why: impl std::fmt::Display) -> TableError {
    TableError::new(path, format!("is not a complete Parquet file: {why}"), WRITE_AGAIN)
}

/// Why a column does not contain plain numbers.
fn unfit(column: &ColumnDescriptor) -> Option<String> {
    let physical = column.physical_type();
    if column.max_rep_level() > 0 {
        return Some("is a column of lists".to_string());
    }
    if !matches!(physical, Physical::DOUBLE | Physical::FLOAT | Physical::INT32 | Physical::INT64) {
        return Some(format!("is a column of {physical}, not of numbers"));
    }
    let plain = match (column.logical_type_ref(), column.converted_type()) {
        (None | Some(LogicalType::Integer(_)), converted) => {
            use ConvertedType as C;
            matches!(converted, C::NONE | C::INT_8 | C::INT_16 | C::INT_32 | C::INT_64)
                || matches!(converted, C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64)
        }
        _ => false,
    };
    let meaning = column.logical_type_ref().map_or(column.converted_type().to_string(), |l| format!("{l:?}"));
    (!plain).then(|| format!("is a column of {meaning}, not of plain numbers"))
}

fn is_unsigned(column: &ColumnDescriptor) -> bool {
    use ConvertedType as C;
    matches!(column.converted_type(), C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64)
}

/// An error of a cell (its row in this read, from 0) or of a column.
enum Fault {
    Null(usize),
    Inexact(usize, i128),
    Broken(String),
}

/// An integer as a double, if that is exact.
fn exact(n: i128) -> Result<f64, i128> {
    let x = n as f64;
    if x as i128 == n { Ok(x) } else { Err(n) }
}

/// The pages of a column chunk, with checks that the library's decoders lack (they panic or allocate).
struct Pages {
    pages: Box<dyn PageReader>,
    /// Bytes of a number.
    size: usize,
    /// Whether a dictionary was read.
    dictionary: bool,
}

impl Pages {
    fn check(&mut self, page: &Page) -> Result<(), &'static str> {
        match page {
            Page::DictionaryPage { buf, num_values, .. } => {
                self.dictionary = true;
                if *num_values as usize > buf.len() / self.size {
                    return Err("a dictionary is shorter than declared");
                }
            }
            _ if matches!(page.encoding(), Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY)
                && !self.dictionary =>
            {
                return Err("a page requires a missing dictionary");
            }
            _ => {}
        }
        Ok(())
    }
}

impl Iterator for Pages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            self.check(page).map_err(|what| ParquetError::General(what.to_string()))?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.pages.skip_next_page()
    }
}

/// A column chunk of any type.
trait Numbers: Send {
    /// Reads the next `rows` numbers.
    fn read(&mut self, rows: usize) -> Result<(), Fault>;

    /// The numbers that were read last.
    fn numbers(&self) -> &[f64];
}

/// The values of a column chunk that were read last.
struct Values<T: DataType> {
    reader: ColumnReaderImpl<T>,
    /// The definition level of a non-null cell.
    full: i16,
    levels: Vec<i16>,
    values: Vec<T::T>,
}

impl<T: DataType> Values<T> {
    fn new(reader: ColumnReaderImpl<T>, full: i16) -> Self {
        Values { reader, full, levels: vec![], values: vec![] }
    }

    fn read(&mut self, rows: usize) -> Result<(), Fault> {
        self.levels.clear();
        self.values.clear();
        let mut read = 0;
        while read < rows {
            let levels = (self.full > 0).then_some(&mut self.levels);
            let more = self.reader.read_records(rows - read, levels, None, &mut self.values);
            let (records, ..) = more.map_err(|e| Fault::Broken(e.to_string()))?;
            if records == 0 {
                return Err(Fault::Broken("it ends before its last row".to_string()));
            }
            read += records;
        }
        if self.values.len() != rows {
            return Err(match self.levels.iter().position(|&l| l < self.full) {
                Some(row) => Fault::Null(row),
                None => Fault::Broken(format!("it has {} values for {rows} rows", self.values.len())),
            });
        }
        Ok(())
    }
}

/// A column chunk of doubles.
struct Doubles(Values<DoubleType>);

impl Numbers for Doubles {
    fn read(&mut self, rows: usize) -> Result<(), Fault> {
        self.0.read(rows)
    }

    fn numbers(&self) -> &[f64] {
        &self.0.values
    }
}

/// A column chunk whose values `number` converts.
struct Converted<T: DataType, F> {
    values: Values<T>,
    number: F,
    numbers: Vec<f64>,
}

fn converted<T: DataType>(
    reader: ColumnReaderImpl<T>,
    full: i16,
    number: impl Fn(&T::T) -> Result<f64, i128> + Send + 'static,
) -> Box<dyn Numbers> {
    Box::new(Converted { values: Values::new(reader, full), number, numbers: vec![] })
}

impl<T: DataType, F: Fn(&T::T) -> Result<f64, i128> + Send> Numbers for Converted<T, F> {
    fn read(&mut self, rows: usize) -> Result<(), Fault> {
        self.values.read(rows)?;
        self.numbers.clear();
        for (row, value) in self.values.values.iter().enumerate() {
            self.numbers.push((self.number)(value).map_err(|n| Fault::Inexact(row, n))?);
        }
        Ok(())
    }

    fn numbers(&self) -> &[f64] {
        &self.numbers
    }
}

/// Maximum size of a row group \[bytes\] and its maximum number of rows.
const GROUP: (usize, usize) = (32 << 20, 1 << 17);

pub(super) struct ParquetWriter {
    target: PathBuf,
    output: SerializedFileWriter<BufWriter<AtomicFile>>,
    /// The buffered row group, column by column.
    columns: Vec<Vec<f64>>,
    most: usize,
}

impl ParquetWriter {
    pub fn create(file: AtomicFile, names: &[String]) -> Result<Self, TableError> {
        let target = file.target.clone();
        let begin = || {
            let field = |name: &String| {
                Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::REQUIRED).build()
            };
            let fields = names.iter().map(|n| field(n).map(Arc::new)).collect::<Result<_, _>>()?;
            let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
            let properties = WriterProperties::builder()
                .set_created_by(concat!("armdyn ", env!("CARGO_PKG_VERSION")).to_string())
                .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
                .set_encoding(Encoding::BYTE_STREAM_SPLIT)
                // States rarely repeat: a dictionary would not pay.
                .set_dictionary_enabled(false)
                .set_statistics_enabled(EnabledStatistics::Chunk)
                .build();
            SerializedFileWriter::new(
                BufWriter::with_capacity(WRITTEN_TOGETHER, file),
                Arc::new(schema),
                Arc::new(properties),
            )
        };
        let output = begin().map_err(|e: ParquetError| TableError::unwritable(&target, e))?;
        let most = (GROUP.0 / (8 * names.len())).clamp(1, GROUP.1);
        Ok(ParquetWriter { target, output, columns: vec![Vec::new(); names.len()], most })
    }

    pub fn write(&mut self, block: &Block) -> Result<(), TableError> {
        let width = block.width();
        let mut rows = &block.values[..];
        while !rows.is_empty() {
            let count = ROWS_TOGETHER.min(self.most - self.columns[0].len()).min(rows.len() / width);
            let (now, later) = rows.split_at(count * width);
            for (place, column) in self.columns.iter_mut().enumerate() {
                column.extend(now.chunks_exact(width).map(|row| row[place]));
            }
            rows = later;
            if self.columns[0].len() == self.most {
                self.flush()?;
            }
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), TableError> {
        if !self.columns[0].is_empty() {
            self.flush()?;
        }
        let output = self.output.into_inner().map_err(|e| TableError::unwritable(&self.target, e))?;
        output.into_inner().map_err(|e| TableError::unwritable(&self.target, e.into_error()))?.finish()
    }

    fn flush(&mut self) -> Result<(), TableError> {
        self.write_group().map_err(|e| TableError::unwritable(&self.target, e))
    }

    /// Encodes the columns in parallel and writes them in order.
    fn write_group(&mut self) -> Result<(), ParquetError> {
        let (schema, properties) = (self.output.schema_descr(), self.output.properties());
        let encode = |(place, values): (usize, &mut Vec<f64>)| {
            let mut bytes = TrackedWrite::new(vec![]);
            let pages = Box::new(SerializedPageWriter::new(&mut bytes));
            let writer = get_column_writer(schema.column(place), properties.clone(), pages);
            let mut writer = get_typed_column_writer::<DoubleType>(writer);
            writer.write_batch(values, None, None)?;
            let about = writer.close()?;
            values.clear();
            Ok((Bytes::from(bytes.into_inner()?), about))
        };
        let columns = self.columns.par_iter_mut().enumerate().map(encode);
        let columns = columns.collect::<Result<Vec<_>, ParquetError>>()?;
        let mut group = self.output.next_row_group()?;
        columns.into_iter().try_for_each(|(bytes, about)| group.append_column(&bytes, about))?;
        group.close().map(|_| ())
    }
}
