// Claim: a TFRecord file gives the numbers that TensorFlow parses from it, and damage of any kind is reported
// with the record that it is in, and never crashes.

#include "data/tfrecord.h"

#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "data/crc32c.h"
#include "data/example.h"
#include "data/files.h"
#include "data/record_file.h"
#include "tensor/safetensors.h"

namespace wt::data {
namespace {

const std::string files = std::string(WT_TEST_DATA) + "/data/files/";

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class T>
std::string raw(T number) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &number, sizeof(T));
  return bytes;
}

// ---- Writers of the two formats, by their descriptions

std::string record(const std::string& data) {
  const std::string length = raw(std::uint64_t{data.size()});
  return length + raw(masked_crc32c(length)) + data + raw(masked_crc32c(data));
}

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  return bytes + static_cast<char>(number);
}

std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}

// Example of features by name, each given as its Feature message.
std::string example(const std::map<std::string, std::string>& features) {
  std::string entries;
  for (const auto& [name, feature] : features) entries += field(1, field(1, name) + field(2, feature));
  return field(1, entries);
}
std::string bytes_list(const std::string& text) { return field(1, field(1, text)); }
std::string int64_list(const std::vector<std::int64_t>& numbers) {
  std::string packed;
  for (const std::int64_t number : numbers) packed += varint(static_cast<std::uint64_t>(number));
  return field(3, field(1, packed));
}

RecordTensor tensor(std::size_t feature, Type type) { return {.feature = feature, .row = {.type = type}}; }

class TfRecord : public testing::Test {
 protected:
  // The feature "x" of each record, of this shape, as numbers of this type.
  RecordRows rows(const std::string& bytes, Shape shape = {2}, Type type = Type::int64) {
    folder_.write("f.tfrecord", bytes);
    return {.files = {{folder_.path() / "f.tfrecord", {.file = "s.json", .line = 1, .column = 1}}},
            .features = {{"x", shape, {}}},
            .tensors = {tensor(0, type)}};
  }
  static Element all(const RecordRows& wanted) { return *read_tfrecords(wanted).batch(100).iterate().next(); }
  std::string error(const RecordRows& wanted) {
    return folder_.error_of<InputError>([&] { read_tfrecords(wanted); });
  }

  TestFolder folder_;
};

TEST(Crc32c, HasTheChecksumsOfRfc3720) {
  std::string rising(32, '\0');
  for (std::size_t i = 0; i < 32; ++i) rising[i] = static_cast<char>(i);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(rising), 0x46dd794eu);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
}

TEST_F(TfRecord, GivesTheNumbersThatTensorFlowParses) {
  const TensorFile expected = read_safetensors(files + "mixed.tfrecord.expected.safetensors");
  for (const char* file : {"mixed.tfrecord", "mixed.tfrecord.gz", "mixed.tfrecord.zlib"}) {
    RecordRows wanted{.files = {{files + file, {}}}};
    for (const auto& [name, stored] : expected.tensors) {
      wanted.tensors.push_back(tensor(wanted.features.size(), stored.type()));
      const bool is_raw = name == "image" || name == "precise";
      wanted.features.push_back(
          {name, stored.shape().without(0), is_raw ? std::optional(stored.type()) : std::nullopt});
    }
    const Element read = all(wanted);
    ASSERT_EQ(read.size(), 5u);
    for (std::size_t i = 0; i < read.size(); ++i) {
      const Tensor& stored = expected.tensors.at(wanted.features[i].name);
      ASSERT_EQ(read[i].spec(), stored.spec()) << wanted.features[i].name;
      EXPECT_EQ(std::memcmp(read[i].bytes().data(), stored.bytes().data(), stored.bytes().size()), 0)
          << wanted.features[i].name;
    }
  }
}

