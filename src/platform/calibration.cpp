#include "platform/calibration.h"

#include <fmt/format.h>

#include <array>

#include "base/json_writer.h"
#include "platform/keys.h"

namespace wt::platform {

namespace {

// Writes what the parser reads, by the same list of keys. Four digits are more than measurements repeat.
class SectionWriter {
 public:
  explicit SectionWriter(json::Writer& out) : out_(out) {}

  void operator()(const Key& key, double number) {
    out_.key(key.name).value(std::stod(fmt::format("{:.4g}", number)));
  }
  void operator()(const Key& key, Seconds time) {
    if (key.required || time > Seconds(0))
      out_.key(key.name).value(fmt::format("{:.4g} us", time.count() * 1e6));
  }
  template <class T>
  void operator()(const Key& key, const std::optional<T>& member) {
    if (!member) return;
    if constexpr (std::is_arithmetic_v<T>) {
      (*this)(key, *member);
    } else {
      T content = *member;
      out_.key(key.name).begin_object(json::Layout::one_line);
      keys_of(*this, content);
      out_.end_object();
    }
  }

 private:
  json::Writer& out_;
};

std::string section(const Calibration& calibration) {
  json::Writer out;
  out.begin_object();
  SectionWriter writer(out);
  Calibration content = calibration;
  keys_of(writer, content);
  out.member("source", calibration.source).end_object();
  return out.text();
}

}  // namespace

std::string with_calibration(const json::Value& content, const Calibration& calibration) {
  const std::array<std::string, 1> path{"calibration"};
  json::Writer out;
  json::write_value(out, json::replaced(content, path, json::parse(section(calibration), "the calibration")));
  return out.text();
}

}  // namespace wt::platform
