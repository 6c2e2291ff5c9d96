#include "collective/select.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "collective/catalog.h"
#include "collective/rankings.h"

namespace wt::collective {

namespace {

std::vector<Choice> candidates(const Question& question) {
  if (question.fabric.torus) return rank_on_torus(question);
  if (question.fabric.is_amd && question.fabric.inside != Inside::ideal) return rank_by_rccl(question);
  if (question.fabric.capability > 0 && question.fabric.inside != Inside::ideal)
    return rank_by_nccl(question);
  return rank_by_alpha_beta(question);
}

// By NCCL's published numbers LL and LL128 are within 1 % of each other at 2 MiB on eight A100. Two tables show that
// NCCL takes LL128 there.
void break_tie(std::vector<Choice>& found) {
  if (found.size() < 2 || found[0].protocol != Protocol::ll || found[1].protocol != Protocol::ll128) return;
  if (found[0].algorithm == found[1].algorithm && found[1].predicted < found[0].predicted * 1.01)
    std::swap(found[0], found[1]), found[0].predicted = found[1].predicted;
}

}  // namespace

std::vector<Choice> ranked(Operation operation, const Fabric& fabric, int ranks, Bytes bytes) {
  if (ranks <= 1)
    return {{.algorithm = algorithms_of(operation).front()->name,
             .reason = "one rank has what it wants from the start"}};
  const double size = static_cast<double>(std::max<std::int64_t>(0, bytes.count()));
  std::vector<Choice> found = candidates({operation, fabric, spread(fabric, ranks), size});
  WT_EXPECT(!found.empty(), "no algorithm was found for {} among {} ranks", name(operation), ranks);
  for (const Choice& choice : found)
    WT_EXPECT(std::isfinite(choice.predicted.count()) && choice.channels > 0,
              "{} is predicted to take {} s on {} channels", choice.algorithm, choice.predicted.count(),
              choice.channels);
  std::stable_sort(found.begin(), found.end(),
                   [](const Choice& left, const Choice& right) { return left.predicted < right.predicted; });
  break_tie(found);
  return found;
}

}  // namespace wt::collective
