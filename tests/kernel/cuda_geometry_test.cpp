// Claims about how problems are spread over the threads of a GPU, which follows from shapes alone.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernel/cuda/axes.h"
#include "kernel/cuda/dnn.h"
#include "kernel/cuda/parameters.h"
#include "kernel/cuda/patches.h"

namespace wt::cuda {
namespace {

// Computes the indices of an element from its number, without merging axes.
Index place_by_axes(const Shape& shape, const Strides& strides, Index element) {
  Index place = 0;
  for (int axis = shape.rank() - 1; axis >= 0; element /= shape[axis--])
    place += element % shape[axis] * strides[static_cast<std::size_t>(axis)];
  return place;
}

TEST(Walk, FindsEveryElementOfBroadcastOperands) {
  const Shape shape{3, 4, 1, 5, 2};
  for (const Shape& other :
       {Shape{}, Shape{2}, Shape{5, 2}, Shape{4, 1, 1, 2}, Shape{3, 1, 1, 5, 1}, shape}) {
    const Strides a = dense_strides(shape), b = broadcast_strides(other, shape);
    const Walk<2> walk = walk_of<2>(shape, {a, b});
    for (Index i = 0; i < shape.elements(); ++i) {
      Index at[2];
      walk.place(i, at);
      EXPECT_EQ(at[0], i);
      EXPECT_EQ(at[1], place_by_axes(shape, b, i)) << print(other) << " " << i;
    }
  }
}

TEST(Walk, NeedsNoDivisionWhereNothingIsRepeated) {
  const Shape shape{3, 4, 1, 5};
  const Strides dense = dense_strides(shape);
  EXPECT_EQ(walk_of<2>(shape, {dense, dense}).rank, 1);
  EXPECT_EQ(walk_of<2>(shape, {dense, broadcast_strides({5}, shape)}).rank, 2);
  EXPECT_EQ((walk_of<2>(shape, {dense, Strides{}}).rank), 1);
}

TEST(Cut, GivesEveryThreadWorkAndFillsAGpuWhereItCan) {
  for (const bool along : {false, true})
    for (const Index results : {1, 2, 31, 33, 1000, 100000})
      for (const Index length : {0, 1, 3, 8, 255, 257, 5000, 1 << 24}) {
        const Cut cut = cut_of(results, length, along);
        EXPECT_EQ(cut.width() * cut.height, threads);
        EXPECT_EQ(cut.height & (cut.height - 1), 0);
        EXPECT_GE(cut.pieces, 1);
        EXPECT_TRUE(!along || cut.height == 1 || cut.height / 2 < length) << length;
        if (cut.pieces == 1) {
          EXPECT_EQ(cut.partials(), 0);
          continue;
        }
        EXPECT_LE(cut.grid(), enough_blocks);
        EXPECT_GE(length / cut.pieces, cut.height * terms_per_thread);
        EXPECT_EQ(cut.partials(), results * cut.pieces);
      }
  EXPECT_GE(cut_of(1, 1 << 24, true).grid(), enough_blocks / 2);
}

TEST(ReducedAxes, SortEveryElementToItsResult) {
  const Shape shape{3, 4, 2, 5};
  for (const Shape& axes : {Shape{}, Shape{0}, Shape{3}, Shape{1, 2}, Shape{0, 3}, Shape{0, 1, 2, 3}}) {
    const ReducedAxes reduced = reduced_axes(shape, axes);
    EXPECT_EQ(reduced.cut.results * reduced.cut.length, shape.elements());
    std::set<Index> seen;
    for (Index result = 0; result < reduced.cut.results; ++result)
      for (Index term = 0; term < reduced.cut.length; ++term) seen.insert(reduced.place(result, term));
    EXPECT_EQ(static_cast<Index>(seen.size()), shape.elements()) << print(axes);
    EXPECT_EQ(*seen.rbegin(), shape.elements() - 1);
  }
  EXPECT_TRUE(reduced_axes({3, 4, 1}, {1}).cut.along);  // an axis of one element does not count
  EXPECT_FALSE(reduced_axes({3, 4}, {0}).cut.along);
}

Patches patches_of(const Shape& images, const Shape& size, const Shape& strides, const Shape& dilation,
                   Padding padding, Index groups) {
  WindowAttributes window;
  window.size = size;
  window.strides = strides;
  window.dilation = dilation;
  window.padding = padding;
  const SlidingWindow place = slide("conv2d", {Type::float32, images}, window);
  return {axis_of(place.height), axis_of(place.width), images[3], groups, images[0]};
}

// Patches::visit and Patches::source are inverse to each other, so the gradient to the images adds up exactly
// the elements that were laid out.
TEST(Patches, AreFoundFromThePixelsThatTheyShow) {
  for (const Patches& patches : {patches_of({2, 5, 6, 4}, {3, 2}, {1, 1}, {1, 1}, Padding::valid, 1),
                                 patches_of({2, 5, 6, 4}, {3, 3}, {2, 2}, {1, 1}, Padding::same, 2),
                                 patches_of({1, 7, 6, 2}, {2, 3}, {1, 2}, {2, 1}, Padding::same, 1),
                                 patches_of({1, 5, 3, 2}, {1, 1}, {2, 2}, {1, 1}, Padding::valid, 1)}) {
    std::map<Index, std::set<Index>> wanted;  // by pixel
    for (Index element = 0; element < patches.elements(); ++element)
      if (const Index pixel = patches.source(element); pixel >= 0) {
        ASSERT_LT(pixel, patches.pixels());
        wanted[pixel].insert(element);
      }
    for (Index pixel = 0; pixel < patches.pixels(); ++pixel) {
      std::set<Index> found;
      patches.visit(pixel, [&](Index element) { EXPECT_TRUE(found.insert(element).second); });
      EXPECT_EQ(found, wanted[pixel]) << pixel;
    }
  }
}

TEST(Patches, TakeNoMoreThanTheirShareOfMemory) {
  const Patches one = patches_of({1, 112, 112, 64}, {3, 3}, {1, 1}, {1, 1}, Padding::same, 1);
  const Index size = one.elements() * 4;
  EXPECT_EQ(images_at_once(one, 256, 4), patch_bytes / size);
  EXPECT_EQ(images_at_once(one, 2, 4), 2);
  EXPECT_EQ(images_at_once(one, 0, 4), 1);
  EXPECT_EQ(images_at_once(patches_of({1, 2000, 2000, 64}, {3, 3}, {1, 1}, {1, 1}, Padding::same, 1), 8, 4),
            1);
}

TEST(Dnn, IsAskedWherePaddingIsAlikeAtBothEnds) {
  const auto suits = [](const Shape& size, const Shape& strides, Padding padding) {
    const Patches p = patches_of({2, 8, 8, 3}, size, strides, {1, 1}, padding, 1);
    return suits_dnn({ConvolutionGeometry::Pass::forward,
                      {{2, 8, 8, 3}, {size[0], size[1], 3, 4}, {2, p.height.output, p.width.output, 4}},
                      p.height,
                      p.width,
                      1});
  };
  EXPECT_TRUE(suits({3, 3}, {1, 1}, Padding::same));
  EXPECT_TRUE(suits({3, 3}, {2, 2}, Padding::valid));
  EXPECT_FALSE(suits({3, 3}, {2, 2}, Padding::same));  // one row below, none above
  EXPECT_FALSE(suits({2, 2}, {1, 1}, Padding::same));
}

// cuDNN takes paddings as int, and would take 3 * 2^30 for a negative number.
TEST(Dnn, IsNotAskedWhereANumberExceedsInt) {
  const auto suits = [](std::int64_t taps, std::int64_t dilation) {
    const Patches p = patches_of({2, 8, 8, 3}, {taps, 1}, {1, 1}, {dilation, 1}, Padding::same, 1);
    return suits_dnn({ConvolutionGeometry::Pass::forward,
                      {{2, 8, 8, 3}, {taps, 1, 3, 4}, {2, 8, 8, 4}},
                      p.height,
                      p.width,
                      1});
  };
  EXPECT_TRUE(suits(3, std::int64_t{1} << 30));
  EXPECT_FALSE(suits(7, std::int64_t{1} << 30));
}

TEST(ParameterGroups, HoldEveryElementOnce) {
  constexpr std::size_t parameters = 100;
  const OptimizerLayout layout = layout_of(SgdAttributes{});
  std::vector<Tensor> tensors;
  std::vector<View> inputs;
  for (std::size_t i = 0; i < 2 * parameters; ++i)
    tensors.push_back(Tensor::zeros({Type::float32, {static_cast<Index>(i % parameters) * 97}}));
  tensors.push_back(Tensor::zeros({Type::float32, {}}));
  for (const Tensor& tensor : tensors) inputs.push_back(tensor.view());
  const Attributes attributes = SgdAttributes{};
  const Numbers numbers{inputs, std::span(inputs).first(parameters), {}, attributes};

  std::size_t next = 1, groups = 0;  // parameter 0 has no elements
  for_each_group<float>(numbers, layout, {0}, [&](const ParameterGroup<float>& group) {
    ++groups;
    Index elements = 0;
    for (Index block = 0; block < group.blocks; ++block) {
      const auto& parameter = group.parameters[group.at(block)];
      const Index begin = (block - parameter.first_block) * group.per_block;
      ASSERT_GE(begin, 0);
      ASSERT_LT(begin, parameter.elements);
      elements += std::min(group.per_block, parameter.elements - begin);
    }
    for (int i = 0; i < group.count; ++i, ++next) {
      EXPECT_EQ(group.parameters[i].w, inputs[next].as<float>());
      EXPECT_EQ(group.parameters[i].g, inputs[parameters + next].as<float>());
      elements -= group.parameters[i].elements;
    }
    EXPECT_EQ(elements, 0);
  });
  EXPECT_EQ(next, parameters);
  EXPECT_EQ(groups, 3U);
}

}  // namespace
}  // namespace wt::cuda
