"""Makes the tables that src/table/tests.rs reads. Number k (from 0) of column c (from 0) is (8 k + c) / 16 - 3 in a column of
floats, and 8 k + c in one of whole numbers: every type holds them exactly."""

import sys
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 20
k = np.arange(ROWS)


def x(c):
    return (8 * k + c) / 16 - 3


# Text, as pandas writes it.
frame = pd.DataFrame({"time": x(0), "q1": x(1), "q2": x(2)})
frame.to_csv("plain.csv", index=False)
frame.to_csv("index.csv")
frame.to_csv("semicolons.csv", index=False, sep=";")
frame.to_csv("tabs.tsv", index=False, sep="\t")
frame.to_csv("mark_crlf.csv", index=False, encoding="utf-8-sig", lineterminator="\r\n")
frame.to_csv("quoted.csv", index=False, quoting=1)

# Parquet, as pyarrow and pandas write it.
mixed = pa.table(
    {
        "time": x(0),
        "q1": x(1).astype("f4"),
        "n": (8 * k + 2).astype("i4"),
        "m": (8 * k + 3).astype("i8"),
        "u": (8 * k + 4).astype("u1"),
        "w": (8 * k + 5).astype("u8"),
    }
)
for codec in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
    pq.write_table(mixed, f"{codec}.parquet", compression=codec, row_group_size=7)
pq.write_table(mixed, "pages2.parquet", data_page_version="2.0", row_group_size=7, data_page_size=16)
pq.write_table(mixed, "plain.parquet", use_dictionary=False, row_group_size=20, data_page_size=16, write_batch_size=3)
encoding = {"time": "BYTE_STREAM_SPLIT", "q1": "BYTE_STREAM_SPLIT", "n": "DELTA_BINARY_PACKED", "m": "DELTA_BINARY_PACKED"}
encoding |= {"u": "PLAIN", "w": "PLAIN"}
pq.write_table(mixed, "encodings.parquet", use_dictionary=False, column_encoding=encoding, row_group_size=7)
frame.to_parquet("pandas.parquet")

odd = pa.table(
    {
        "time": x(0),
        "label": [f"state {i}" for i in k],
        "hole": pa.array([None if i == 9 else float(i) for i in k]),
        "when": pa.array(k, pa.timestamp("ns")),
        "cents": pa.array([int(i) for i in k], pa.int32()).cast(pa.decimal128(10, 0)).cast(pa.decimal128(12, 2)),
        "list": [[float(i)] for i in k],
        "flag": k % 2 == 0,
        "huge": pa.array([2**53 + 1 if i == 4 else int(i) for i in k], pa.int64()),
        "gap": np.where(k == 11, np.nan, x(8)),
    }
)
pq.write_table(odd, "odd.parquet", row_group_size=7, store_decimal_as_integer=True)
pq.write_table(mixed.slice(0, 0), "no_rows.parquet")

# Arrays, as NumPy writes them.
q = np.stack([x(1), x(2), x(3)], axis=1)
np.savez("stored.npz", time=x(0), q=q, n=(8 * k + 4).astype("i4"))
np.savez_compressed("deflated.npz", time=x(0), q=q, n=(8 * k + 4).astype("i4"))
np.savez("fortran.npz", time=x(0), q=np.asfortranarray(q), n=(8 * k + 4).astype("u2"))
np.savez_compressed("fortran_deflated.npz", time=x(0), q=np.asfortranarray(q), n=(8 * k + 4).astype("u8"))
np.savez("big_endian.npz", time=x(0).astype(">f8"), q=q.astype(">f4"), n=(8 * k + 4).astype(">i2"))
np.savez("small.npz", time=x(0).astype("f4"), q=q.astype("f4"), n=(8 * k + 4).astype("u1"))
np.savez("odd.npz", time=x(0), dt=0.01, cube=np.zeros((20, 2, 2)), label=np.array(["a"] * 20), half=x(1).astype("f2"),
         pair=np.zeros(20, dtype=[("a", "f8"), ("b", "i4")]), huge=np.array([2**53 + 1] * 20),
         gap=np.where(k == 11, np.inf, x(2)))
np.savez("lengths.npz", time=x(0), q=x(1)[:7])
np.savez("no_rows.npz", time=x(0)[:0])


def forged(name, shape, payload=bytes(64), **packed):
    """A file whose header claims a shape that its payload does not have."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    npy = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + payload
    with zipfile.ZipFile(name, "w", **packed) as z:
        z.writestr("q.npy", npy)


forged("claims_rows.npz", "(1000000000000,)")
forged("claims_columns.npz", "(1, 1000000000000)")
forged("claims_product.npz", "(4294967296, 4294967296)")

print("made with", "Python", sys.version.split()[0], "NumPy", np.__version__, "pandas", pd.__version__, "pyarrow", pa.__version__)
