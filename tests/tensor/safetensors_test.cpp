#include "tensor/safetensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdio>
#include <random>

#include "base/file.h"
#include "support/folder.h"
#include "tensor/peak_memory.h"

namespace wt {
namespace {

class Safetensors : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "x"; }

  TensorFile read(const std::string& bytes) const { return read_safetensors(folder_.write("x", bytes)); }
  std::string error_of(const std::string& bytes) const {
    return folder_.error_of<InputError>([&] { read(bytes); });
  }

  test::TestFolder folder_{};
};

std::string file_with(const std::string& header, const std::string& data = "", std::uint64_t length = 0) {
  const auto prefix = std::bit_cast<std::array<char, 8>>(length == 0 ? std::uint64_t{header.size()} : length);
  return std::string(prefix.begin(), prefix.end()) + header + data;
}

TensorFile example() {
  TensorFile content;
  content.tensors["conv2d/kernel"] = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6.5F});
  content.tensors["scalar"] = Tensor::of<double>({}, {0.1});
  content.tensors["empty"] = Tensor::of<std::int32_t>({0, 4}, {});
  content.tensors["flags"] = Tensor::zeros({Type::boolean, {3}});
  content.tensors["flags"].values<bool>()[1] = true;
  content.tensors["ids"] = Tensor::of<std::int64_t>({1}, {-7});
  content.tensors["image"] = Tensor::of<std::uint8_t>({2}, {8, 9});
  content.tensors["a \"name\"\u00fc"] = Tensor::of<std::int32_t>({1}, {5});
  content.metadata["format"] = "np";
  return content;
}

void expect_equal(const TensorFile& left, const TensorFile& right) {
  EXPECT_EQ(left.metadata, right.metadata);
  ASSERT_EQ(left.tensors.size(), right.tensors.size());
  for (const auto& [name, tensor] : left.tensors) {
    const Tensor& other = right.tensors.at(name);
    EXPECT_EQ(tensor.spec(), other.spec()) << name;
    EXPECT_TRUE(
        std::equal(tensor.bytes().begin(), tensor.bytes().end(), other.bytes().begin(), other.bytes().end()))
        << name;
  }
}

// Each of its entries has a place in the one line of the header. Places that copied the line would take
// memory that grows with the square of the number of tensors.
TEST_F(Safetensors, ReadingManyTensorsTakesMemoryInProportionToTheirNumber) {
  const auto most_while_reading = [&](int count) {
    TensorFile content;
    for (int i = 0; i < count; ++i)
      content.tensors[fmt::format("layer_{:05}/kernel", i)] = Tensor::zeros({Type::float32, {}});
    write_safetensors(path(), content);
    content = {};
    const test::PeakMemory peak;
    EXPECT_EQ(read_safetensors(path()).tensors.size(), static_cast<std::size_t>(count));
    return static_cast<double>(peak.bytes());
  };
  const double few = most_while_reading(1250), many = most_while_reading(10'000);
  EXPECT_GT(few, 1250 * 100);  // the names and descriptions alone
  EXPECT_NEAR(many / few, 8, 0.5);
}

// Each problem has a place, too, and there may be as many as there are tensors.
TEST_F(Safetensors, ManyWrongTensorsTakeMemoryInProportionToTheirNumber) {
  const auto most_while_refusing = [&](int count) {
    std::string header = "{";
    for (int i = 0; i < count; ++i)
      header += fmt::format(R"({}"x{:05}":{{"dtype":"F32","shape":[1],"data_offsets":[0,1]}})",
                            i == 0 ? "" : ",", i);
    const std::string bytes = file_with(header + "}", "1");
    const test::PeakMemory peak;
    const std::string text = error_of(bytes);
    EXPECT_NE(text.find("type and shape need 4 bytes"), std::string::npos) << text;
    return static_cast<double>(peak.bytes());
  };
  const double few = most_while_refusing(1250), many = most_while_refusing(10'000);
  EXPECT_NEAR(many / few, 8, 0.5);
}

TEST_F(Safetensors, AFileThatMemoryCannotHoldIsRefusedWithFigures) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 43;
  folder_.write("x",
                file_with(fmt::format(R"({{"x": {{"dtype": "U8", "shape": [{}], "data_offsets": [0, {}]}}}})",
                                      bytes, bytes)));
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) + bytes);
  const std::string text = folder_.error_of<InputError>([&] { read_safetensors(path()); });
  EXPECT_NE(text.find("needs 8.0 TiB of memory, and this machine has"), std::string::npos) << text;
}

