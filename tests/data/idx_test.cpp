#include "data/idx.h"

#include <gtest/gtest.h>

#include <random>

#include "data/files.h"
#include "data/gzip.h"

namespace wt::data {
namespace {

class Idx : public testing::Test {
 protected:
  Tensor read(const std::string& bytes) const { return read_idx(folder_.write("x", bytes)); }
  std::string error(const std::string& bytes) const {
    return folder_.error_of<InputError>([&] { read(bytes); });
  }

  TestFolder folder_;
};

TEST_F(Idx, ReadsEveryTypeFromBigEndian) {
  const Tensor bytes = read(idx(0x08, {2, 2}, "\x01\x02\x03\xff"));
  EXPECT_EQ(print(bytes.spec()), "uint8[2,2]");
  EXPECT_EQ(bytes.values<std::uint8_t>()[3], 255);
  const Tensor whole = read(idx(0x0C, {2}, std::string("\x00\x00\x01\x02\xff\xff\xff\xfe", 8)));
  EXPECT_EQ(whole.values<std::int32_t>()[0], 258);
  EXPECT_EQ(whole.values<std::int32_t>()[1], -2);
  EXPECT_EQ(read(idx(0x0D, {1}, std::string("\x3f\xc0\x00\x00", 4))).values<float>()[0], 1.5F);
  EXPECT_EQ(read(idx(0x0E, {1}, std::string("\x3f\xf8\0\0\0\0\0\0", 8))).values<double>()[0], 1.5);
}

TEST_F(Idx, ReadsAnEmptyFileOfRows) {
  EXPECT_EQ(print(read(idx(0x08, {0, 28, 28}, "")).spec()), "uint8[0,28,28]");
}

TEST_F(Idx, ReadsGzipWhateverTheFileIsCalled) {
  std::string numbers(5'000'000, '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<char>(i * i >> 7);
  const std::string plain = idx(0x08, {5000, 1000}, numbers);
  const Tensor tensor = read(packed(plain));
  EXPECT_EQ(print(tensor.spec()), "uint8[5000,1000]");
  EXPECT_TRUE(
      std::equal(numbers.begin(), numbers.end(), tensor.values<std::uint8_t>().begin(),
                 [](char left, std::uint8_t right) { return static_cast<std::uint8_t>(left) == right; }));
  // gunzip concatenates several gzip members.
  const Tensor pieces = read(packed(plain.substr(0, 7)) + packed(plain.substr(7)));
  EXPECT_TRUE(std::equal(pieces.bytes().begin(), pieces.bytes().end(), tensor.bytes().begin()));
}

TEST_F(Idx, RefusesWhatIsNoIdxFile) {
  EXPECT_EQ(error(""), "x: this is not an IDX file: it has only 0 bytes");
  EXPECT_EQ(error("PK\3\4 a zip"), "x: this is not an IDX file: it does not begin with two zero bytes");
  EXPECT_EQ(error(idx(0x07, {1}, "1")),
            "x: this is not an IDX file: its third byte is 0x07, which is not the code of a type");
  EXPECT_EQ(error(idx(0x0B, {1}, "12")),
            "x: its numbers are int16, which is not supported\nknown: uint8, int32, float32, float64");
  EXPECT_EQ(error(idx(0x08, {}, "1")), "x: its numbers have no axis\nat least one is required, for the rows");
  EXPECT_EQ(error(idx(0x08, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "1")),
            "x: its numbers have 9 axes\nat most 8 are supported");
}

TEST_F(Idx, RefusesAWrongLength) {
  EXPECT_EQ(error(idx(0x08, {2, 3}, "12345")),
            "x: the header describes uint8[2,3], 6 bytes, but 5 follow\nthe file was cut off");
  EXPECT_EQ(error(idx(0x08, {2, 3}, "1234567")),
            "x: the header describes uint8[2,3], 6 bytes, but more follow\n"
            "the format allows nothing after the last number");
  EXPECT_EQ(error(packed(idx(0x0C, {2}, "1234567"))),
            "x: the header describes int32[2], 8 bytes, but 7 follow\nthe file was cut off");
  EXPECT_EQ(error(idx(0x08, {2, 3}, "").substr(0, 10)),
            "x: the header should have 12 bytes, but the file has 10\n"
            "the file was cut off, or is not an IDX file");
}

TEST_F(Idx, RefusesHostileSizesBeforeAnyAllocation) {
  const std::uint32_t most = 0xffffffff;
  EXPECT_EQ(error(idx(0x0E, {most, most, most}, "")), "x: the shape is larger than any memory");
  EXPECT_EQ(error(idx(0x08, {0, most, most, most}, "")), "x: the shape is larger than any memory");
  EXPECT_EQ(error(idx(0x0E, {1 << 24, 1 << 24}, "12345678")),
            "x: the header describes float64[16777216,16777216], 2251799813685248 bytes, but 8 follow\n"
            "the file was cut off");
  EXPECT_EQ(error(packed(idx(0x0E, {1 << 24, 1 << 24}, "12345678"))),
            "x: the header describes float64[16777216,16777216], 2251799813685248 bytes, but 8 follow\n"
            "the file was cut off");
}

TEST_F(Idx, UnpacksNoMoreThanTheHeaderDescribes) {
  const std::string bomb = packed(idx(0x08, {4}, std::string(50'000'000, '\0')));
  EXPECT_LT(bomb.size(), 100'000U);
  EXPECT_EQ(error(bomb),
            "x: the header describes uint8[4], 4 bytes, but more follow\n"
            "the format allows nothing after the last number");
}

TEST_F(Idx, RefusesBrokenGzip) {
  const std::string good = packed(idx(0x08, {4}, "1234"));
  EXPECT_EQ(error(good.substr(0, good.size() - 3)),
            "x: the gzip data ends too early\nthe file was cut off: download it again");
  EXPECT_EQ(error("\x1f\x8b"), "x: the gzip data ends too early\nthe file was cut off: download it again");
  EXPECT_EQ(error(good + "abc"), "x: 3 bytes follow the gzip data\nthe file is damaged: download it again");
  std::string wrong_sum = good;
  wrong_sum[good.size() - 6] = static_cast<char>(wrong_sum[good.size() - 6] ^ 1);
  EXPECT_EQ(error(wrong_sum), "x: the gzip data is damaged: incorrect data check\ndownload the file again");
  std::string wrong_method = good;
  wrong_method[2] = 7;
  EXPECT_EQ(error(wrong_method),
            "x: the gzip data is damaged: unknown compression method\ndownload the file again");
}

TEST_F(Idx, RefusesTheFileCutOffAnywhere) {
  const std::string plain = idx(0x0C, {3, 2}, std::string(24, 'n'));
  for (const std::string& bytes : {plain, packed(plain)}) {
    EXPECT_EQ(error(bytes), "no error");
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_NE(error(bytes.substr(0, length)), "no error") << length;
  }
}

// Reading a damaged file gives an InputError or a tensor and never crashes. The checksum of gzip detects
// changed numbers.
TEST_F(Idx, AnswersATensorOrAnInputErrorWhereverItIsDamaged) {
  const std::string plain = idx(0x0C, {3, 2}, "some numbers, 24 bytes..");
  const std::string gzip = packed(plain);
  const Tensor whole = read(plain);
  std::mt19937_64 random(23);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    const bool is_packed = round % 2 == 1;
    std::string damaged = is_packed ? gzip : plain;
    for (int change = 0; change <= round % 3; ++change)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (round % 5 == 0) damaged.resize(random() % damaged.size());
    try {
      const Tensor tensor = read(damaged);
      if (is_packed && is_gzip(damaged)) {
        EXPECT_EQ(tensor.spec(), whole.spec());
      }
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 2000);
}

TEST_F(Idx, NamesAFileThatIsNotThere) {
  EXPECT_EQ(folder_.error_of<InputError>([] {
    read_idx("no/such.idx", {"x.json", 1, 1, "\"f\"", 3});
  }),
            "x.json:1:1: cannot read \"no/such.idx\": No such file or directory\n"
            "  1 | \"f\"\n    | ^~~");
}

TEST_F(Idx, RefusesImagesAndLabelsThatDoNotBelongTogether) {
  const auto error_of_pair = [&](const std::string& images, const std::string& labels) {
    return folder_.error_of<InputError>(
        [&] { read_idx_images(folder_.write("i", images), folder_.write("l", labels)); });
  };
  const std::string images = idx(0x08, {2, 1, 1}, "12");
  EXPECT_EQ(error_of_pair(images, idx(0x08, {3}, "123")), "l: 3 labels for 2 images\nthe images are in i");
  EXPECT_EQ(error_of_pair(images, images),
            "l: expected labels, found uint8[2,1,1]\nlabels are one whole number per image");
  EXPECT_EQ(error_of_pair(idx(0x08, {2}, "12"), idx(0x08, {2}, "12")),
            "i: expected images, found uint8[2]\nimages are uint8 or float32, with the axes row, height, "
            "width and, optionally, channel");
}

// Small files with the names and the format of Fashion-MNIST.
void write_fashion_mnist(const TestFolder& folder, bool is_packed) {
  const auto put = [&](const std::string& name, const std::string& bytes) {
    folder.write(name + (is_packed ? ".gz" : ""), is_packed ? packed(bytes) : bytes);
  };
  std::string shades(3 * 28 * 28, '\0');
  for (std::size_t i = 0; i < shades.size(); ++i) shades[i] = static_cast<char>(i);
  put("train-images-idx3-ubyte", idx(0x08, {3, 28, 28}, shades));
  put("train-labels-idx1-ubyte", idx(0x08, {3}, std::string("\x09\x00\x03", 3)));
  put("t10k-images-idx3-ubyte", idx(0x08, {2, 28, 28}, shades.substr(0, 2 * 28 * 28)));
  put("t10k-labels-idx1-ubyte", idx(0x08, {2}, "\x02\x01"));
}

TEST(P1, FashionMnistGetsAChannelAxisAndIsDividedByFloat255) {
  const TestFolder folder;
  for (const bool is_packed : {true, false}) {
    write_fashion_mnist(folder, is_packed);
    const FashionMnist data = read_fashion_mnist(folder.path());
    EXPECT_EQ(print(data.train.images.spec()), "float32[3,28,28,1]");
    EXPECT_EQ(print(data.train.labels.spec()), "int32[3]");
    EXPECT_EQ(print(data.test.images.spec()), "float32[2,28,28,1]");
    EXPECT_EQ(data.train.labels.values<std::int32_t>()[0], 9);
    EXPECT_EQ(data.test.labels.values<std::int32_t>()[1], 1);
    for (std::size_t i = 0; i < 3 * 28 * 28; ++i)
      ASSERT_EQ(data.train.images.values<float>()[i], static_cast<float>(i % 256) / 255.0F) << i;
  }
}

TEST(P1, MissingFilesAreNamedInOneErrorWithAllFour) {
  const TestFolder folder;
  write_fashion_mnist(folder, true);
  std::filesystem::remove(folder.path() / "train-labels-idx1-ubyte.gz");
  std::filesystem::remove(folder.path() / "t10k-labels-idx1-ubyte.gz");
  EXPECT_EQ(
      folder.error_of<InputError>([&] {
        read_fashion_mnist(folder.path(), {"x.json", 3, 5, "    \"f\"", 3});
      }),
      "x.json:3:5: the folder \"FOLDER\" does not contain train-labels-idx1-ubyte, t10k-labels-idx1-ubyte\n"
      "  3 |     \"f\"\n    |     ^~~\n"
      "Fashion-MNIST consists of four files, plain or with .gz at the end: train-images-idx3-ubyte, "
      "train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte; they are published at "
      "github.com/zalandoresearch/fashion-mnist");
}

}  // namespace
}  // namespace wt::data
