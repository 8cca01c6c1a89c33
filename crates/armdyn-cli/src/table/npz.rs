//! Tables as npz: NumPy arrays in a zip file.
//!
//! NEP 1 (the npy format), versions 1 to 3. A 1-D array is a column of its name; a 2-D array `q` of shape (B, n) is the
//! columns `q[0]` … `q[n-1]`, in C or Fortran order. Read: floats of 4 and 8 bytes, integers of 1 to 8, both byte
//! orders, stored or deflated. Written: stored; a quantity is one array, with the rows as its first dimension.
//!
//! All arrays are read in parallel, each from its own position in the file: memory holds the block and, for deflated arrays, a
//! window of some 10 KiB. A deflated array in Fortran order is decompressed from its start for each of its columns.
//! An npy header contains the number of rows, so rows are spooled to a temporary file and zipped at the end.

use super::atomic_file::AtomicFile;
use super::section::Section;
use super::{Block, MAX_COLUMNS, Quantity, TableError};
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The longest npy header \[bytes\].
const LONGEST_HEADER: usize = 1 << 16;
/// Maximum number of columns of a deflated array in Fortran order.
const MAX_PASSES: usize = 64;
/// Maximum compression ratio of Deflate.
const DENSEST: u64 = 1032;

/// A file in the zip file.
#[derive(Clone)]
struct Entry {
    start: u64,
    packed: u64,
    size: u64,
    deflated: bool,
    crc: u32,
}

impl Entry {
    fn open(&self, file: &Arc<File>) -> Unpacked {
        let section = Section::new(file, self.start, self.start + self.packed);
        let bytes: Box<dyn Read + Send> = match self.deflated {
            true => Box::new(DeflateDecoder::new(BufReader::with_capacity(1 << 15, section))),
            false => Box::new(section),
        };
        Unpacked { bytes, sum: Crc::new(), left: self.size, crc: self.crc }
    }

    /// From byte `skip` on. A partial read of a stored entry does not check the checksum.
    fn open_at(&self, file: &Arc<File>, skip: u64, part: bool) -> io::Result<Box<dyn Read + Send>> {
        if part && !self.deflated {
            return Ok(Box::new(Section::new(file, self.start + skip, self.start + self.packed)));
        }
        let mut unpacked = self.open(file);
        io::copy(&mut (&mut unpacked).take(skip), &mut io::sink())?;
        Ok(Box::new(unpacked))
    }
}

/// The contents of an entry, with its checksum verified at the end.
struct Unpacked {
    bytes: Box<dyn Read + Send>,
    sum: Crc,
    left: u64,
    crc: u32,
}

impl Read for Unpacked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.bytes.read(&mut into[..most])?;
        self.sum.update(&into[..read]);
        self.left -= read as u64;
        if read > 0 && self.left == 0 && self.sum.sum() != self.crc {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its checksum is wrong"));
        }
        Ok(read)
    }
}

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    letter: u8,
    size: usize,
    big: bool,
}

impl Kind {
    fn of(descr: &str) -> Option<Self> {
        let (order, kind) = descr.split_at_checked(1)?;
        let (letter, size) = (*kind.as_bytes().first()?, kind.get(1..)?.parse().ok()?);
        let known = matches!((letter, size), (b'f', 4 | 8) | (b'i' | b'u', 1 | 2 | 4 | 8));
        let native = if cfg!(target_endian = "big") { ">" } else { "<" };
        let big = match if order == "=" { native } else { order } {
            ">" => true,
            "<" => false,
            "|" if size == 1 => false,
            _ => return None,
        };
        known.then_some(Kind { letter, size, big })
    }

