// Compares the work of every kernel with counts made by hand, which are in work/<family>.h.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernel/work/convolution.h"
#include "kernel/work/elementwise.h"
#include "kernel/work/embedding.h"
#include "kernel/work/hash.h"
#include "kernel/work/loss.h"
#include "kernel/work/matrix.h"
#include "kernel/work/normalization.h"
#include "kernel/work/optimizer.h"
#include "kernel/work/pooling.h"
#include "kernel/work/random.h"
#include "kernel/work/recurrent.h"
#include "kernel/work/reduction.h"
#include "kernel/work/resize.h"
#include "kernel/work/shaping.h"

namespace wt {
namespace {

counted::Rows all_rows() {
  counted::Rows rows;
  for (const counted::Rows& family : {
           counted::elementwise(),
           counted::matrix(),
           counted::convolution(),
           counted::pooling(),
           counted::normalization(),
           counted::random(),
           counted::embedding(),
           counted::hash(),
           counted::loss(),
           counted::optimizer(),
           counted::recurrent(),
           counted::reduction(),
           counted::resize(),
           counted::shaping(),
       })
    rows.insert(rows.end(), family.begin(), family.end());
  return rows;
}

std::string describe(const counted::Row& row) {
  std::string text(row.kernel);
  for (const TensorSpec& input : row.inputs) text += " " + print(input);
  return text + " " + print(row.attributes);
}

TEST(Work, IsWhatWasCountedByHand) {
  for (const counted::Row& row : all_rows()) {
    SCOPED_TRACE(describe(row));
    const Kernel* kernel = find_kernel(row.kernel);
    ASSERT_NE(kernel, nullptr);
    const std::vector<TensorSpec> outputs = kernel->outputs(row.inputs, row.attributes);
    const Work work = kernel->work({row.inputs, outputs, row.attributes});
    EXPECT_EQ(work.flops.count(), row.flops);
    EXPECT_EQ(work.bytes.count(), row.bytes);
  }
}

// With one shape alone, a constant in place of the formula would pass.
TEST(Work, IsCountedForTwoShapesOfEveryKernel) {
  std::map<std::string_view, std::set<std::string>> shapes;
  for (const counted::Row& row : all_rows()) shapes[row.kernel].insert(describe(row));
  for (const Kernel& kernel : kernels()) EXPECT_GE(shapes[kernel.name].size(), 2u) << kernel.name;
}

}  // namespace
}  // namespace wt
