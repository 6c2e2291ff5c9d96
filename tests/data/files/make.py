"""Writes the files of this folder, and what TensorFlow reads from them.

    python3 -m venv tf && tf/bin/pip install tensorflow==2.21.0
    tf/bin/python make.py

`NAME.expected.safetensors` has what TensorFlow's own readers give for NAME, tensor by tensor.
"""

import json
import os
import struct

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

TYPES = {"float32": "F32", "int64": "I64", "uint8": "U8", "float64": "F64", "int32": "I32", "bool": "BOOL"}

FLOWERS = '''\
sepal,petal,"name, as ""written""",species,count
5.1,0.1,"a, ""b""",setosa,1
4.9,1e-3,plain,versicolor,-2
"7.0", 4.7 ,"two
lines",virginica,9007199254740993
+2.5,16777217,"",setosa,0

0.30000001192092896,1.00000005960464478,x,versicolor,4
3.4028234e38,1e-46,y,virginica,5
'''


def store(path, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        raw = np.ascontiguousarray(value).tobytes()
        header[name] = {"dtype": TYPES[str(value.dtype)], "shape": list(value.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def stacked(dataset):
    rows = [tf.nest.map_structure(lambda tensor: tensor.numpy(), row) for row in dataset]
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def csv():
    with open("flowers.csv", "w", newline="") as file:
        file.write(FLOWERS.replace("\n\n", "\n"))  # CsvDataset refuses the blank line, which pandas skips
    columns = {"sepal": (0, tf.float32), "petal": (1, tf.float32), "species": (3, tf.string), "count": (4, tf.int64)}
    read = tf.data.experimental.CsvDataset(
        "flowers.csv", [kind for _, kind in columns.values()], header=True,
        select_cols=[column for column, _ in columns.values()])
    values = stacked(read.map(lambda *row: dict(zip(columns, row))))
    words = [b"setosa", b"versicolor", b"virginica"]
    values["species"] = np.array([words.index(word) for word in values["species"]], np.int64)
    store("flowers.csv.expected.safetensors", values)
    with open("flowers.csv", "w", newline="") as file:
        file.write(FLOWERS.replace("\n", "\r\n"))


def feature(value):
    lists = tf.train.Feature
    if value.dtype == np.uint8 or value.dtype == np.float64:
        return lists(bytes_list=tf.train.BytesList(value=[value.tobytes()]))
    if value.dtype == np.float32:
        return lists(float_list=tf.train.FloatList(value=value.ravel()))
    return lists(int64_list=tf.train.Int64List(value=value.ravel()))


def tfrecord(name, options=None):
    draw = np.random.default_rng(1)
    rows = [{"image": draw.integers(0, 256, (4, 4, 1)).astype(np.uint8),
             "weights": draw.normal(size=3).astype(np.float32),
             "precise": draw.normal(size=2),
             "ids": draw.integers(-2**62, 2**62, (2, 2)),
             "label": np.int64(i % 3)} for i in range(7)]
    with tf.io.TFRecordWriter(name, options) as file:
        for row in rows:
            example = tf.train.Example(features=tf.train.Features(
                feature={key: feature(np.asarray(value)) for key, value in row.items()}))
            file.write(example.SerializeToString())
    spec = {"image": tf.io.FixedLenFeature([], tf.string), "weights": tf.io.FixedLenFeature([3], tf.float32),
            "precise": tf.io.FixedLenFeature([], tf.string), "ids": tf.io.FixedLenFeature([2, 2], tf.int64),
            "label": tf.io.FixedLenFeature([], tf.int64)}

    def parse(record):
        row = tf.io.parse_single_example(record, spec)
        row["image"] = tf.reshape(tf.io.decode_raw(row["image"], tf.uint8), [4, 4, 1])
        row["precise"] = tf.io.decode_raw(row["precise"], tf.float64)
        return row

    if options is None:
        store(name + ".expected.safetensors", stacked(tf.data.TFRecordDataset(name).map(parse)))


def encoded():
    image = tf.zeros([4, 4, 1], tf.uint8)
    for name, encode in [("jpeg", tf.io.encode_jpeg), ("png", tf.io.encode_png)]:
        with tf.io.TFRecordWriter(name + ".tfrecord") as file:
            file.write(tf.train.Example(features=tf.train.Features(feature={
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[encode(image).numpy()])),
                "label": feature(np.int64([0]))})).SerializeToString())


os.chdir(os.path.dirname(os.path.abspath(__file__)))
csv()
tfrecord("mixed.tfrecord")
tfrecord("mixed.tfrecord.gz", tf.io.TFRecordOptions(compression_type="GZIP"))
encoded()