    /// The number, or an integer that no double represents.
    fn number(self, bytes: &[u8]) -> Result<f64, i128> {
        let mut all = [0; 8];
        for (to, k) in all.iter_mut().zip(0..self.size) {
            *to = bytes[if self.big { self.size - 1 - k } else { k }];
        }
        let bits = u64::from_le_bytes(all);
        let unused = 64 - 8 * self.size as u32;
        let whole = match (self.letter, self.size) {
            (b'f', 8) => return Ok(f64::from_bits(bits)),
            (b'f', _) => return Ok(f64::from(f32::from_bits(bits as u32))),
            (b'u', _) => i128::from(bits),
            _ => i128::from(((bits << unused) as i64) >> unused),
        };
        let x = whole as f64;
        if x as i128 == whole { Ok(x) } else { Err(whole) }
    }
}

/// An npy header.
#[derive(Debug, PartialEq, Eq)]
struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<u64>,
    /// Offset of the data.
    length: u64,
}

impl Header {
    fn read(bytes: &mut impl Read) -> Result<Self, String> {
        let cut = |e: io::Error| format!("truncated header ({e})");
        let mut start = [0; 8];
        bytes.read_exact(&mut start).map_err(cut)?;
        if start[..6] != *b"\x93NUMPY" {
            return Err("not an npy file".to_string());
        }
        let mut length = [0; 4];
        let words = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => return Err(format!("unsupported npy version {version}")),
        };
        bytes.read_exact(&mut length[..words]).map_err(cut)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST_HEADER {
            return Err(format!("header length {length} is too large"));
        }
        let mut text = vec![0; length];
        bytes.read_exact(&mut text).map_err(cut)?;
        let text = str::from_utf8(&text).map_err(|_| "header is not text")?;
        let (descr, fortran, shape) = dictionary(text).ok_or("header is not an npy dictionary")?;
        Ok(Header { descr, fortran, shape, length: (8 + words + length) as u64 })
    }

    /// The header of an array of doubles, rows of a shape.
    fn of(rows: u64, shape: &[usize]) -> Vec<u8> {
        header("<f8", rows, shape)
    }
}