TEST_F(Safetensors, ReadsBackWhatWasWritten) {
  write_safetensors(path(), example());
  expect_equal(read_safetensors(path()), example());
  write_safetensors(path(), {});
  expect_equal(read_safetensors(path()), {});
}

TEST_F(Safetensors, WritesWideTypesFirstThenByNameWithAnAlignedHeader) {
  write_safetensors(path(), example());
  const std::string bytes = read_text(path());
  const std::string header =
      R"({"__metadata__":{"format":"np"},)"
      R"("ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
      R"("scalar":{"dtype":"F64","shape":[],"data_offsets":[8,16]},)"
      R"("conv2d/kernel":{"dtype":"F32","shape":[2,3],"data_offsets":[16,40]},)"
      "\"a \\\"name\\\"\u00fc\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[40,44]},"
      R"("empty":{"dtype":"I32","shape":[0,4],"data_offsets":[44,44]},)"
      R"("image":{"dtype":"U8","shape":[2],"data_offsets":[44,46]},)"
      R"("flags":{"dtype":"BOOL","shape":[3],"data_offsets":[46,49]}})";
  const std::size_t padded = (header.size() + 7) / 8 * 8;
  EXPECT_EQ(bytes.substr(8, padded), header + std::string(padded - header.size(), ' '));
  EXPECT_EQ(bytes.size(), 8 + padded + 49);
}

// Files by another writer have the tensors in another order, but the same contents.
TEST_F(Safetensors, ReadsTheFilesOfTheOracle) {
  const std::filesystem::path oracle = std::filesystem::path(WT_TEST_DATA) / "oracle";
  for (const char* file :
       {"linear_sgd/initial", "linear_sgd/final", "mlp_momentum/initial", "mlp_momentum/data"}) {
    const TensorFile content = read_safetensors(oracle / (std::string(file) + ".safetensors"));
    EXPECT_FALSE(content.tensors.empty()) << file;
    write_safetensors(path(), content);
    expect_equal(read_safetensors(path()), content);
  }
  const TensorFile weights = read_safetensors(oracle / "linear_sgd/initial.safetensors");
  EXPECT_EQ(print(weights.tensors.at("dense/kernel").spec()), "float32[1,1]");
  EXPECT_EQ(weights.tensors.at("dense/kernel").values<float>()[0], std::bit_cast<float>(0x3d24687eU));
}

TEST_F(Safetensors, RefusesAHostileHeaderBeforeAnyAllocation) {
  EXPECT_EQ(error_of("1234567"), "x: this is not a safetensors file: it has only 7 bytes");
  EXPECT_EQ(error_of(file_with("{}", "", ~std::uint64_t{0})),
            "x: this is not a safetensors file: its header would have 18446744073709551615 bytes, more than "
            "100000000");
  EXPECT_EQ(error_of(file_with("{}", "", 3)),
            "x: the header should have 3 bytes, but only 2 follow\n"
            "the file was cut off, or is not a safetensors file");
  EXPECT_EQ(error_of(file_with(" {}")),
            "x: this is not a safetensors file: its header does not begin with {");
  EXPECT_EQ(error_of(std::string(8, '\0')),
            "x: this is not a safetensors file: its header does not begin with {");
  EXPECT_EQ(error_of(file_with("{")),
            "x:1:2: the text ends inside an object\n  1 | {\n    |  ^\nit was opened at 1:1");
}

// The first line of the error for a file with one tensor "w" of this description and 8 bytes of numbers.
#define EXPECT_FACT(description, fact)                                                    \
  do {                                                                                    \
    const std::string error = error_of(file_with("{\"w\":" description "}", "12345678")); \
    EXPECT_EQ(error.substr(0, error.find('\n')), "x:" fact);                              \
  } while (false)

TEST_F(Safetensors, RefusesDescriptionsThatMakeNoSense) {
  EXPECT_FACT("3", "1:6: tensor \"w\": expected an object, found a whole number");
  EXPECT_FACT(R"({"dtype":"F8_E5M2","shape":[8],"data_offsets":[0,8]})",
              "1:15: tensor \"w\": unknown dtype \"F8_E5M2\"");
  EXPECT_FACT(R"({"shape":[4],"data_offsets":[0,8]})", "1:6: tensor \"w\": this object has no \"dtype\"");
  EXPECT_FACT(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})",
              "1:30: tensor \"w\": -2 is out of range");
  EXPECT_FACT(R"({"dtype":"F32","shape":["2"],"data_offsets":[0,8]})",
              "1:30: tensor \"w\": expected a whole number, found a string");
  EXPECT_FACT(R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]})",
              "1:29: tensor \"w\": the shape has 9 axes");
  EXPECT_FACT(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})",
              "1:48: tensor \"w\": type and shape need 12 bytes, but the data_offsets span 8");
  EXPECT_FACT(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})",
              "1:29: tensor \"w\": the shape is larger than any memory");
  EXPECT_FACT(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})",
              "1:48: tensor \"w\": the data_offsets must be two numbers, a begin and an end");
  EXPECT_FACT(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4,8]})",
              "1:48: tensor \"w\": the data_offsets must be two numbers, a begin and an end");
  EXPECT_FACT(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1})",
              "1:54: tensor \"w\": unknown key \"x\"");
}

