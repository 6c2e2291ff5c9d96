// Claim: every wrong XML file of xml_errors/ is reported with the text in the file beside it: the place, the
// fact and the remedy.

#include <algorithm>

#include "platform/xml_cases.h"
#include "scenario/golden.h"

namespace wt::platform {
namespace {

namespace fs = std::filesystem;

TEST(XmlErrors, SayWhereWhatAndHowToMendIt) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(WT_TEST_DATA) / "platform" / "xml_errors"))
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), 30u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const std::string said = refused(text_of(file));
    EXPECT_NE(said, "it was accepted");
    fs::path expected = file;
    expect_golden(expected.replace_extension(".txt"), said + "\n");
  }
}

TEST(XmlErrors, RefuseBytesThatAreNoText) {
  EXPECT_EQ(refused("<a>\xff</a>"),
            "x.xml:1:4: this is not text\n  1 | <a>?</a>\n    |    ^\nXML files must be UTF-8");
  EXPECT_EQ(refused(std::string("<a>\0</a>", 8)).substr(0, 27), "x.xml:1:4: this is not text");
}

}  // namespace
}  // namespace wt::platform
