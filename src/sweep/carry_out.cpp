#include "sweep/carry_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "platform/constants_version.h"
#include "sweep/crew.h"
#include "sweep/inputs.h"
#include "sweep/points.h"
#include "sweep/row.h"

namespace wt::sweep {

namespace {

bool is_in(const Shard& shard, std::int64_t point) { return point % shard.of == shard.number - 1; }

std::int64_t size_of(const Shard& shard, std::int64_t points) {
  return (points - (shard.number - 1) + shard.of - 1) / shard.of;
}

Header header_of(const Sweep& sweep, const Points& points, const Options& options) {
  return {.version = options.version,
          .constants = platform::constants_version,
          .name = sweep.name,
          .sweep = sweep.identity,
          .points = points.size(),
          .shard = print(options.shard),
          .inputs = digests(sweep),
          .columns = column_names(sweep)};
}

Work work_of(const Sweep& sweep, const Points& points, const Options& options, Log& log) {
  Work work;
  for (std::int64_t number = 0; number < points.size(); ++number)
    if (is_in(options.shard, number) && !log.rows().contains(number)) work.numbers.push_back(number);
  // Every process gets a copy of what is known at its start, which is nothing.
  work.line_of = [&, known = std::make_shared<session::Shared>()](std::int64_t number) {
    return print(row_of(sweep, points, points.at(number), *known));
  };
  work.lost_line = [&](std::int64_t number, const std::string& why) {
    return print(lost_row(sweep, points.at(number), why));
  };
  const std::int64_t size = size_of(options.shard, points.size());
  work.deliver = [&options, &log, size](std::span<const std::string> lines) {
    log.append(lines);
    if (options.on_progress) options.on_progress(static_cast<std::int64_t>(log.rows().size()), size);
  };
  work.is_stopped = [&options] { return options.is_stopped && options.is_stopped(); };
  return work;
}

void refuse_differing(const Found& one, const Found& other, const std::filesystem::path& first,
                      const std::filesystem::path& folder) {
  Header header = other.header;
  header.shard = one.header.shard;
  if (header == one.header) return;
  throw InputError(fmt::format("\"{}\" and \"{}\" are of different sweeps: {}", first.string(),
                               folder.string(), fmt::join(differences(one.header, header), ", ")));
}

void refuse_gaps(const Header& header, const std::map<std::int64_t, Row>& rows) {
  std::vector<std::int64_t> missing;
  for (std::int64_t number = 0; number < header.points; ++number)
    if (!rows.contains(number)) missing.push_back(number);
  if (missing.empty()) return;
  const std::size_t count = missing.size();
  missing.resize(std::min<std::size_t>(count, 8));
  throw InputError(fmt::format("{} of {} points have no row: {}{}", count, header.points,
                               fmt::join(missing, ", "), count > missing.size() ? ", ..." : ""),
                   "name the folders of all shards, each finished");
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto read = [&](std::size_t begin, std::size_t end, int& number) {
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, number);
    return error == std::errc{} && stop == text.data() + end;
  };
  const bool is_good = slash < text.size() && read(0, slash, shard.number) &&
                       read(slash + 1, text.size(), shard.of) && shard.number >= 1 &&
                       shard.number <= shard.of && shard.of <= 1'000'000;
  if (!is_good)
    throw InputError(fmt::format("\"{}\" is no shard", text), "write 2/3 for the second of three");
  return shard;
}

std::string print(const Shard& shard) {
  return shard.of == 1 ? "" : fmt::format("{}/{}", shard.number, shard.of);
}

Ending carry_out(const Sweep& sweep, const Options& options) {
  const Points points(sweep);
  points.require_usable_values();
  const Header header = header_of(sweep, points, options);
  Log log(options.folder, header, options.anew);
  const auto found = static_cast<std::int64_t>(log.rows().size());
  const Work work = work_of(sweep, points, options, log);
  if (!work.numbers.empty())
    options.ranks != nullptr ? options.ranks->share(work) : share(work, options.processes);
  Ending ending{header, log.rows(), size_of(options.shard, points.size()), found};
  if (ending.is_complete()) log.finish();
  return ending;
}

void assist(const Sweep& sweep, Ranks& ranks) {
  const Points points(sweep);
  session::Shared known;
  ranks.serve([&](std::int64_t number) { return print(row_of(sweep, points, points.at(number), known)); });
}

Ending merge(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& into,
             bool anew) {
  Found all = read_log(folders.front());
  for (const std::filesystem::path& folder : folders) {
    Found other = read_log(folder);
    refuse_differing(all, other, folders.front(), folder);
    all.rows.merge(other.rows);
  }
  all.header.shard.clear();
  refuse_gaps(all.header, all.rows);
  Log log(into, all.header, anew);
  std::vector<std::string> lines;
  for (const auto& [number, row] : all.rows)
    if (!log.rows().contains(number)) lines.push_back(print(row));
  const auto found = static_cast<std::int64_t>(log.rows().size());
  log.append(lines);
  log.finish();
  return {all.header, all.rows, all.header.points, found};
}

}  // namespace wt::sweep
