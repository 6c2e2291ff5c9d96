#include "data/stored.h"

#include "data/files.h"
#include "tensor/safetensors.h"

namespace wt::data {
namespace {

class Stored : public testing::Test {
 protected:
  StoredRows stored() const {
    TensorFile content;
    content.tensors["x"] = Tensor::of<float>({2, 1}, {1, 2});
    content.tensors["labels"] = Tensor::of<std::int32_t>({2}, {7, 8});
    content.tensors["more"] = Tensor::of<std::int32_t>({3}, {7, 8, 9});
    content.tensors["scalar"] = Tensor::of<float>({}, {1});
    write_safetensors(folder_.path() / "d", content);
    return {.file = folder_.path() / "d",
            .x = {"x"},
            .y = {"labels"},
            .file_named_at = {},
            .x_named_at = {"s.json", 2, 8, "  \"x\": \"x\",", 3},
            .y_named_at = {"s.json", 3, 8, "  \"y\": \"y\"", 3}};
  }
  std::string error(const std::string& x, const std::string& y) const {
    StoredRows wanted = stored();
    wanted.x = {x};
    wanted.y = {y};
    return folder_.error_of<InputError>([&] { read_stored_rows(wanted); });
  }

  TestFolder folder_;
};

TEST_F(Stored, GiveFeaturesAndLabelsInTheOrderOfTheFile) {
  const Dataset dataset = read_stored_rows(stored());
  EXPECT_EQ(dataset.cardinality(), 2);
  const Element element = *dataset.batch(2).iterate().next();
  EXPECT_EQ(print(element[0].spec()), "float32[2,1]");
  EXPECT_EQ(element[1].values<std::int32_t>()[1], 8);
}

TEST_F(Stored, GiveEveryInputAndThenEveryLabel) {
  StoredRows wanted = stored();
  wanted.x = {"x", "labels"};
  wanted.y = {"labels", "x"};
  const Element element = *read_stored_rows(wanted).batch(2).iterate().next();
  ASSERT_EQ(element.size(), 4u);
  for (const std::size_t features : {0, 3}) EXPECT_EQ(print(element[features].spec()), "float32[2,1]");
  for (const std::size_t labels : {1, 2}) EXPECT_EQ(element[labels].values<std::int32_t>()[0], 7);
  wanted.y = {"labels", "more"};
  EXPECT_NE(folder_.error_of<InputError>([&] { read_stored_rows(wanted); }).find("\"more\" has 3 rows"),
            std::string::npos);
}

TEST_F(Stored, RefuseNamesThatAreNotThereAllAtOnce) {
  EXPECT_EQ(error("xx", "label"),
            "s.json:2:8: \"d\" contains no tensor \"xx\"\n"
            "  2 |   \"x\": \"x\",\n    |        ^~~\n"
            "did you mean \"x\"? known: labels, more, scalar, x\n\n"
            "s.json:3:8: \"d\" contains no tensor \"label\"\n"
            "  3 |   \"y\": \"y\"\n    |        ^~~\n"
            "did you mean \"labels\"? known: labels, more, scalar, x");
}

TEST_F(Stored, RefuseUnequalRowsAndScalars) {
  EXPECT_EQ(error("x", "more"),
            "s.json:3:8: \"more\" has 3 rows, but \"x\" has 2\n"
            "  3 |   \"y\": \"y\"\n    |        ^~~\n"
            "features and labels must have the same number of rows");
  EXPECT_EQ(error("scalar", "labels"),
            "s.json:2:8: the tensor \"scalar\" of \"d\" is a scalar\n"
            "  2 |   \"x\": \"x\",\n    |        ^~~\n"
            "a dataset needs rows along the first axis");
}

TEST(P12, RowsOfTheOracleComeInOrderWithAPartialLastBatch) {
  const Dataset dataset =
      read_stored_rows({.file = std::string(WT_TEST_DATA) + "/oracle/mlp_momentum/data.safetensors"});
  EXPECT_EQ(dataset.cardinality(), 288);
  EXPECT_EQ(dataset.batch(100).cardinality(), 3);
  EXPECT_EQ(print(dataset.batch(100).skip(2).iterate().next()->at(0).spec()), "float32[88,20]");
}

}  // namespace
}  // namespace wt::data
