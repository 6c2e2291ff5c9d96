#include "study/recordings/outcome.h"

#include <fmt/format.h>

namespace wt::recordings {

namespace {

bool is_pythons_own(const json::Value& error) {
  const json::Value* python = error.find("python");
  return python != nullptr && python->kind() == json::Kind::boolean && python->boolean();
}

}  // namespace

Outcome refused(std::string type, const InputError& error) {
  const Problem& problem = error.problems().front();
  return {.type = std::move(type), .sentence = problem.fact, .has_remedy = !problem.remedy.empty()};
}

bool is_error(const json::Value& recorded) {
  const json::Value* type = recorded.kind() == json::Kind::object ? recorded.find("type") : nullptr;
  return type != nullptr && type->kind() == json::Kind::string;
}

void compare_outcome(Comparison& comparison, const std::string& what, const Outcome& ours,
                     const json::Value& theirs) {
  if (!is_error(theirs)) {
    if (ours.type.empty())
      comparison.same(what, ours.returned, theirs.find("returned")->string());
    else
      comparison.fail(fmt::format("{} is refused: {}", what, ours.sentence));
    return;
  }
  const std::string& type = theirs.find("type")->string();
  if (ours.type.empty()) return comparison.fail(fmt::format("{} is not refused with {}", what, type));
  if (is_pythons_own(theirs)) return comparison.same(what, "an error", "an error");
  comparison.same(what + "'s error", ours.type, ours.type == "InputError" ? ours.type : type);
  const std::string& sentence = theirs.find("sentence")->string();
  const bool goes_on = ours.has_remedy && sentence.starts_with(ours.sentence + ".");
  comparison.same(what, ours.sentence, goes_on ? ours.sentence : sentence);
}

}  // namespace wt::recordings
