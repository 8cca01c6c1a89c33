//! Tables of columns of different kinds, with missing values: results of a study.

use super::atomic_file::AtomicFile;
use super::npz::header;
use super::{Format, TableError, check_names};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers; a missing one is null, in npz NaN.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Whether something holds.
    Flags(Vec<bool>),
    /// Texts; a missing one is null, in npz empty.
    Texts(Vec<Option<String>>),
}

/// Writes a table of named columns of one length, its format by the file extension. An existing file is replaced.
pub fn put(path: &Path, columns: &[(String, Column)]) -> Result<(), TableError> {
    check_names(path, &columns.iter().map(|c| c.0.clone()).collect::<Vec<_>>())?;
    let fault = |e: &dyn std::fmt::Display| TableError::unwritable(path, e);
    let bytes = match check_format(path)? {
        Format::Parquet => parquet(columns).map_err(|e| fault(&e))?,
        Format::Csv => csv(columns, b',').map_err(|e| fault(&e))?,
        Format::Tsv => csv(columns, b'\t').map_err(|e| fault(&e))?,
        _ => npz(columns).map_err(|e| fault(&e))?,
    };
    AtomicFile::beside(path)?.hold(&bytes)
}

/// The format of such a table, by the file extension.
pub fn check_format(path: &Path) -> Result<Format, TableError> {
    match Format::of(path)? {
        Format::Mcap => Err(TableError::new(path, "cannot hold this table", "name it .parquet, .csv, .tsv or .npz")),
        format => Ok(format),
    }
}

fn parquet(columns: &[(String, Column)]) -> Result<Vec<u8>, ParquetError> {
    let field = |(name, column): &(String, Column)| {
        let (physical, repetition, meaning) = match column {
            Column::Numbers(_) => (Physical::DOUBLE, Repetition::OPTIONAL, None),
            Column::Integers(_) => (Physical::INT64, Repetition::REQUIRED, None),
            Column::Flags(_) => (Physical::BOOLEAN, Repetition::REQUIRED, None),
            Column::Texts(_) => (Physical::BYTE_ARRAY, Repetition::OPTIONAL, Some(LogicalType::String)),
        };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        builder.with_logical_type(meaning).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
    let properties = WriterProperties::builder()
        .set_created_by(concat!("armdyn ", env!("CARGO_PKG_VERSION")).to_string())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?));
    let mut file = SerializedFileWriter::new(vec![], schema, Arc::new(properties.build()))?;
    let mut group = file.next_row_group()?;
    for (_, column) in columns {
        match column {
            Column::Numbers(all) => write::<DoubleType>(&mut group, all)?,
            Column::Integers(all) => write::<Int64Type>(&mut group, &present(all))?,
            Column::Flags(all) => write::<BoolType>(&mut group, &present(all))?,
            Column::Texts(all) => {
                let texts: Vec<_> = all.iter().map(|t| t.as_ref().map(|t| ByteArray::from(t.as_str()))).collect();
                write::<ByteArrayType>(&mut group, &texts)?;
            }
        }
    }
    group.close()?;
    file.into_inner()
}

fn present<T: Copy>(all: &[T]) -> Vec<Option<T>> {
    all.iter().copied().map(Some).collect()
}

/// Writes the next column; required columns have all values.
fn write<T: DataType>(group: &mut SerializedRowGroupWriter<Vec<u8>>, all: &[Option<T::T>]) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("no column is left".to_string()))?;
    let levels: Vec<i16> = all.iter().map(|x| i16::from(x.is_some())).collect();
    let values: Vec<T::T> = all.iter().flatten().cloned().collect();
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

fn csv(columns: &[(String, Column)], separator: u8) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(vec![]);
    writer.write_record(columns.iter().map(|c| &c.0))?;
    let mut digits = ryu::Buffer::new();
    for row in 0..rows(columns) {
        for (_, column) in columns {
            match column {
                Column::Numbers(all) => writer.write_field(all[row].map_or("", |x| digits.format_finite(x)))?,
                Column::Integers(all) => writer.write_field(all[row].to_string())?,
                Column::Flags(all) => writer.write_field(all[row].to_string())?,
                Column::Texts(all) => writer.write_field(all[row].as_deref().unwrap_or_default())?,
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.into_inner().map_err(|e| io::Error::other(e.to_string()))
}

fn npz(columns: &[(String, Column)]) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, column) in columns {
        let (kind, data) = match column {
            Column::Numbers(all) => {
                ("<f8".to_string(), all.iter().flat_map(|x| x.unwrap_or(f64::NAN).to_le_bytes()).collect::<Vec<u8>>())
            }
            Column::Integers(all) => ("<i8".to_string(), all.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Column::Flags(all) => ("|b1".to_string(), all.iter().map(|x| u8::from(*x)).collect()),
            Column::Texts(all) => {
                // Texts of one length in UTF-32, padded with zeros.
                let letters = |t: &Option<String>| t.iter().flat_map(|t| t.chars()).map(u32::from).collect::<Vec<_>>();
                let longest = all.iter().map(|t| letters(t).len()).max().unwrap_or(0).max(1);
                let padded = |t: &Option<String>| {
                    let mut letters = letters(t);
                    letters.resize(longest, 0);
                    letters.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
                };
                (format!("<U{longest}"), all.iter().flat_map(padded).collect())
            }
        };
        zip.start_file(format!("{name}.npy"), stored)?;
        zip.write_all(&header(&kind, rows(columns) as u64, &[]))?;
        zip.write_all(&data)?;
    }
    Ok(zip.finish()?.into_inner())
}

fn rows(columns: &[(String, Column)]) -> usize {
    columns.first().map_or(0, |(_, column)| match column {
        Column::Numbers(all) => all.len(),
        Column::Integers(all) => all.len(),
        Column::Flags(all) => all.len(),
        Column::Texts(all) => all.len(),
    })
}
