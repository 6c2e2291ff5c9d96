// Recordings of tests/recordings, read once for a test program.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "base/temporary_folder.h"
#include "study/recordings/recording.h"

namespace wt::recordings {

// All recordings of these archives, by the archives' names.
class PackedRecordings {
 public:
  explicit PackedRecordings(std::vector<std::string> archives) {
    for (std::string& archive : archives) archive = std::string(WT_TEST_DATA) + "/recordings/" + archive;
    all_ = read_recordings(archives, scratch_.path());
  }

  const std::vector<Recording>& all() const { return all_; }

  const Recording& named(const std::string& version, const std::string& id) const {
    const auto found = std::ranges::find_if(
        all_, [&](const Recording& recording) { return recording.version == version && recording.id == id; });
    EXPECT_NE(found, all_.end()) << id;
    return *found;
  }

 private:
  TemporaryFolder scratch_{};
  std::vector<Recording> all_{};
};

}  // namespace wt::recordings
