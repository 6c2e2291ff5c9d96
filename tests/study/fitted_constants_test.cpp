// Claims: platforms/devices.json has the constants that its rows determine, to the last digit that it writes; a constant
// that was changed by hand is put back; and a group without rows is refused.

#include "study/evidence/fitted_constants.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"

namespace wt::evidence {
namespace {

class FittedConstantsOfDevices : public testing::Test {
 protected:
  FittedConstants fit(const std::string& text) const {
    return with_fitted_constants(text, "devices.json", groups_of(made_.made));
  }

  const std::vector<Measurement> rows_ = read_measurements(std::string(WT_TEST_DATA) + "/measurements");
  const Predictions made_ = predict(rows_);
  const std::string file_ = read_text(std::string(WT_SOURCE_DIR) + "/platforms/devices.json");
};

TEST_F(FittedConstantsOfDevices, AreThoseOfTheCatalogue) {
  const FittedConstants fitted = fit(file_);
  EXPECT_EQ(fitted.text, file_);
  EXPECT_TRUE(fitted.changed.empty());
}

TEST_F(FittedConstantsOfDevices, ArePutBack) {
  std::string text = file_;
  const std::string key = "\"convolution\": ";
  const std::size_t at = text.find(key, text.find("\"volta\""));
  ASSERT_NE(at, std::string::npos);
  text.replace(at, key.size() + 5, key + "0.5");
  const FittedConstants fitted = fit(text);
  EXPECT_EQ(fitted.text, file_);
  ASSERT_EQ(fitted.changed.size(), 1u);
  EXPECT_EQ(fitted.changed[0].place, "generations.volta.efficiency.float32");
  EXPECT_EQ(fitted.changed[0].before.convolution, 0.5);
}

TEST_F(FittedConstantsOfDevices, NeedRows) {
  std::string text = file_;
  const std::size_t at = text.find("\"V100 float32\"");
  text.replace(at, 14, "\"V100 float23\"");
  try {
    fit(text);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"V100 float32\""), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace wt::evidence
