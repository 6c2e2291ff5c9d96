#include "timing/spans.h"

#include <algorithm>

namespace wt::timing {

Spans merged(Spans spans) {
  std::ranges::sort(spans, [](const plan::Span& a, const plan::Span& b) { return a.start < b.start; });
  Spans apart;
  for (const plan::Span& span : spans) {
    if (span.start >= span.end) continue;
    if (!apart.empty() && span.start <= apart.back().end)
      apart.back().end = std::max(apart.back().end, span.end);
    else
      apart.push_back(span);
  }
  return apart;
}

Seconds length(const Spans& spans) {
  Seconds sum{};
  for (const plan::Span& span : spans) sum += span.end - span.start;
  return sum;
}

Spans together(Spans spans, const Spans& more) {
  spans.insert(spans.end(), more.begin(), more.end());
  return merged(std::move(spans));
}

}  // namespace wt::timing