TEST_F(Safetensors, ListsTheTypesItKnows) {
  EXPECT_EQ(error_of(file_with(R"({"w":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})", "12345678")),
            "x:1:15: tensor \"w\": unknown dtype \"F8_E4M3\"\n"
            "  1 | {\"w\":{\"dtype\":\"F8_E4M3\",\"shape\":[8],\"data_offsets\":[0,8]}}\n"
            "    |               ^~~~~~~~~\n"
            "known: I64, F64, F32, I32, BF16, F16, U8, BOOL");
}

std::string two_tensors(const std::string& first_offsets, const std::string& second_offsets) {
  return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first_offsets +
         "},\n\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" + second_offsets + "}}";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST_F(Safetensors, RefusesOverlapsGapsAndTrailingBytes) {
  EXPECT_EQ(first_line(error_of(file_with(two_tensors("[0,4]", "[3,7]"), "1234567"))),
            "x:2:1: \"b\" overlaps \"a\" by 1 bytes");
  EXPECT_EQ(first_line(error_of(file_with(two_tensors("[0,4]", "[5,9]"), "123456789"))),
            "x:2:1: there is a gap of 1 bytes before \"b\"");
  EXPECT_EQ(first_line(error_of(file_with(two_tensors("[5,9]", "[1,5]"), "123456789"))),
            "x:2:1: there is a gap of 1 bytes before \"b\"");
  EXPECT_EQ(error_of(file_with(two_tensors("[0,4]", "[4,8]"), "123456789")),
            "x: the header describes 8 bytes of numbers, the file has 9\n"
            "the format allows nothing after the last tensor");
  EXPECT_EQ(error_of(file_with(two_tensors("[0,4]", "[4,8]"), "1234567")),
            "x: the header describes 8 bytes of numbers, the file has 7\nthe file was cut off");
  EXPECT_EQ(error_of(file_with(two_tensors("[4,8]", "[0,4]"), "12345678")), "no error");
}

TEST_F(Safetensors, RefusesDuplicateNamesAndMetadataThatIsNoText) {
  const std::string tensor = R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_EQ(first_line(error_of(file_with("{" + tensor + "," + tensor + "}"))),
            "x:1:54: \"a\" appears twice in this object");
  EXPECT_EQ(first_line(error_of(file_with(R"({"__metadata__":{"a":1}})"))),
            "x:1:22: expected a string, found a whole number");
  EXPECT_EQ(first_line(error_of(file_with(R"({"__metadata__":[]})"))),
            "x:1:17: expected an object, found a list");
}

TEST_F(Safetensors, NamesAFileThatIsNotThere) {
  try {
    read_safetensors("no/such.safetensors", {"x.json", 1, 1, "\"f\"", 3});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "x.json:1:1: cannot read \"no/such.safetensors\": No such file or directory\n"
                 "  1 | \"f\"\n    | ^~~");
  }
}

TEST_F(Safetensors, RefusesToSaveATensorWithoutNumbers) {
  TensorFile content;
  content.tensors["w"] = Tensor::shape_only({Type::float32, {2}});
  EXPECT_THROW(write_safetensors(path(), content), InternalError);
}

TEST_F(Safetensors, RefusesTheFileCutOffAnywhere) {
  write_safetensors(path(), example());
  const std::string bytes = read_text(path());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(error_of(bytes.substr(0, length)), "no error") << length;
  }
}

TEST_F(Safetensors, AnswersTensorsOrAnInputErrorWhereverTheHeaderIsDamaged) {
  write_safetensors(path(), example());
  const std::string bytes = read_text(path());
  const std::size_t header_end = bytes.size() - 49;
  std::mt19937_64 random(17);
  int refused = 0;
  for (std::size_t at = 0; at < header_end; ++at) {
    for (int flip = 0; flip < 8; ++flip) {
      std::string damaged = bytes;
      const auto change = flip < 6 ? 1U << flip : random() % 255 + 1;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ change);
      refused += error_of(damaged) == "no error" ? 0 : 1;
    }
  }
  EXPECT_GT(refused, static_cast<int>(header_end) * 4);
}

}  // namespace
}  // namespace wt
