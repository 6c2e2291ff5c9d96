#pragma once
// The figures that a table and a page of collectives derive from its rows, as nccl-tests defines them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "report/collective_table.h"

namespace wt::report {

struct Speed {
  double time_us = 0, algbw = 0, busbw = 0;  // decimal GB/s
};

// Time and bandwidths as nccl-tests prints them.
Speed speed(const CollectiveTable& table, const communication::CollectiveRow& row, Seconds time);

std::optional<double> share_of_bound(const communication::CollectiveRow& row);

// The average bus bandwidth as in nccl-tests, over the out-of-place and the in-place results.
double mean_busbw(const CollectiveTable& table);

// Writes what the rows have in common, as members of the object that is open: the platform, the operation
// and the ranks.
void write_common(json::Writer& out, const CollectiveTable& table);

// What the times of rows are based on, with its meaning; only those that occur.
struct Basis {
  std::string_view name{}, meaning{};
};
std::vector<Basis> bases_of(const CollectiveTable& table);

// ---- Beside measurements

std::vector<std::string> series_of(const CollectiveTable& table);  // in the order of the rows

// What a series says of a measured row. Unset: it has no row of this size.
struct Prediction {
  Seconds time{};
  double error = 0;  // predicted over measured time, less 1
};
std::optional<Prediction> prediction(const CollectiveTable& table, std::string_view series,
                                     const communication::MeasuredRow& row);

// Of the absolute errors. Unset: no size is in both.
struct MedianError {
  double median = 0;
  std::int64_t sizes = 0;
};
std::optional<MedianError> median_error(const CollectiveTable& table, std::string_view series,
                                        const communication::MeasuredTable& measured);

}  // namespace wt::report
