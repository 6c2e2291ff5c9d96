#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace wt::output {

// What a run writes about itself into the folder that it is filling, so that another run can judge the folder
// if the first one is killed. It is the file `.run`, which goes as the last step of putting the folder in place.
struct Record {
  std::string ending{};  // of the name of the folder that the run is filling: "unfinished-1"
  std::string boot{};    // of the operating system's kernel; after another start of it, no lock is valid
  std::string run{};     // what is being run: two runs with the same text write the same bytes
  std::string kept{};    // path within the folder of what stays useful if the run is killed; may be empty
};

std::string boot_of_this_machine();  // empty if it is not known

void write_record(const std::filesystem::path& folder, const Record& record);
std::optional<Record> record_of(const std::filesystem::path& folder);

}  // namespace wt::output
