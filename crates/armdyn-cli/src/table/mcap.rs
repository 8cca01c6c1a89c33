//! Tables as MCAP: joint states of ROS 2.
//!
//! A row is one message `sensor_msgs/msg/JointState`, in CDR (little endian), as rosbag2 and Foxglove record it. Columns are `t`, the time
//! since the first message \[s\], and `q_JOINT`, `qd_JOINT`, `tau_JOINT` for position, velocity and effort. The message has no
//! accelerations: `qdd_JOINT` is left out in writing. Chunks may be compressed with Zstandard, not with LZ4. Joints are those of the first message; later ones may list them in
//! another order. A quantity `partial` is the metadata record `armdyn` with `partial` = `true`: the rows end early.

use super::atomic_file::AtomicFile;
use super::{Block, Quantity, TableError};
use mcap::records::{MessageHeader, Metadata, Record};
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek};
use std::path::{Path, PathBuf};

const SCHEMA_NAME: &str = "sensor_msgs/msg/JointState";
const TOPIC: &str = "/joint_states";
/// The quantity that marks rows that end early.
const PARTIAL: &str = "partial";
/// The longest record \[bytes\].
const LONGEST: usize = 1 << 28;
/// Columns of the arrays of a message after the names of its joints.
const ARRAYS: [&str; 3] = ["q", "qd", "tau"];

/// The definition of the message and of those in it.
const SCHEMA: &str = "\
std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
";

/// A joint state.
#[derive(Clone, Debug, Default, PartialEq)]
struct JointState {
    /// Time \[ns\].
    stamp: i64,
    names: Vec<String>,
    /// Positions, velocities, efforts; each may be empty.
    arrays: [Vec<f64>; 3],
}

impl JointState {
    /// CDR, after the header of the encapsulation, where alignment begins.
    fn encode(&self) -> Vec<u8> {
        fn align(out: &mut Vec<u8>, to: usize) {
            out.resize(4 + (out.len() - 4).next_multiple_of(to), 0);
        }
        fn count(out: &mut Vec<u8>, n: usize) {
            align(out, 4);
            out.extend((n as u32).to_le_bytes());
        }
        fn string(out: &mut Vec<u8>, text: &str) {
            count(out, text.len() + 1);
            out.extend(text.as_bytes());
            out.push(0);
        }
        let mut out = vec![0, 1, 0, 0];
        out.extend((self.stamp.div_euclid(1_000_000_000) as i32).to_le_bytes());
        out.extend((self.stamp.rem_euclid(1_000_000_000) as u32).to_le_bytes());
        string(&mut out, "");
        count(&mut out, self.names.len());
        self.names.iter().for_each(|name| string(&mut out, name));
        for array in &self.arrays {
            count(&mut out, array.len());
            if !array.is_empty() {
                align(&mut out, 8);
            }
            array.iter().for_each(|x| out.extend(x.to_le_bytes()));
        }
        out
    }

    /// From CDR; what is wrong with it otherwise.
    fn decode(bytes: &[u8]) -> Result<Self, &'static str> {
        let mut cdr = match bytes {
            [0, 1, _, _, body @ ..] => Cdr { body, at: 0 },
            [0, 0, ..] => return Err("is big endian"),
            _ => return Err("is not in CDR"),
        };
        let seconds = i64::from(i32::from_le_bytes(cdr.take()?));
        let nanoseconds = i64::from(u32::from_le_bytes(cdr.take()?));
        cdr.string()?;
        let names = (0..cdr.count(5)?).map(|_| cdr.string()).collect::<Result<_, _>>()?;
        let mut arrays = [const { vec![] }; 3];
        for array in &mut arrays {
            *array = (0..cdr.count(8)?).map(|_| cdr.take().map(f64::from_le_bytes)).collect::<Result<_, _>>()?;
        }
        Ok(JointState { stamp: seconds * 1_000_000_000 + nanoseconds, names, arrays })
    }
}

/// A CDR stream.
struct Cdr<'a> {
    body: &'a [u8],
    at: usize,
}

