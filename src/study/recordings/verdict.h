#pragma once
// What became of a recording here.

#include <cstdint>
#include <string>
#include <string_view>

namespace wt::recordings {

enum class Verdict : std::uint8_t {
  passed,
  refused,         // on purpose: for a layer or an option that is not offered, before anything was computed
  not_applicable,  // of Python's own objects, or of what this version of Keras has not
  failed,          // other numbers or another error, or a fault of this program
  empty,           // nothing recorded was compared
};

inline constexpr std::string_view verdict_names[] = {"passed", "refused", "not_applicable", "failed",
                                                     "empty"};
inline std::string_view name(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

struct Judgement {
  Verdict verdict = Verdict::empty;
  std::string why{};  // the first difference, or the reason of a refusal; empty if it passed
};

}  // namespace wt::recordings
