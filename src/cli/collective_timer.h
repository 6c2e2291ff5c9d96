#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/collective.h"
#include "collective/catalog.h"
#include "collective/expand.h"
#include "plan/bound.h"
#include "platform/platform.h"

namespace wt {

// One of the catalog's, or a schedule from a file: windtunnel's text form, or MSCCL's XML.
struct CollectiveChoice {
  const collective::Algorithm* algorithm = nullptr;
  std::string file{};
  std::string text{};
};

// Runs schedules of one operation among a platform's first devices. Every refusal is an InputError.
class CollectiveTimer {
 public:
  CollectiveTimer(const CollectiveOptions& options, collective::Operation operation,
                  const platform::Platform& platform);

  CollectiveTable table() const { return {platform_.name(), operation_, ranks_, type_, root_, false}; }
  void check(Bytes size) const { elements(size); }
  void check(const CollectiveChoice& choice, Bytes size) const;
  collective::Expanded expanded(const CollectiveChoice& choice, Bytes size) const;
  CollectiveRow time(const CollectiveChoice& choice, Bytes size);

 private:
  using Endpoints = std::vector<platform::Endpoint>;

  bool is_shared_out() const;
  std::int64_t elements(Bytes size) const;
  collective::Schedule schedule(const collective::Algorithm& algorithm, Bytes size) const;
  Endpoints endpoints(const CollectiveChoice& choice, const collective::Contract& contract) const;
  plan::Plan plan_of(const collective::Expanded& schedule) const;
  std::optional<Seconds> bound(const collective::Contract& contract, const Endpoints& where, Bytes bytes);

  const collective::Operation operation_;
  const platform::Platform& platform_;
  const Type type_;
  const int root_;
  int ranks_ = 0;
  collective::Options options_{};
  Endpoints devices_{};
  std::vector<std::vector<plan::Side>> splits_{};  // with the helpers they were made for
  Endpoints helpers_{};
};

}  // namespace wt