impl Cdr<'_> {
    /// An aligned number of `N` bytes.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let from = self.at.next_multiple_of(N);
        let bytes = self.body.get(from..from + N).and_then(|b| b.try_into().ok()).ok_or("is truncated")?;
        self.at = from + N;
        Ok(bytes)
    }

    /// The length of a sequence whose elements have at least `size` bytes.
    fn count(&mut self, size: usize) -> Result<usize, &'static str> {
        let n = u32::from_le_bytes(self.take()?) as usize;
        if n > self.body.len() / size { Err("is truncated") } else { Ok(n) }
    }

    fn string(&mut self) -> Result<String, &'static str> {
        let n = self.count(1)?;
        let bytes = self.body.get(self.at..self.at + n).ok_or("is truncated")?;
        self.at += n;
        let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        String::from_utf8(text.to_vec()).map_err(|_| "has a name that is not UTF-8")
    }
}

/// The joint states of a file, in order.
struct Messages {
    path: PathBuf,
    input: BufReader<File>,
    reader: LinearReader,
    /// Schemas by their id, and the joint state channels with their topics.
    schemas: BTreeMap<u16, String>,
    channels: BTreeMap<u16, String>,
}

impl Messages {
    fn new(path: &Path, file: File) -> Self {
        let options = LinearReaderOptions::default().with_record_length_limit(LONGEST);
        Messages {
            path: path.to_path_buf(),
            input: BufReader::with_capacity(1 << 16, file),
            reader: LinearReader::new_with_options(options),
            schemas: BTreeMap::new(),
            channels: BTreeMap::new(),
        }
    }

