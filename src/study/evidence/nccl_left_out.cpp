#include "study/evidence/nccl_left_out.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include "study/evidence/class_constants.h"

namespace wt::evidence {

namespace {

using communication::Constants, communication::OtherConstants;

// A row of a table, by their numbers.
struct RowOf {
  std::size_t table = 0, row = 0;
};

constexpr double moving_factor = 1.5;  // by which a constant is moved to see which rows depend on it
constexpr double least_move = 1e-6;    // of a time, relative
constexpr double widest = 1.4;         // The factors of a fit are exp(-widest) to exp(widest), 0.25 to 4.

// The place of the lowest value: by a grid, then by golden sections between the neighbours of its best point.
double lowest(const std::function<double(double)>& error) {
  constexpr int points = 9, sections = 8;
  constexpr double step = 2 * widest / (points - 1), golden = 0.6180339887498949;
  double best = 0, best_error = error(0);
  for (int i = 0; i < points; ++i) {
    const double at = -widest + i * step;
    if (const double there = error(at); there < best_error) best = at, best_error = there;
  }
  double low = best - step, high = best + step;
  for (int i = 0; i < sections; ++i) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    if (error(left) < error(right))
      high = right;
    else
      low = left;
  }
  const double middle = (low + high) / 2;
  return error(middle) < best_error ? middle : best;
}

class Study {
 public:
  explicit Study(const std::vector<NcclTable>& tables) : tables_(tables) {
    for (const NcclTable& table : tables)
      predictors_.push_back(std::make_unique<NcclPredictor>(table.system, table.operation));
    moved_.resize(class_constants().size());
  }

  LeftOutSystem left_out(const std::string& system) {
    LeftOutSystem found{.system = system};
    Constants constants = communication::constants();
    std::vector<std::size_t> fitted;
    for (std::size_t i = 0; i < class_constants().size(); ++i) {
      if (!is_read_off(class_constants()[i], system)) continue;
      if (remaining(i, system).empty())
        found.constants.push_back(forgotten(class_constants()[i], constants));
      else
        fitted.push_back(i);
    }
    for (const std::size_t i : fitted) found.constants.push_back(refitted(i, system, constants));
    const OtherConstants others(constants);
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i].system.system != system) continue;
      NcclTable& table = found.tables.emplace_back(tables_[i]);
      for (NcclRow& row : table.rows) row.by_class = predictors_[i]->time(row);
    }
    return found;
  }

 private:
  // Tables of one source may have several names.
  bool is_read_off(const ClassConstant& constant, const std::string& system) const {
    return std::ranges::any_of(tables_, [&](const NcclTable& table) {
      return table.system.system == system &&
             std::ranges::find(constant.read_off, table.system.name) != constant.read_off.end();
    });
  }

  static LeftOutConstant forgotten(const ClassConstant& constant, Constants& constants) {
    constant.forget(constants);
    return {.name = std::string(constant.name), .nearest = std::string(constant.nearest)};
  }

  LeftOutConstant refitted(std::size_t i, const std::string& system, Constants& constants) {
    const ClassConstant& constant = class_constants()[i];
    const std::vector<RowOf> rows = remaining(i, system);
    const double factor = std::exp(lowest([&](double exponent) {
      Constants tried = constants;
      constant.scale(tried, std::exp(exponent));
      return mean_error(rows, tried);
    }));
    constant.scale(constants, factor);
    std::vector<std::size_t> numbers;
    for (const RowOf& row : rows)
      if (std::ranges::find(numbers, row.table) == numbers.end()) numbers.push_back(row.table);
    return {.name = std::string(constant.name), .tables = static_cast<int>(numbers.size()), .factor = factor};
  }

  double mean_error(const std::vector<RowOf>& rows, const Constants& constants) const {
    const OtherConstants others(constants);
    double sum = 0;
    for (const RowOf& each : rows) {
      NcclRow row = tables_[each.table].rows[each.row];
      sum += std::abs(std::log(predictors_[each.table]->time(row) / row.published));
    }
    return sum / static_cast<double>(rows.size());
  }

  // The rows that a constant moves, without those of one system.
  std::vector<RowOf> remaining(std::size_t i, const std::string& system) {
    if (!moved_[i]) moved_[i] = rows_moved_by(class_constants()[i]);
    std::vector<RowOf> rows = *moved_[i];
    std::erase_if(rows, [&](const RowOf& row) { return tables_[row.table].system.system == system; });
    return rows;
  }

  std::vector<RowOf> rows_moved_by(const ClassConstant& constant) const {
    Constants moved = communication::constants();
    constant.scale(moved, moving_factor);
    const OtherConstants others(moved);
    std::vector<RowOf> found;
    for (std::size_t table = 0; table < tables_.size(); ++table)
      for (std::size_t i = 0; i < tables_[table].rows.size(); ++i) {
        NcclRow row = tables_[table].rows[i];
        const double ratio = predictors_[table]->time(row) / row.by_class;
        if (std::abs(ratio - 1) > least_move) found.push_back({table, i});
      }
    return found;
  }

  const std::vector<NcclTable>& tables_;
  std::vector<std::unique_ptr<NcclPredictor>> predictors_{};
  std::vector<std::optional<std::vector<RowOf>>> moved_{};  // by constant; those that were asked for
};

}  // namespace

std::vector<LeftOutSystem> nccl_left_out(const std::vector<NcclTable>& tables) {
  Study study(tables);
  std::vector<LeftOutSystem> all;
  for (const NcclTable& table : tables)
    if (std::ranges::find(all, table.system.system, &LeftOutSystem::system) == all.end())
      all.push_back(study.left_out(table.system.system));
  return all;
}

}  // namespace wt::evidence
