// Claims: the shares of given rows in new rows are those of tf.image.resize, for each of its methods, with and without
// antialias, and those of a new row add up to 1.

#include <gtest/gtest.h>

#include "kernel/apply.h"

namespace wt {
namespace {

using Method = ResizeMethod;

std::vector<float> shares(const ResizeAttributes& attributes) {
  return numbers<float>(apply("resize_shares", {}, attributes)[0]);
}

// What TensorFlow 2.21 makes of images of which one row is 1 and the others 0.
struct Recorded {
  ResizeAttributes attributes{};
  std::vector<float> shares{};
};
const Recorded recorded[] = {
    {{Method::nearest, 4, 3}, {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
    {{Method::bilinear, 2, 5}, {1, 0, 0.9F, 0.1F, 0.5F, 0.5F, 0.1F, 0.9F, 0, 1}},
    {{Method::bilinear, 5, 2, true},
     {0.31818184F, 0.40909094F, 0.22727275F, 0.04545453F, 0, 0, 0.04545453F, 0.22727272F, 0.40909088F,
      0.3181818F}},
    {{Method::area, 5, 2}, {0.4F, 0.4F, 0.2F, 0, 0, 0, 0, 0.2F, 0.4F, 0.4F}},
    {{Method::bicubic, 3, 5},
     {1.0755255F, -0.07552557F, 0, 0.64880145F, 0.39603394F, -0.04483539F, 0, 1, 0, -0.04483539F, 0.39603394F,
      0.64880145F, 0, -0.07552557F, 1.0755255F}},
    {{Method::bicubic, 5, 2, true},
     {0.34709516F, 0.41562036F, 0.23941265F, 0.02915513F, -0.03128332F, -0.03128332F, 0.02915514F,
      0.23941267F, 0.4156204F, 0.34709516F}},
    {{Method::gaussian, 2, 3}, {0.9350308F, 0.06496917F, 0.5F, 0.5F, 0.06496914F, 0.9350308F}},
    {{Method::mitchellcubic, 3, 2},
     {0.76420707F, 0.25021207F, -0.01441909F, -0.01441909F, 0.25021204F, 0.764207F}},
    {{Method::lanczos3, 4, 3},
     {0.8809049F, 0.1554436F, -0.03939666F, 0.00304811F, -0.14285712F, 0.6428571F, 0.6428571F, -0.14285712F,
      0.0030481F, -0.03939658F, 0.15544337F, 0.88090515F}},
    {{Method::lanczos5, 6, 2, true},
     {0.28704590F, 0.34964639F, 0.28704590F, 0.14038661F, 0, -0.064124793F, -0.064124793F, 0, 0.14038661F,
      0.28704590F, 0.34964639F, 0.28704590F}},
};

TEST(ResizeShares, AreTensorFlows) {
  for (const Recorded& each : recorded) {
    SCOPED_TRACE(print(Attributes(each.attributes)));
    const std::vector<float> got = shares(each.attributes);
    ASSERT_EQ(got.size(), each.shares.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], each.shares[i], 1e-6) << i;
  }
}

TEST(ResizeShares, OfARowAddUpToOne) {
  for (int method = 0; method <= static_cast<int>(Method::mitchellcubic); ++method)
    for (const bool antialias : {false, true})
      for (std::int64_t given = 1; given < 12; ++given)
        for (std::int64_t rows = 1; rows < 12; ++rows) {
          const ResizeAttributes attributes{static_cast<Method>(method), given, rows, antialias};
          SCOPED_TRACE(print(Attributes(attributes)));
          const std::vector<float> all = shares(attributes);
          for (std::int64_t row = 0; row < rows; ++row) {
            double sum = 0;
            for (std::int64_t i = 0; i < given; ++i) sum += all[static_cast<std::size_t>(row * given + i)];
            EXPECT_NEAR(sum, 1, 1e-5) << row;
          }
        }
}

TEST(ResizeShares, AreRefusedWithoutRows) {
  EXPECT_EQ(refusal("resize_shares", {}, ResizeAttributes{.given = 0}),
            "[resize_shares] 0 rows become 1; both must be at least 1");
}

}  // namespace
}  // namespace wt