TEST_F(TfRecord, ConvertsToWhatTheModelTakes) {
  RecordRows wanted = rows(record(example({{"x", int64_list({7, -1})}})), {2}, Type::float32);
  EXPECT_EQ(all(wanted)[0].values<float>()[1], -1);
  wanted = rows(record(example({{"x", bytes_list("\x02\xff")}})), {2}, Type::float32);
  wanted.tensors[0].row.shape = Shape{2, 1};
  EXPECT_EQ(print(all(wanted)[0].spec()), "float32[1,2,1]");
  EXPECT_EQ(all(wanted)[0].values<float>()[1], 255);
  wanted = rows(record(example({{"x", int64_list({2})}})), {}, Type::float32);
  wanted.tensors[0].row = {.shape = Shape{3}, .below = 3, .one_hot = true};
  EXPECT_EQ(all(wanted)[0].values<float>()[2], 1);
  wanted = rows(record(example({{"x", int64_list({1LL << 40, 0})}})), {2}, Type::int32);
  EXPECT_NE(error(wanted).find("has 1099511627776, which no int32 is"), std::string::npos) << error(wanted);
  wanted = rows(record(example({{"x", int64_list({3, 0})}})));
  wanted.tensors[0].row.below = 3;
  EXPECT_NE(error(wanted).find("is 3, and the model takes 0 to 2"), std::string::npos) << error(wanted);
}

// Older writers give each number a field of its own, and a later entry of a map replaces an earlier one.
TEST(Example, IsReadInEveryLegalForm) {
  const auto feature = [](const std::string& message) {
    const auto read = parse_example(message);
    return read ? read->at("x") : Feature{};
  };
  const std::string unpacked = field(3, varint(1 << 3) + varint(5) + varint(1 << 3) + varint(6));
  EXPECT_EQ(feature(example({{"x", unpacked}})).int64s, (std::vector<std::int64_t>{5, 6}));
  const std::string floats = field(2, varint(1 << 3 | 5) + raw(1.5F) + field(1, raw(2.5F) + raw(3.5F)));
  EXPECT_EQ(feature(example({{"x", floats}})).floats, (std::vector<float>{1.5F, 2.5F, 3.5F}));
  const auto entry = [](std::int64_t number) {
    return field(1, field(1, "x") + field(2, int64_list({number})));
  };
  const std::string twice = field(1, entry(1) + entry(2)) + field(7, "unknown") + varint(8 << 3) + varint(1);
  EXPECT_EQ(feature(twice).int64s, (std::vector<std::int64_t>{2}));
  EXPECT_TRUE(parse_example(""));
  EXPECT_FALSE(parse_example("\x0a\x05hi"));
}

TEST_F(TfRecord, RefusesEncodedImagesAndSaysWhatToDo) {
  for (const auto& [file, format] : {std::pair("jpeg", "JPEG"), std::pair("png", "PNG")}) {
    const RecordRows wanted{.files = {{files + file + ".tfrecord", {}}},
                            .features = {{"image", {4, 4, 1}, Type::uint8}},
                            .tensors = {tensor(0, Type::float32)}};
    const std::string text = error(wanted);
    EXPECT_NE(text.find(fmt::format("record 0, at byte 0: the feature \"image\" is a {} image", format)),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("tf.io.decode_image(image).numpy().tobytes()"), std::string::npos);
  }
}

TEST_F(TfRecord, ReportsEveryRecordThatIsWrong) {
  std::string bad = record(example({{"x", int64_list({1, 2})}}));
  bad[bad.size() - 6] ^= 1;
  const RecordRows wanted =
      rows(record(example({{"y", int64_list({1, 2})}})) + record(example({{"x", int64_list({1})}})) + bad +
           record(example({{"x", ""}})) + record("no example") + record(example({{"x", bytes_list("abc")}})) +
           record(example({{"x", field(2, field(1, raw(1.0F) + raw(2.0F)))}})));
  std::vector<std::string> found;
  try {
    read_tfrecords(wanted);
  } catch (const InputError& failure) {
    for (const Problem& problem : failure.problems()) found.push_back(problem.fact);
  }
  EXPECT_EQ(found, (std::vector<std::string>{
                       "record 0, at byte 0: there is no feature \"x\"",
                       "record 1, at byte 31: the feature \"x\" has 1 numbers, and the shape [2] has 2",
                       "record 2, at byte 61: its data have a wrong checksum",
                       "record 3, at byte 92: the feature \"x\" is empty",
                       "record 4, at byte 117: its data are no tf.train.Example",
                       "record 5, at byte 143: the feature \"x\" has 3 bytes, and uint8[2] has 2",
                       "record 6, at byte 175: the feature \"x\" has float32, and int64 is needed"}));
}

