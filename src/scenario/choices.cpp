#include "scenario/choices.h"

#include <string>
#include <vector>

namespace wt::scenario {

namespace {

// Writes the configuration of a loss, optimizer or metric in the form that read_loss and its neighbours read.
template <class Configure>
void write_choice(json::Writer& out, std::string_view class_name, Configure configure) {
  out.begin_object(json::Layout::one_line).member("class_name", class_name).key("config").begin_object();
  configure();
  out.end_object().end_object();
}

void write_texts(json::Writer& out, const std::vector<std::string>& texts) {
  out.begin_array(json::Layout::one_line);
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

void write_numbers(json::Writer& out, const std::vector<double>& numbers) {
  out.begin_array(json::Layout::one_line);
  for (const double number : numbers) out.value(number);
  out.end_array();
}

void write_schedule(json::Writer& out, const model::Schedule& schedule) {
  write_choice(out, schedule.type->name, [&] {
    for (const model::ScheduleArgument& argument : schedule.type->arguments) {
      if (!schedule.arguments.contains(argument.key)) continue;
      if (argument.kind == model::ScheduleArgument::Kind::flag)
        out.member(argument.key, schedule[argument.key] != 0);
      else
        out.member(argument.key, schedule[argument.key]);
    }
    if (schedule.values.empty()) return;
    write_numbers(out.key("boundaries"), schedule.boundaries);
    write_numbers(out.key("values"), schedule.values);
  });
}

// What all optimizers have, where it is not the default.
void write_common(json::Writer& out, const model::Optimizer& optimizer) {
  const auto maybe = [&](std::string_view key, const auto& value) {
    if (value) out.member(key, *value);
  };
  maybe("weight_decay", optimizer.weight_decay);
  if (!optimizer.undecayed_names.empty())
    write_texts(out.key("exclude_from_weight_decay"), optimizer.undecayed_names);
  maybe("clipnorm", optimizer.clipnorm);
  maybe("global_clipnorm", optimizer.global_clipnorm);
  maybe("clipvalue", optimizer.clipvalue);
  if (optimizer.averages) {
    out.member("use_ema", true).member("ema_momentum", optimizer.averages->momentum);
    maybe("ema_overwrite_frequency", optimizer.averages->overwrite_every);
  }
  maybe("loss_scale_factor", optimizer.loss_scale_factor);
  if (optimizer.accumulation > 1) out.member("gradient_accumulation_steps", optimizer.accumulation);
}

// The learning rate is written here unless there is a table of learning rates by batch size.
void write_inner_optimizer(json::Writer& out, const model::Optimizer& optimizer, bool has_own_rate) {
  write_choice(out, optimizer.type->name, [&] {
    out.member("name", optimizer.name);
    if (optimizer.schedule)
      write_schedule(out.key("learning_rate"), *optimizer.schedule);
    else if (has_own_rate)
      out.member("learning_rate", optimizer.learning_rate);
    write_common(out, optimizer);
    for (const model::Argument& argument : optimizer.type->arguments) {
      const double value = optimizer[argument.key];
      if (argument.kind == model::Argument::Kind::flag)
        out.member(argument.key, value != 0);
      else
        out.member(argument.key, value);
    }
    if (!optimizer.exclude_layers.empty()) write_texts(out.key("exclude_layers"), optimizer.exclude_layers);
  });
}

}  // namespace

void write_loss(json::Writer& out, const model::Loss& loss) {
  write_choice(out, loss.type->name, [&] { model::write_arguments(out, loss); });
}

// A LossScaleOptimizer around another one.
void write_optimizer(json::Writer& out, const model::Optimizer& optimizer, bool has_own_rate) {
  if (!optimizer.scaled_loss) return write_inner_optimizer(out, optimizer, has_own_rate);
  write_choice(out, "LossScaleOptimizer", [&] {
    write_inner_optimizer(out.key("inner_optimizer"), optimizer, has_own_rate);
    out.member("dynamic", optimizer.scaled_loss->is_dynamic);
    out.member("initial_scale", optimizer.scaled_loss->initial_scale);
    out.member("dynamic_growth_steps", optimizer.scaled_loss->growth_steps);
  });
}

void write_metric(json::Writer& out, const model::Metric& metric) {
  write_choice(out, metric.type == nullptr ? "accuracy" : metric.type->name, [&] {
    out.member("name", metric.name);
    model::write_arguments(out, metric);
  });
}

}  // namespace wt::scenario
