// In place of libzip.cpp where the zip library is missing.

#include <fmt/format.h>

#include "model/keras/archive.h"

namespace wt::model::keras {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& archive, const Place& place) {
  throw InputError(Problem{
      place, fmt::format("{} is a zip archive, and this program was built without libzip", archive.string()),
      "install libzip-dev and build again: `apt-get install libzip-dev`, then remove build/release; or keep "
      "the model as JSON and its weights as safetensors"});
}

}  // namespace

std::optional<std::string> read_entry(const std::filesystem::path& archive, const std::string&, std::uint64_t,
                                      const Place& named_at) {
  refuse(archive, named_at);
}

void write_archive(const std::filesystem::path& path, const std::map<std::string, std::string>&) {
  refuse(path, {});
}

}  // namespace wt::model::keras
