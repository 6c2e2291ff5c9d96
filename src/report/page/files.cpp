#include "report/page/files.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/installation.h"
#include "base/run_program.h"
#include "base/temporary_folder.h"
#include "report/page/page.h"

namespace wt::report {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view build_it = "./windtunnel get report";

// Unset: viz/ isn't built.
std::optional<fs::path> built(std::string_view name) {
  const std::optional<fs::path> folder = optional_data_folder("viz");
  std::error_code error;
  if (!folder || !fs::exists(*folder / name, error)) return std::nullopt;
  return *folder / name;
}

struct Renderer {
  fs::path node{};
  fs::path script{};
};

Renderer renderer() {
  const std::optional<fs::path> script = built("render.js");
  if (!script)
    throw InputError("the program that draws charts as files has not been built",
                     fmt::format("build it: {}", build_it));
  const std::optional<fs::path> node = program_on_path("node");
  if (!node)
    throw InputError("Node.js draws charts as files, and there is no program \"node\"",
                     fmt::format("install Node.js 18 or newer: {}", build_it));
  return {.node = *node, .script = *script};
}

struct Form {
  std::string_view option{};
  bool Pictures::*is_wanted = nullptr;
};
constexpr std::array forms{Form{"--svg", &Pictures::svg}, Form{"--png", &Pictures::png}};

void add_pictures(std::string_view data, const Pictures& pictures, std::vector<ReportFile>& files) {
  const Renderer tools = renderer();
  const TemporaryFolder folder;
  const fs::path report = folder.path() / "report.json", drawn = folder.path() / "drawn";
  write_text(report, data);
  std::vector<std::string> words{tools.node.string(), tools.script.string(), report.string()};
  for (const Form& form : forms)
    if (pictures.*form.is_wanted) words.insert(words.end(), {std::string(form.option), drawn.string()});
  const Ended ended = run_program(words);
  if (ended.exit != 0)
    throw InputError(fmt::format("the charts could not be drawn: {}", ended.messages),
                     fmt::format("build the program that draws them anew: {}", build_it));
  std::istringstream names(ended.results);
  for (std::string name; std::getline(names, name);)
    files.push_back({.name = name, .content = read_text(drawn / name)});
}

}  // namespace

void require_renderer(const Pictures& pictures) {
  if (pictures.any()) renderer();
}

ReportFiles files_of(std::string_view data, const Pictures& pictures) {
  ReportFiles report{.files = {{.name = "report.json", .content = std::string(data)}}};
  if (const std::optional<fs::path> page = built("report.html"))
    report.files.push_back({.name = "report.html", .content = page_with(read_text(*page), data)});
  else
    report.note =
        fmt::format("there is no report.html, since its page has not been built; {} builds it", build_it);
  if (pictures.any()) add_pictures(data, pictures, report.files);
  return report;
}

}  // namespace wt::report