TEST_F(TfRecord, RefusesOtherFiles) {
  EXPECT_NE(error(rows("a,b\n1,2\n3,4\n")).find("this is not a TFRecord file"), std::string::npos);
  EXPECT_NE(error(rows(std::string("\x78\x9c") + std::string(30, 'x'))).find("the zlib data is damaged"),
            std::string::npos);
  EXPECT_NE(error(rows(record("").substr(0, 10))).find("record 0, at byte 0: the file ends within it"),
            std::string::npos);
}

// A first record of 35,615 bytes begins with the bytes that mark a gzip file.
TEST_F(TfRecord, IsNotTakenForAGzipFile) {
  std::string data = example({{"x", int64_list({1, 2})}});
  data += field(15, std::string(35615 - data.size() - 4, 'x'));
  ASSERT_EQ(data.size(), 35615u);
  EXPECT_EQ(all(rows(record(data)))[0].values<std::int64_t>()[1], 2);
}

// A file that was cut off, or in which a bit was flipped, is refused: a checksum covers every bit. Every third
// length and every 13th bit are tried.
TEST_F(TfRecord, RefusesTruncationsAndFlippedBits) {
  const std::string whole = content(files + "mixed.tfrecord");
  const auto check = [&](const std::string& bytes, std::size_t at) {
    RecordRows wanted = rows(bytes, {}, Type::int64);
    wanted.features[0].name = "label";
    EXPECT_NE(error(wanted).find("record "), std::string::npos) << at;
  };
  std::set<std::size_t> ends{whole.size()};
  const RecordFile file(files + "mixed.tfrecord", {});
  for (const Record& one : file.records()) ends.insert(one.begin);
  for (std::size_t size = 1; size < whole.size(); size += 3)
    if (!ends.contains(size)) check(whole.substr(0, size), size);
  for (std::size_t bit = 0; bit < whole.size() * 8; bit += 13) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    check(damaged, bit);
  }
}

// With right checksums around them, damaged messages and packed files give rows or an InputError.
TEST_F(TfRecord, NeverCrashesOnDamagedMessages) {
  const std::string whole = content(files + "mixed.tfrecord"), gzip = content(files + "mixed.tfrecord.gz");
  const RecordFile file(files + "mixed.tfrecord", {});
  const std::string message(file.records().front().data);
  const auto read = [&](const std::string& bytes) {
    RecordRows wanted = rows(bytes, {3}, Type::float32);
    wanted.features = {{"weights", {3}, {}}, {"image", {4, 4, 1}, Type::uint8}, {"ids", {2, 2}, {}}};
    wanted.tensors.push_back(tensor(1, Type::float32));
    wanted.tensors.push_back(tensor(2, Type::int64));
    try {
      read_tfrecords(wanted);
    } catch (const InputError& failure) {
      EXPECT_NE(std::string(failure.what()), "");
    }
  };
  for (std::size_t size = 0; size < message.size(); ++size) read(record(message.substr(0, size)));
  for (std::size_t bit = 0; bit < message.size() * 8; ++bit) {
    std::string damaged = message;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    read(record(damaged));
  }
  for (std::size_t at = 0; at < gzip.size(); at += 2) {
    std::string damaged = gzip;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    read(damaged);
    read(gzip.substr(0, at));
  }
}

}  // namespace
}  // namespace wt::data