/// The header of an array of a type, rows of a shape.
pub(super) fn header(descr: &str, rows: u64, shape: &[usize]) -> Vec<u8> {
    let parts: Vec<String> = shape.iter().map(|n| format!(" {n}")).collect();
    let shape = format!("({rows},{})", parts.join(","));
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The data begin at a multiple of 64.
    let padded = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text = format!("{text:<0$}\n", padded - 1);
    [b"\x93NUMPY\x01\x00", &(padded as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

/// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`, in any order. A structured dtype is returned as text.
fn dictionary(text: &str) -> Option<(String, bool, Vec<u64>)> {
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    while !rest.is_empty() {
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (key, after) = rest[1..].split_once(quote)?;
        let value = after.trim_start().strip_prefix(':')?.trim_start();
        let open = value.chars().next()?;
        let (inner, after) = match open {
            '(' => value[1..].split_once(')')?,
            '[' => value[1..].rsplit_once(']')?,
            '\'' | '"' => value[1..].split_once(open)?,
            _ => value.split_at(value.find([',', ' ']).unwrap_or(value.len())),
        };
        match (key, open) {
            ("descr", _) => descr = Some(inner.to_string()),
            ("fortran_order", 'T' | 'F') => fortran = Some(inner == "True"),
            ("shape", '(') => {
                let number = |n: &str| n.trim().trim_end_matches('L').parse().ok();
                let parts = inner.split(',').filter(|n| !n.trim().is_empty());
                shape = Some(parts.map(number).collect::<Option<Vec<u64>>>()?);
            }
            _ => return None,
        }
        rest = after.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    Some((descr?, fortran?, shape?))
}

/// An array of columns.
struct Array {
    entry: Entry,
    start: u64,
    kind: Kind,
    /// Number of columns, and the index of the first one in the table.
    width: usize,
    first: usize,
    fortran: bool,
}

/// Columns of one stream, row by row: an array in C order, or one column.
struct Lane {
    bytes: Box<dyn Read + Send>,
    kind: Kind,
    /// Numbers in a row.
    stride: usize,
    /// Pairs of index in the stream's row and in the block's row.
    places: Vec<(usize, usize)>,
    /// The table column of its first number.
    first: usize,
}

pub(super) struct NpzReader {
    path: PathBuf,
    file: Arc<File>,
    rows: u64,
    arrays: Vec<Array>,
    /// Columns without numbers, and what they contain.
    unfit: Vec<(usize, String)>,
    lanes: Vec<Lane>,
    raw: Vec<u8>,
}

impl NpzReader {
    pub fn open(path: &Path, file: File, bytes: u64) -> Result<(Vec<String>, Self), TableError> {
        let entries = entries(path, &file, bytes)?;
        let (path, file, raw) = (path.to_path_buf(), Arc::new(file), Vec::new());
        let mut reader = NpzReader { path, file, rows: 0, arrays: vec![], unfit: vec![], lanes: vec![], raw };
        let names = reader.list(entries)?;
        Ok((names, reader))
    }

    /// The arrays and the names of their columns.
    fn list(&mut self, entries: Vec<(String, Entry)>) -> Result<Vec<String>, TableError> {
        let mut names = Vec::new();
        let mut rows: Option<(u64, String)> = None;
        for (name, entry) in entries {
            let fault = |what: String, fix: &str| TableError::new(&self.path, format!("array `{name}` {what}"), fix);
            let header = Header::read(&mut entry.open(&self.file));
            let header = header.map_err(|why| fault(format!("is damaged: {why}"), SAVE_AGAIN))?;
            let (kind, length, width) = match (Kind::of(&header.descr), &header.shape[..]) {
                (Some(kind), &[length]) => (kind, length, None),
                (Some(kind), &[length, width]) => (kind, length, Some(width)),
                (None, _) => {
                    self.unfit.push((names.len(), format!("has the unsupported type `{}`", header.descr)));
                    names.push(name.clone());
                    continue;
                }
                (_, shape) => {
                    self.unfit.push((names.len(), format!("has {} dimensions", shape.len())));
                    names.push(name.clone());
                    continue;
                }
            };
            let columns = usize::try_from(width.unwrap_or(1)).ok().filter(|n| names.len() + n <= MAX_COLUMNS);
            let Some(columns) = columns else {
                let fix = format!("use at most {MAX_COLUMNS} columns");
                return Err(fault(format!("has too many columns ({})", width.unwrap_or(1)), &fix));
            };
            let claimed = length.checked_mul(columns as u64).and_then(|n| n.checked_mul(kind.size as u64));
            if claimed.and_then(|n| n.checked_add(header.length)) != Some(entry.size) {
                let what = format!("has shape {:?} but a size of {} bytes", header.shape, entry.size);
                return Err(fault(what, SAVE_AGAIN));
            }
            match &rows {
                Some((rows, other)) if *rows != length => {
                    let what = format!("has {length} rows, but `{other}` has {rows}");
                    return Err(fault(what, "save arrays of equal length, with one row per state"));
                }
                Some(_) => {}
                None => rows = Some((length, name.clone())),
            }
            let fortran = header.fortran && width.is_some();
            self.arrays.push(Array { entry, start: header.length, kind, width: columns, first: names.len(), fortran });
            match width {
                None => names.push(name.clone()),
                Some(_) => names.extend((0..columns).map(|k| format!("{name}[{k}]"))),
            }
        }
        self.rows = rows.map_or(0, |r| r.0);
        Ok(names)
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    pub fn select(&mut self, names: &[String], columns: &[usize]) -> Result<(), TableError> {
        let mut lanes = Vec::new();
        if let Some((column, what)) = self.unfit.iter().find(|u| columns.contains(&u.0)) {
            let fix = "save it as a 1-D or 2-D array of float64, or remove it";
            return Err(TableError::new(&self.path, what, fix).column(&names[*column]));
        }
        for array in &self.arrays {
            let of = array.first..array.first + array.width;
            let chosen = columns.iter().enumerate().filter(|(_, c)| of.contains(c));
            let places: Vec<_> = chosen.map(|(place, c)| (c - array.first, place)).collect();
            if places.is_empty() {
                continue;
            }
            if array.fortran && array.entry.deflated && places.len() > MAX_PASSES {
                let what = format!("has more than {MAX_PASSES} columns, compressed and in Fortran order");
                let fix = "save it with np.ascontiguousarray, or without compression";
                return Err(TableError::new(&self.path, what, fix).column(&names[array.first]));
            }
            let open = |skip: u64| {
                let bytes = array.entry.open_at(&self.file, array.start + skip, array.fortran);
                bytes.map_err(|e| broken(&self.path, e).column(&names[array.first]))
            };
            let kind = array.kind;
            if array.fortran {
                let column = self.rows * kind.size as u64;
                for (of, place) in places {
                    let (bytes, places, first) = (open(of as u64 * column)?, vec![(0, place)], array.first + of);
                    lanes.push(Lane { bytes, kind, stride: 1, places, first });
                }
            } else {
                lanes.push(Lane { bytes: open(0)?, kind, stride: array.width, places, first: array.first });
            }
        }
        self.lanes = lanes;
        Ok(())
    }

    pub fn fill(&mut self, names: &[String], before: u64, block: &mut Block) -> Result<(), TableError> {
        let rows = block.capacity().min(usize::try_from(self.rows - before).unwrap_or(usize::MAX));
        block.reset(rows);
        let width = block.width();
        for lane in &mut self.lanes {
            let (size, stride) = (lane.kind.size, lane.stride);
            self.raw.resize(rows * stride * size, 0);
            lane.bytes.read_exact(&mut self.raw).map_err(|e| broken(&self.path, e).column(&names[lane.first]))?;
            for (row, bytes) in self.raw.chunks_exact(stride * size).enumerate() {
                for &(from, place) in &lane.places {
                    let number = lane.kind.number(&bytes[from * size..(from + 1) * size]);
                    block.values[row * width + place] = number.map_err(|n| {
                        let what = format!("{n} does not fit into a double");
                        let error = TableError::new(&self.path, what, "save it as float64");
                        error.row(before + row as u64 + 1).column(&names[lane.first + from])
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// The entries of a zip file by name without `.npy`, with checked offsets and sizes.
fn entries(path: &Path, file: &File, bytes: u64) -> Result<Vec<(String, Entry)>, TableError> {
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|e| broken(path, e))?;
    if zip.len() > MAX_COLUMNS {
        let what = format!("has {} arrays; the maximum is {MAX_COLUMNS} columns", zip.len());
        return Err(TableError::new(path, what, "split it"));
    }
    let mut entries = Vec::new();
    for k in 0..zip.len() {
        let found = zip.by_index_raw(k).map_err(|e| broken(path, e))?;
        let name = found.name().map_err(|e| broken(path, e))?;
        let name = name.strip_suffix(".npy").unwrap_or(&name).to_string();
        let fault = |what: String| TableError::new(path, format!("array `{name}` {what}"), SAVE_AGAIN);
        let deflated = found.compression() == CompressionMethod::DEFLATE;
        if found.encrypted() || !(deflated || found.compression() == CompressionMethod::Stored) {
            return Err(fault("has an unsupported compression".to_string()));
        }
        let (start, packed, size) = (found.data_start().unwrap_or(bytes), found.compressed_size(), found.size());
        let most = if deflated { packed.saturating_mul(DENSEST) } else { packed };
        if start.checked_add(packed).is_none_or(|end| end > bytes) || size > most {
            return Err(fault(format!("has a size of {size} bytes, beyond the file")));
        }
        entries.push((name, Entry { start, packed, size, deflated, crc: found.crc32() }));
    }
    Ok(entries)
}

const SAVE_AGAIN: &str = "save the file again with np.savez";

fn broken(path: &Path, why: impl std::fmt::Display) -> TableError {
    TableError::new(path, format!("is not a complete npz file: {why}"), SAVE_AGAIN)
}

/// Maximum size of a spooled section \[bytes\].
const STRETCH: usize = 8 << 20;

/// Columns saved as one array.
struct Group {
    name: String,
    shape: Vec<usize>,
    /// The column of each element.
    columns: Vec<usize>,
    /// Elements of the arrays before it.
    first: usize,
}

pub(super) struct NpzWriter {
    output: AtomicFile,
    spool: File,
    groups: Vec<Group>,
    /// Columns of a row, and elements of all arrays.
    width: usize,
    elements: usize,
    rows: u64,
    /// Rows not spooled yet, and their maximum number.
    waiting: Vec<f64>,
    most: usize,
    raw: Vec<u8>,
}

impl NpzWriter {
    pub fn create(output: AtomicFile, quantities: &[Quantity]) -> Result<Self, TableError> {
        let (mut groups, mut width, mut elements) = (vec![], 0, 0);
        for quantity in quantities {
            let (name, shape) = (quantity.name().to_string(), quantity.shape().to_vec());
            let columns: Vec<usize> = quantity.elements().iter().map(|k| width + k).collect();
            let first = elements;
            (width, elements) = (width + quantity.columns().len(), elements + columns.len());
            groups.push(Group { name, shape, columns, first });
        }
        let most = (STRETCH / (8 * elements.max(1))).max(1);
        let (spool, waiting, raw) = (output.spool()?, vec![], vec![]);
        Ok(NpzWriter { output, spool, groups, width, elements, rows: 0, waiting, most, raw })
    }

    pub fn write(&mut self, block: &Block) -> Result<(), TableError> {
        for row in block.iter() {
            self.waiting.extend_from_slice(row);
            self.rows += 1;
            if self.waiting.len() == self.most * self.width {
                self.flush().map_err(|e| TableError::unwritable(&self.output.target, e))?;
            }
        }
        Ok(())
    }

    /// Spools the buffered rows, array by array.
    fn flush(&mut self) -> io::Result<()> {
        self.raw.clear();
        for group in &self.groups {
            for row in self.waiting.chunks_exact(self.width) {
                for &column in &group.columns {
                    self.raw.extend_from_slice(&row[column].to_le_bytes());
                }
            }
        }
        self.waiting.clear();
        self.spool.write_all(&self.raw)
    }

    pub fn finish(mut self) -> Result<(), TableError> {
        let target = self.output.target.clone();
        let fault = |e: io::Error| TableError::unwritable(&target, e);
        self.flush().map_err(fault)?;
        let mut zip = ZipWriter::new(BufWriter::with_capacity(1 << 18, self.output));
        for group in &self.groups {
            let (header, count) = (Header::of(self.rows, &group.shape), group.columns.len() as u64);
            let size = header.len() as u64 + self.rows * 8 * count;
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            let options = options.large_file(size >= u64::from(u32::MAX));
            zip.start_file(format!("{}.npy", group.name), options).map_err(|e| fault(e.into()))?;
            zip.write_all(&header).map_err(fault)?;
            let mut row = 0;
            while row < self.rows {
                let rows = (self.rows - row).min(self.most as u64);
                let at = 8 * (row * self.elements as u64 + rows * group.first as u64);
                self.spool.seek(SeekFrom::Start(at)).map_err(fault)?;
                let stretch = rows * 8 * count;
                let copied = io::copy(&mut (&self.spool).take(stretch), &mut zip).map_err(fault)?;
                if copied != stretch {
                    return Err(fault(io::ErrorKind::UnexpectedEof.into()));
                }
                row += rows;
            }
        }
        let output = zip.finish().map_err(|e| fault(e.into()))?;
        output.into_inner().map_err(|e| fault(e.into_error()))?.finish()
    }
}
