#include <fmt/format.h>
#include <zip.h>

#include <memory>

#include "base/file.h"
#include "base/free_memory.h"
#include "base/utf8.h"
#include "model/keras/archive.h"

namespace wt::model::keras {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& archive, std::string fact, std::string remedy) {
  Place place;
  place.file = archive.string();
  throw InputError(Problem{std::move(place), std::move(fact), std::move(remedy)});
}

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Entry = std::unique_ptr<zip_file_t, Discard>;
using Source = std::unique_ptr<zip_source_t, Discard>;

// The entry, unpacked. zip_fread checks the sum of its bytes at their end.
std::string unpacked(const std::filesystem::path& path, zip_t* archive, const std::string& name,
                     std::uint64_t size) {
  const std::string damaged = fmt::format("its entry \"{}\" cannot be unpacked", printable(name));
  const Entry entry(zip_fopen(archive, name.c_str(), 0));
  if (!entry)
    refuse(path, fmt::format("{}: {}", damaged, zip_strerror(archive)), "download or save it again");
  std::string content(size, '\0');
  std::uint64_t done = 0;
  while (done < size) {
    const zip_int64_t count = zip_fread(entry.get(), content.data() + done, size - done);
    if (count <= 0) refuse(path, damaged, "the file is damaged: download or save it again");
    done += static_cast<std::uint64_t>(count);
  }
  char beyond = 0;
  if (zip_fread(entry.get(), &beyond, 1) != 0)
    refuse(path, damaged, "the file is damaged: download or save it again");
  return content;
}

}  // namespace

std::optional<std::string> read_entry(const std::filesystem::path& path, const std::string& entry,
                                      std::uint64_t most, const Place& named_at) {
  if (!InputFile(path, named_at).is_regular()) refuse(path, "not a regular file", "name a file");
  int error = 0;
  const Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &error));
  if (!archive) refuse(path, "this is not a zip archive, or it was cut off", "download or save it again");
  zip_stat_t facts;
  if (zip_stat(archive.get(), entry.c_str(), 0, &facts) != 0) return std::nullopt;
  if ((facts.valid & ZIP_STAT_SIZE) == 0 || facts.size > most)
    refuse(path, fmt::format("its entry \"{}\" is larger than {} bytes", printable(entry), most),
           "name a file that Keras wrote");
  require_memory(Bytes(facts.size), fmt::format("reading \"{}\"", printable(path.string())),
                 "name a smaller file", named_at);
  return unpacked(path, archive.get(), entry, facts.size);
}

void write_archive(const std::filesystem::path& path, const std::map<std::string, std::string>& entries) {
  zip_error_t error;
  const Source source(zip_source_buffer_create(nullptr, 0, 0, &error));
  WT_EXPECT(source != nullptr, "no archive in memory");
  zip_source_keep(source.get());  // the archive gives back one of the two references
  Archive archive(zip_open_from_source(source.get(), ZIP_TRUNCATE, &error));
  WT_EXPECT(archive != nullptr, "no archive in memory");
  for (const auto& [name, content] : entries) {
    zip_source_t* of_entry = zip_source_buffer(archive.get(), content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(archive.get(), name.c_str(), of_entry, ZIP_FL_ENC_UTF_8);
    WT_EXPECT(index >= 0, "no entry {}", name);
    const auto own = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive.get(), own, ZIP_CM_STORE, 0);
    constexpr zip_uint16_t first_day = 1 << 5 | 1;  // 1980-01-01, where an archive's dates begin
    zip_file_set_dostime(archive.get(), own, 0, first_day, 0);
  }
  WT_EXPECT(zip_close(archive.release()) == 0, "the archive cannot be completed");
  WT_EXPECT(zip_source_open(source.get()) == 0, "the archive cannot be read again");
  zip_stat_t facts;
  zip_source_stat(source.get(), &facts);
  std::string bytes(facts.size, '\0');
  WT_EXPECT(
      zip_source_read(source.get(), bytes.data(), bytes.size()) == static_cast<zip_int64_t>(bytes.size()),
      "the archive cannot be read again");
  zip_source_close(source.get());
  write_text(path, bytes);
}

}  // namespace wt::model::keras
