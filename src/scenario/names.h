#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/json_key.h"
#include "base/json_reader.h"
#include "scenario/scenario.h"

namespace wt::scenario {

using json::Later;

// The words for the values of an enumeration, in a specialisation for each.
template <class T>
struct Names;

template <>
struct Names<data::AutoShardPolicy> {
  using enum data::AutoShardPolicy;
  static constexpr std::string_view noun = "a policy";
  static constexpr std::array<json::Named<data::AutoShardPolicy>, 5> rows{
      {{"auto", automatic}, {"file", file}, {"data", data}, {"hint", hint}, {"off", off}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Sharding> {
  using enum Sharding;
  static constexpr std::string_view noun = "a way to shard";
  static constexpr std::array<json::Named<Sharding>, 2> rows{{{"worker", worker}, {"hint", hint}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Collectives> {
  static constexpr std::string_view noun = "a way to play collectives";
  using enum Collectives;
  static constexpr std::array<json::Named<Collectives>, 3> rows{
      {{"auto", automatic}, {"expanded", expanded}, {"folded", folded}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Compute> {
  static constexpr std::string_view noun = "a source of kernels' times";
  static constexpr std::array<json::Named<Compute>, 2> rows{
      {{"roofline", Compute::roofline}, {"measured", Compute::measured}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<cost::Per> {
  static constexpr std::string_view noun = "something that can be bought";
  static constexpr std::array<json::Named<cost::Per>, 3> rows{
      {{"machine", cost::Per::machine}, {"chip", cost::Per::chip}, {"slice", cost::Per::slice}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<cost::Terms> {
  static constexpr std::string_view noun = "a kind of rent";
  static constexpr std::array<json::Named<cost::Terms>, 3> rows{{{"on_demand", cost::Terms::on_demand},
                                                                 {"committed", cost::Terms::committed},
                                                                 {"spot", cost::Terms::spot}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<FailingPart> {
  static constexpr std::string_view noun = "something that fails at random";
  static constexpr std::array<json::Named<FailingPart>, 3> rows{
      {{"device", FailingPart::device}, {"machine", FailingPart::machine}, {"link", FailingPart::link}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<HostCollectives> {
  static constexpr std::string_view noun = "a way to carry out collectives";
  static constexpr std::array<json::Named<HostCollectives>, 2> rows{
      {{"planned", HostCollectives::planned}, {"nccl", HostCollectives::nccl}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<LabelKind> {
  static constexpr std::string_view noun = "a kind of labels";
  static constexpr std::array<json::Named<LabelKind>, 5> rows{{{"classes", LabelKind::classes},
                                                               {"one_hot", LabelKind::distribution},
                                                               {"binary", LabelKind::binary},
                                                               {"numbers", LabelKind::numbers},
                                                               {"positive", LabelKind::positive}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Launch> {
  static constexpr std::string_view noun = "a way to launch";
  static constexpr std::array<json::Named<Launch>, 3> rows{
      {{"threads", Launch::threads}, {"mpi", Launch::mpi}, {"torch", Launch::torch}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Loop> {
  static constexpr std::string_view noun = "a training loop";
  static constexpr std::array<json::Named<Loop>, 4> rows{{{"custom", Loop::custom},
                                                          {"fit", Loop::fit},
                                                          {"predict", Loop::predict},
                                                          {"estimator", Loop::estimator}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<LossScale> {
  static constexpr std::string_view noun = "a scale of the loss";
  static constexpr std::array<json::Named<LossScale>, 3> rows{{{"global_rows", LossScale::global_rows},
                                                               {"global_batch", LossScale::global_batch},
                                                               {"keras", LossScale::keras}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Part> {
  static constexpr std::string_view noun = "a part of Fashion-MNIST";
  static constexpr std::array<json::Named<Part>, 2> rows{{{"train", Part::train}, {"test", Part::test}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Precision> {
  static constexpr std::string_view noun = "a precision";
  static constexpr std::array<json::Named<Precision>, 4> rows{
      {{"float32", Precision::float32},
       {"tf32", Precision::tf32},
       {"mixed_float16", Precision::mixed_float16},
       {"mixed_bfloat16", Precision::mixed_bfloat16}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<ReportedLoss> {
  static constexpr std::string_view noun = "a reduction of the replicas' losses";
  static constexpr std::array<json::Named<ReportedLoss>, 2> rows{
      {{"sum", ReportedLoss::sum}, {"mean", ReportedLoss::mean}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Compression> {
  static constexpr std::string_view noun = "a compression";
  static constexpr std::array<json::Named<Compression>, 2> rows{
      {{"float16", Compression::float16}, {"bfloat16", Compression::bfloat16}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<train::Mode> {
  static constexpr std::string_view noun = "a mode";
  static constexpr std::array<json::Named<train::Mode>, 3> rows{
      {{"auto", train::Mode::automatic}, {"min", train::Mode::min}, {"max", train::Mode::max}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<plan::Fusion> {
  static constexpr std::string_view noun = "a level of fusion";
  static constexpr std::array<json::Named<plan::Fusion>, 3> rows{{{"none", plan::Fusion::none},
                                                                  {"activations", plan::Fusion::activations},
                                                                  {"program", plan::Fusion::program}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<plan::Updates> {
  static constexpr std::string_view noun = "a way to update";
  static constexpr std::array<json::Named<plan::Updates>, 2> rows{
      {{"fused", plan::Updates::fused}, {"operations", plan::Updates::operations}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<plan::Images> {
  static constexpr std::string_view noun = "an order of image data";
  static constexpr std::array<json::Named<plan::Images>, 2> rows{
      {{"channels_last", plan::Images::channels_last}, {"channels_first", plan::Images::channels_first}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Numerics> {
  static constexpr std::string_view noun = "a way to compute";
  static constexpr std::array<json::Named<Numerics>, 3> rows{
      {{"cpu", Numerics::cpu}, {"cuda", Numerics::cuda}, {"none", Numerics::none}}};
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<model::Semantics> {
  static constexpr std::string_view noun = "a version's semantics";
  static inline const std::span<const model::SemanticsRow> rows = model::all_semantics();
  static constexpr std::array<Later, 0> later{};
};

template <>
struct Names<Type> {
  static constexpr std::string_view noun = "a type of numbers";
  static constexpr std::array<json::Named<Type>, 6> rows{{{"float32", Type::float32},
                                                          {"float64", Type::float64},
                                                          {"int32", Type::int32},
                                                          {"int64", Type::int64},
                                                          {"uint8", Type::uint8},
                                                          {"bool", Type::boolean}}};
  static constexpr std::array<Later, 0> later{};
};

// The words for the rows of the tables of model/: names first, then aliases.
std::vector<std::string_view> loss_names();
std::vector<std::string_view> optimizer_names();
std::vector<std::string_view> metric_names();
std::vector<std::string_view> zoo_names();

// `type` of a dataset, in the order of Dataset::source.
inline constexpr std::array<std::string_view, 7> source_names{
    "synthetic", "idx", "fashion_mnist", "safetensors", "constant", "csv", "tfrecord"};

template <class T>
std::string_view name_of(T value) {
  for (const auto& row : Names<T>::rows) {
    if (row.value == value) return row.name;
  }
  return {};
}

}  // namespace wt::scenario
