#include "data/dataset.h"

#include <gtest/gtest.h>

#include "base/tensorflow_error.h"

#include <algorithm>
#include <numeric>

namespace wt::data {
namespace {

Tensor range(std::int64_t count) {
  Tensor tensor = Tensor::zeros({Type::int64, {count}});
  std::iota(tensor.values<std::int64_t>().begin(), tensor.values<std::int64_t>().end(), 0);
  return tensor;
}

Dataset range_dataset(std::int64_t count) { return Dataset::from_tensor_slices({range(count)}); }

// The same numbers without random access to rows, so that streams pass whole elements.
Dataset generated_range(std::int64_t count) {
  return Dataset::from_generator({{Type::int64, {}}}, [count] {
    return [count, next = std::int64_t{0}]() mutable -> std::optional<Element> {
      if (next == count) return std::nullopt;
      return Element{Tensor::of<std::int64_t>({}, {next++})};
    };
  });
}

using Batches = std::vector<std::vector<std::int64_t>>;

// The numbers in the first component of each element.
Batches batches_of(const Dataset& dataset, std::uint64_t epoch = 0, std::size_t most = 1000) {
  Batches batches;
  Iterator iterator = dataset.iterate(epoch);
  while (batches.size() < most) {
    const std::optional<Element> element = iterator.next();
    if (!element) break;
    const auto values = element->at(0).values<std::int64_t>();
    batches.emplace_back(values.begin(), values.end());
  }
  return batches;
}

std::vector<std::int64_t> numbers_of(const Dataset& dataset, std::uint64_t epoch = 0,
                                     std::size_t most = 1000) {
  std::vector<std::int64_t> numbers;
  for (const auto& batch : batches_of(dataset, epoch, most))
    numbers.insert(numbers.end(), batch.begin(), batch.end());
  return numbers;
}

using Numbers = std::vector<std::int64_t>;

template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(P11, RepeatOfOneElementGivesTenStepsPerEpoch) {
  const Tensor one = Tensor::of<float>({1}, {1});
  const Dataset dataset = Dataset::from_tensors({one, one}).repeat(100).batch(10);
  EXPECT_EQ(dataset.cardinality(), 10);
  for (const std::uint64_t epoch : {0, 1}) {
    Iterator iterator = dataset.iterate(epoch);
    int steps = 0;
    while (const std::optional<Element> element = iterator.next()) {
      ++steps;
      ASSERT_EQ(element->size(), 2U);
      for (const Tensor& tensor : *element) {
        EXPECT_EQ(print(tensor.spec()), "float32[10,1]");
        EXPECT_TRUE(std::ranges::all_of(tensor.values<float>(), [](float value) { return value == 1; }));
      }
    }
    EXPECT_EQ(steps, 10);
  }
  EXPECT_EQ(Dataset::from_tensors({one, one}).repeat(1000).batch(10).cardinality(), 100);
}

TEST(P12, SlicesShuffledAndBatchedKeepEachRowOnceAndARemainder) {
  const Tensor labels = range(1000);
  const Tensor rows = Tensor::zeros({Type::float32, {1000, 2, 3}});
  for (std::size_t i = 0; i < 6000; ++i) rows.values<float>()[i] = static_cast<float>(i / 6);
  const Dataset dataset =
      Dataset::from_tensor_slices({labels, rows}).shuffle(1000, shuffle_seed(1)).batch(64);
  EXPECT_EQ(dataset.cardinality(), 16);
  Iterator iterator = dataset.iterate();
  std::vector<std::int64_t> sizes;
  Numbers seen;
  while (const std::optional<Element> element = iterator.next()) {
    const auto numbers = element->at(0).values<std::int64_t>();
    sizes.push_back(element->at(0).shape()[0]);
    EXPECT_EQ(print(element->at(1).spec()), "float32[" + std::to_string(numbers.size()) + ",2,3]");
    for (std::size_t i = 0; i < 6 * numbers.size(); ++i)
      ASSERT_EQ(element->at(1).values<float>()[i], static_cast<float>(numbers[i / 6]));
    seen.insert(seen.end(), numbers.begin(), numbers.end());
  }
  std::vector<std::int64_t> wanted_sizes(15, 64);
  wanted_sizes.push_back(40);
  EXPECT_EQ(sizes, wanted_sizes);
  EXPECT_FALSE(std::ranges::is_sorted(seen));
  std::ranges::sort(seen);
  EXPECT_EQ(seen, numbers_of(range_dataset(1000)));
}

// The expected values are those of TensorFlow's shuffle_dataset_op_test.cc, with the seeds 1 and 2 by
// default.
TEST(P12, ShufflesInTensorFlowsOrder) {
  const Dataset ten = range_dataset(10);
  const Dataset fixed = ten.shuffle(3, {1, 2}, false);
  EXPECT_EQ(numbers_of(fixed), (Numbers{2, 3, 0, 5, 6, 4, 7, 8, 9, 1}));
  EXPECT_EQ(numbers_of(fixed, 1), numbers_of(fixed));
  const Dataset whole = ten.shuffle(10, {1, 2});
  EXPECT_EQ(numbers_of(whole, 0), (Numbers{2, 6, 1, 3, 9, 5, 0, 8, 7, 4}));
  EXPECT_EQ(numbers_of(whole, 1), (Numbers{1, 6, 0, 5, 2, 7, 4, 3, 9, 8}));
  const Dataset narrow = ten.shuffle(2, {1, 2});
  EXPECT_EQ(numbers_of(narrow, 0), (Numbers{0, 2, 1, 3, 5, 6, 4, 7, 8, 9}));
  EXPECT_EQ(numbers_of(narrow, 1), (Numbers{1, 0, 2, 3, 4, 5, 6, 7, 9, 8}));
  const Dataset other = ten.shuffle(10, {2, 2});
  EXPECT_EQ(numbers_of(other, 0), (Numbers{3, 0, 8, 1, 5, 4, 7, 2, 6, 9}));
  EXPECT_EQ(numbers_of(other, 1), (Numbers{4, 6, 9, 0, 1, 8, 2, 7, 3, 5}));
  EXPECT_EQ(numbers_of(ten.shuffle(1, {1, 2})), numbers_of(ten));
  EXPECT_EQ(numbers_of(range_dataset(0).shuffle(10, {1, 2})), Numbers{});
}

TEST(P12, NoRowComesEarlierThanTheBufferReaches) {
  for (const std::int64_t buffer : {1, 2, 7, 50}) {
    const Numbers order = numbers_of(range_dataset(100).shuffle(buffer, {3, 4}));
    for (std::size_t place = 0; place < order.size(); ++place)
      EXPECT_LT(order[place], static_cast<std::int64_t>(place) + buffer) << buffer;
  }
}

TEST(Dataset, ReshufflesEachEpochAndEachRepetitionYetAnyCanBeHadAgain) {
  const Dataset shuffled = range_dataset(50).shuffle(50, shuffle_seed(7));
  EXPECT_NE(numbers_of(shuffled, 0), numbers_of(shuffled, 1));
  EXPECT_EQ(numbers_of(shuffled, 5), numbers_of(shuffled, 5));
  EXPECT_EQ(numbers_of(range_dataset(50).shuffle(50, shuffle_seed(7)), 3), numbers_of(shuffled, 3));
  EXPECT_NE(numbers_of(range_dataset(50).shuffle(50, shuffle_seed(8)), 3), numbers_of(shuffled, 3));
  // Two repetitions are two iterations, like two epochs.
  Numbers two_epochs = numbers_of(shuffled, 2);
  const Numbers second = numbers_of(shuffled, 3);
  two_epochs.insert(two_epochs.end(), second.begin(), second.end());
  EXPECT_EQ(numbers_of(shuffled.repeat(2), 1), two_epochs);
}

TEST(Dataset, TurnsASeedIntoTensorFlowsPair) {
  EXPECT_EQ(shuffle_seed(5).first, 87654321);
  EXPECT_EQ(shuffle_seed(5).second, 5);
  EXPECT_EQ(shuffle_seed(5, 9).first, 9);
  EXPECT_EQ(shuffle_seed(0, 0).second, 2147483647);
}

TEST(Dataset, GivesTheSameByRowsAndByElements) {
  const auto chain = [](const Dataset& source) {
    return source.skip(3).shuffle(5, {1, 2}).repeat(3).take(40).batch(7);
  };
  const Batches by_rows = batches_of(chain(range_dataset(20)), 2);
  EXPECT_EQ(by_rows.size(), 6U);
  EXPECT_EQ(by_rows, batches_of(chain(generated_range(20)), 2));
}

TEST(Dataset, BatchesWithAndWithoutARemainder) {
  EXPECT_EQ(batches_of(range_dataset(7).batch(3)), (Batches{{0, 1, 2}, {3, 4, 5}, {6}}));
  EXPECT_EQ(batches_of(range_dataset(7).batch(3, true)), (Batches{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(batches_of(generated_range(7).batch(3)), (Batches{{0, 1, 2}, {3, 4, 5}, {6}}));
  EXPECT_EQ(batches_of(generated_range(2).batch(3, true)), Batches{});
  EXPECT_EQ(batches_of(range_dataset(8).batch(2).batch(2, true)), (Batches{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(batches_of(range_dataset(3).batch(2).repeat(2)), (Batches{{0, 1}, {2}, {0, 1}, {2}}));
  EXPECT_EQ(batches_of(range_dataset(3).repeat(2).batch(2)), (Batches{{0, 1}, {2, 0}, {1, 2}}));
}

TEST(Dataset, RepeatsTakesAndSkips) {
  const Dataset three = range_dataset(3);
  EXPECT_EQ(numbers_of(three.repeat(2)), (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(numbers_of(three.repeat(0)), Numbers{});
  EXPECT_EQ(numbers_of(three.repeat(), 0, 7), (Numbers{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(numbers_of(three.repeat().skip(2).take(3)), (Numbers{2, 0, 1}));
  EXPECT_EQ(numbers_of(three.take(-1)), (Numbers{0, 1, 2}));
  EXPECT_EQ(numbers_of(three.skip(-1)), Numbers{});
  EXPECT_EQ(numbers_of(three.skip(5)), Numbers{});
  EXPECT_EQ(numbers_of(three.take(0)), Numbers{});
}

TEST(Dataset, NothingRepeatedForeverEnds) {
  EXPECT_EQ(numbers_of(range_dataset(0).repeat()), Numbers{});
  EXPECT_EQ(numbers_of(generated_range(0).repeat()), Numbers{});
}

TEST(Dataset, KeepsAnsweringNothingAfterTheEnd) {
  Iterator iterator = range_dataset(4).shuffle(2, {1, 2}).batch(3).iterate();
  EXPECT_TRUE(iterator.next());
  EXPECT_TRUE(iterator.next());
  EXPECT_FALSE(iterator.next());
  EXPECT_FALSE(iterator.next());
}

TEST(Dataset, CountsElementsByTensorFlowsRules) {
  const Dataset ten = range_dataset(10), generated = generated_range(10), empty = range_dataset(0);
  EXPECT_EQ(ten.cardinality(), 10);
  EXPECT_EQ(ten.shuffle(3, {}).map([](Element e) { return e; }).cardinality(), 10);
  EXPECT_EQ(ten.batch(3).cardinality(), 4);
  EXPECT_EQ(ten.batch(3, true).cardinality(), 3);
  EXPECT_EQ(ten.take(3).cardinality(), 3);
  EXPECT_EQ(ten.take(30).cardinality(), 10);
  EXPECT_EQ(ten.skip(3).cardinality(), 7);
  EXPECT_EQ(ten.skip(30).cardinality(), 0);
  EXPECT_EQ(ten.repeat(3).cardinality(), 30);
  EXPECT_EQ(ten.repeat(0).cardinality(), 0);
  EXPECT_EQ(ten.repeat().cardinality(), infinite_cardinality);
  EXPECT_EQ(ten.repeat().repeat(3).batch(2).skip(5).cardinality(), infinite_cardinality);
  EXPECT_EQ(ten.repeat().take(5).cardinality(), 5);
  EXPECT_EQ(empty.repeat().cardinality(), 0);
  EXPECT_EQ(generated.cardinality(), unknown_cardinality);
  EXPECT_EQ(generated.batch(3).take(2).skip(1).repeat(4).cardinality(), unknown_cardinality);
  EXPECT_EQ(generated.repeat().cardinality(), infinite_cardinality);
}

TEST(Dataset, DescribesItsElements) {
  const Dataset images = Dataset::from_tensor_slices(
      {Tensor::shape_only({Type::float32, {6, 28, 28, 1}}), Tensor::shape_only({Type::int32, {6}})});
  EXPECT_EQ(print(images.specs()[0]), "float32[28,28,1]");
  EXPECT_EQ(print(images.specs()[1]), "int32[]");
  EXPECT_EQ(print(images.batch(4).specs()[0]), "float32[?,28,28,1]");
  EXPECT_EQ(print(images.batch(4, true).specs()[1]), "int32[4]");
  EXPECT_EQ(print(images.batch(4).specs()[0].row()), "float32[28,28,1]");
  EXPECT_EQ(print(images.batch(4).iterate().next()->at(0).spec()), "float32[4,28,28,1]");
  EXPECT_FALSE(images.batch(4).iterate().next()->at(0).has_numbers());
}

TEST(Dataset, InfersTheBatchSizeAsTensorFlowDoes) {
  const Dataset ten = range_dataset(10);
  const auto same = [](Element element) { return element; };
  EXPECT_EQ(ten.batch_size(), std::nullopt);
  EXPECT_EQ(ten.batch(4).batch_size(), 4);
  EXPECT_EQ(ten.batch(4).shuffle(2, {}).repeat(2).take(3).skip(1).batch_size(), 4);
  EXPECT_EQ(ten.batch(4).map(same).batch_size(), std::nullopt);
  EXPECT_EQ(ten.batch(4, true).map(same).batch_size(), 4);
}

TEST(Dataset, MapsEveryElement) {
  const auto halved = [](Element element) {
    return Element{Tensor::of<float>({}, {static_cast<float>(element[0].values<std::int64_t>()[0]) / 2})};
  };
  const Dataset dataset = range_dataset(3).map({{Type::float32, {}}}, halved).batch(3);
  const Element element = *dataset.iterate().next();
  EXPECT_EQ(print(element[0].spec()), "float32[3]");
  EXPECT_EQ(element[0].values<float>()[1], 0.5F);
  EXPECT_EQ(element[0].values<float>()[2], 1.0F);
}

TEST(Dataset, RefusesElementsThatAreNotAsPromised) {
  const auto drain = [](const Dataset& dataset) {
    return [dataset] {
      Iterator iterator = dataset.iterate();
      while (iterator.next()) {
      }
    };
  };
  const auto generating = [](const Element& element) {
    return [element] { return [element]() -> std::optional<Element> { return element; }; };
  };
  const Element pair{Tensor::of<float>({2}, {1, 2})};
  EXPECT_EQ(error_of(drain(Dataset::from_generator({{Type::float32, {3}}}, generating(pair)))),
            "the generator returned float32[2] as component 0, and float32[3] is expected");
  EXPECT_EQ(error_of(drain(Dataset::from_generator({{Type::int32, {2}}}, generating(pair)))),
            "the generator returned float32[2] as component 0, and int32[2] is expected");
  EXPECT_EQ(error_of(drain(Dataset::from_generator({{}, {}}, generating(pair)))),
            "the generator returned 1 components, and 2 are expected");
  EXPECT_EQ(error_of(drain(range_dataset(2).map([&](const Element&) { return pair; }))),
            "the mapped function returned float32[2] as component 0, and int64[] is expected");
  EXPECT_EQ(error_of(drain(range_dataset(5).batch(3).batch(2))),
            "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: [2], "
            "[batch]: [3]");
}

TEST(Dataset, ExpectsSensibleSizesAndEqualRows) {
  EXPECT_THROW(range_dataset(3).batch(0), InvalidArgumentError);
  EXPECT_THROW(range_dataset(3).shuffle(0, {}), InvalidArgumentError);
  EXPECT_THROW(Dataset::from_tensor_slices({range(3), range(4)}), ValueError);
  EXPECT_THROW(Dataset::from_tensor_slices({Tensor::of<float>({}, {1})}), ValueError);
  EXPECT_THROW(Dataset::from_tensor_slices({}), InternalError);
}

TEST(Dataset, OutlivesTheNameItWasBuiltUnder) {
  std::optional<Iterator> iterator;
  {
    const Dataset dataset = generated_range(4).map([](Element e) { return e; }).shuffle(2, {1, 2}).repeat(2);
    iterator.emplace(dataset.batch(3).iterate());
  }
  int batches = 0;
  while (iterator->next()) ++batches;
  EXPECT_EQ(batches, 3);
}

}  // namespace
}  // namespace wt::data