    /// The next joint state, with the time of its record where it has no stamp.
    fn next(&mut self) -> Result<Option<JointState>, TableError> {
        let fault = |what: String, fix: &str| TableError::new(&self.path, what, fix);
        let broken = |e: mcap::McapError| match e {
            mcap::McapError::UnsupportedCompression(kind) => fault(
                format!("is compressed ({kind})"),
                "write it again with Zstandard: `mcap compress --compression zstd`",
            ),
            e => {
                fault(format!("is not a complete MCAP file: {e}"), "record it again, or repair it with `mcap recover`")
            }
        };
        while let Some(event) = self.reader.next_event() {
            let (data, opcode) = match event.map_err(broken)? {
                LinearReadEvent::ReadRequest(n) => {
                    let read = self.input.read(self.reader.insert(n));
                    let read = read.map_err(|e| fault(format!("cannot be read: {e}"), "read it again"))?;
                    self.reader.notify_read(read);
                    continue;
                }
                LinearReadEvent::Record { data, opcode } => (data, opcode),
            };
            match mcap::parse_record(opcode, data).map_err(broken)? {
                Record::Schema { header, .. } => {
                    self.schemas.insert(header.id, header.name);
                }
                Record::Channel(channel) => {
                    let schema = self.schemas.get(&channel.schema_id).map(String::as_str);
                    let is_state = matches!(schema, Some(SCHEMA_NAME | "sensor_msgs/JointState"));
                    if is_state && channel.message_encoding == "cdr" {
                        self.channels.insert(channel.id, channel.topic);
                    }
                }
                Record::Message { header, data } if self.channels.contains_key(&header.channel_id) => {
                    if self.channels.len() > 1 {
                        let topics: Vec<&str> = self.channels.values().map(String::as_str).collect();
                        let what = format!("has joint states on several topics: {}", topics.join(", "));
                        return Err(fault(what, "keep one of them: `mcap filter --include-topic-regex …`"));
                    }
                    let mut state = JointState::decode(&data)
                        .map_err(|why| fault(format!("has a joint state that {why}"), "record it again"))?;
                    if state.stamp == 0 {
                        state.stamp = i64::try_from(header.log_time).unwrap_or(0);
                    }
                    return Ok(Some(state));
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

pub(super) struct McapReader {
    messages: Messages,
    first: JointState,
    /// For each selected column: 0 for the time, else the array and the joint.
    selected: Vec<(usize, usize)>,
}

impl McapReader {
    pub fn open(path: &Path, mut file: File) -> Result<(Vec<String>, Self), TableError> {
        let fault = |what: &str, fix: &str| TableError::new(path, what, fix);
        let copy = file.try_clone().map_err(|e| fault(&format!("cannot be read: {e}"), "read it again"))?;
        let first = Messages::new(path, copy).next()?;
        let first = first.ok_or_else(|| {
            fault("has no messages of the type sensor_msgs/msg/JointState in CDR", "record a topic of joint states")
        })?;
        file.rewind().map_err(|e| fault(&format!("cannot be read: {e}"), "read it again"))?;
        let mut names = vec!["t".to_string()];
        for (array, prefix) in first.arrays.iter().zip(ARRAYS) {
            if !array.is_empty() && array.len() != first.names.len() {
                let what = format!("has a joint state with {} names and {} values", first.names.len(), array.len());
                return Err(fault(&what, "record it again"));
            }
            if !array.is_empty() {
                names.extend(first.names.iter().map(|name| format!("{prefix}_{name}")));
            }
        }
        Ok((names, McapReader { messages: Messages::new(path, file), first, selected: vec![] }))
    }

    pub fn select(&mut self, columns: &[usize]) {
        let present = self.first.arrays.iter().enumerate().filter(|(_, array)| !array.is_empty());
        let places: Vec<(usize, usize)> = std::iter::once((0, 0))
            .chain(present.flat_map(|(k, array)| (0..array.len()).map(move |joint| (k + 1, joint))))
            .collect();
        self.selected = columns.iter().map(|c| places[*c]).collect();
    }

    pub fn fill(&mut self, before: u64, block: &mut Block) -> Result<(), TableError> {
        let mut row = vec![0.0; self.selected.len()];
        while !block.is_full() {
            let Some(state) = self.messages.next()? else { break };
            let at = before + block.rows() as u64 + 1;
            for (value, (array, joint)) in row.iter_mut().zip(&self.selected) {
                *value = match array.checked_sub(1) {
                    None => (state.stamp - self.first.stamp) as f64 * 1e-9,
                    Some(array) => {
                        let name = &self.first.names[*joint];
                        let place = state.names.iter().position(|n| n == name);
                        *place.and_then(|p| state.arrays[array].get(p)).ok_or_else(|| {
                            let column = format!("{}_{name}", ARRAYS[array]);
                            let fix = "record joint states of all joints in one message";
                            TableError::new(&self.messages.path, "has no value", fix).row(at).column(&column)
                        })?
                    }
                };
            }
            block.push(&row);
        }
        Ok(())
    }
}

pub(super) struct McapWriter {
    target: PathBuf,
    writer: mcap::Writer<BufWriter<AtomicFile>>,
    channel: u16,
    written: u32,
    names: Vec<String>,
    /// The column of the time, and the first of each array.
    time: usize,
    arrays: [Option<usize>; 3],
}

impl McapWriter {
    pub fn create(file: AtomicFile, quantities: &[Quantity]) -> Result<Self, TableError> {
        let target = file.target.clone();
        let fault = |what: String| {
            TableError::new(
                &target,
                what,
                "a joint state has `t`, `q_JOINT`, `qd_JOINT` and `tau_JOINT`; choose .csv, .parquet or .npz",
            )
        };
        let (mut time, mut arrays, mut names, mut first) = (None, [None; 3], vec![], 0);
        let partial = quantities.iter().any(|quantity| quantity.name() == PARTIAL);
        for quantity in quantities {
            let place = ARRAYS.iter().position(|a| *a == quantity.name());
            match (quantity.name(), place) {
                ("t", _) => time = Some(first),
                ("qdd" | PARTIAL, _) => {}
                (name, Some(place)) => {
                    let prefix = format!("{name}_");
                    names = quantity.columns().iter().map(|c| c.trim_start_matches(&prefix).to_string()).collect();
                    arrays[place] = Some(first);
                }
                (name, None) => return Err(fault(format!("cannot hold `{name}` in an MCAP file"))),
            }
            first += quantity.columns().len();
        }
        let time = time.ok_or_else(|| fault("has no time".to_string()))?;
        let unwritable = |e: mcap::McapError| TableError::unwritable(&target, e);
        let output = BufWriter::with_capacity(1 << 18, file);
        let options = mcap::WriteOptions::new().compression(None).profile("ros2").library("armdyn");
        let mut writer = options.create(output).map_err(unwritable)?;
        let schema = writer.add_schema(SCHEMA_NAME, "ros2msg", SCHEMA.as_bytes()).map_err(unwritable)?;
        let channel = writer.add_channel(schema, TOPIC, "cdr", &BTreeMap::new()).map_err(unwritable)?;
        if partial {
            let metadata = BTreeMap::from([(PARTIAL.to_string(), "true".to_string())]);
            writer.write_metadata(&Metadata { name: "armdyn".to_string(), metadata }).map_err(unwritable)?;
        }
        Ok(McapWriter { target, writer, channel, written: 0, names, time, arrays })
    }

    pub fn write(&mut self, block: &Block) -> Result<(), TableError> {
        let n = self.names.len();
        for row in block.iter() {
            let stamp = (row[self.time] * 1e9).round();
            if !(0.0..2e18).contains(&stamp) {
                let fix = "times of messages are from 0 to 2e9 s";
                return Err(TableError::new(&self.target, format!("cannot hold the time {} s", row[self.time]), fix));
            }
            let array = |first: &Option<usize>| first.map_or(vec![], |first| row[first..first + n].to_vec());
            let arrays = [0, 1, 2].map(|k| array(&self.arrays[k]));
            let state = JointState { stamp: stamp as i64, names: self.names.clone(), arrays };
            let time = stamp as u64;
            let header =
                MessageHeader { channel_id: self.channel, sequence: self.written, log_time: time, publish_time: time };
            let written = self.writer.write_to_known_channel(&header, &state.encode());
            written.map_err(|e| TableError::unwritable(&self.target, e))?;
            self.written += 1;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), TableError> {
        self.writer.finish().map_err(|e| TableError::unwritable(&self.target, e))?;
        let output = self.writer.into_inner();
        output.into_inner().map_err(|e| TableError::unwritable(&self.target, e.error()))?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes by hand, after the CDR specification (OMG formal/02-06-51, 15.3): alignment counts from after the four bytes of the header.
    #[test]
    fn a_joint_state_in_cdr() {
        let arrays = [vec![1.0], vec![], vec![-2.0]];
        let state = JointState { stamp: 3_000_000_007, names: vec!["ab".to_string()], arrays };
        let mut expected = vec![0, 1, 0, 0];
        expected.extend([3, 0, 0, 0, 7, 0, 0, 0]); // stamp: 0 … 8
        expected.extend([1, 0, 0, 0, 0, 0, 0, 0]); // empty frame_id and padding: 8 … 16
        expected.extend([1, 0, 0, 0, 3, 0, 0, 0, b'a', b'b', 0, 0]); // one name and padding: 16 … 28
        expected.extend([1, 0, 0, 0]); // one position: 28 … 32, a multiple of 8
        expected.extend(1f64.to_le_bytes()); // 32 … 40
        expected.extend([0, 0, 0, 0]); // no velocities: 40 … 44
        expected.extend([1, 0, 0, 0]); // one effort: 44 … 48
        expected.extend((-2f64).to_le_bytes());
        assert_eq!(state.encode(), expected);
        assert_eq!(JointState::decode(&expected).unwrap(), state);
        for cut in 4..expected.len() {
            assert_eq!(JointState::decode(&expected[..cut]).unwrap_err(), "is truncated", "{cut}");
        }
        let mut long = expected.clone();
        long[20..24].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(JointState::decode(&long).unwrap_err(), "is truncated");
        assert!(JointState::decode(&[0, 0, 0, 0]).is_err() && JointState::decode(b"x").is_err());
    }
}
