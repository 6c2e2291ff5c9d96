#include "study/recordings/calls.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "study/recordings/machine.h"
#include "train/function.h"

namespace wt::recordings {

struct Calls::Call {
  Call(std::string its_name, std::vector<Tensor> tensors, Traced function, model::Semantics semantics)
      : name(std::move(its_name)),
        given(std::move(tensors)),
        traced(std::move(function)),
        compiled(
            "call", state, machine, train::Function::Mode::inference,
            [this, semantics](model::Building&, const std::vector<Symbol>& x) {
              return traced(x, semantics);
            },
            semantics) {}

  std::string name;
  std::vector<Tensor> given;
  Traced traced;
  Machine machine{};
  train::State state{1};
  train::Function compiled;
};

Calls::Calls(const Recording& recording, Comparison& comparison)
    : recording_(recording), comparison_(comparison), tensors_(recording.tensors()) {}
Calls::~Calls() = default;

void Calls::add(std::string name, std::vector<Tensor> given, Traced traced) {
  const std::optional<std::string> error = recording_.error_text(name);
  auto call = std::make_unique<Call>(name, std::move(given), std::move(traced), recording_.semantics());
  try {
    call->compiled.create_variables({call->given});
  } catch (const InputError& refusal) {
    if (!error) throw;
    return comparison_.same("the error of " + name, refusal.problems().front().fact, *error);
  }
  if (error) return comparison_.fail(fmt::format("{} is accepted, recorded: {}", name, *error));
  planned_.push_back(std::move(call));
}

void Calls::compare(const Limit& limit) {
  comparison_.starts_to_compute();
  for (const std::unique_ptr<Call>& call : planned_) {
    const std::vector<Tensor> ours = call->compiled.run({call->given}).at(0);
    const Tensor& value = tensors_.at(call->name + "/value");
    comparison_.same("the type of " + call->name, wt::name(ours[0].type()), wt::name(value.type()));
    comparison_.near(call->name + "/value", ours[0], value, limit);
    if (const auto gradient = tensors_.find(call->name + "/grad"); gradient != tensors_.end())
      comparison_.near(gradient->first, ours.at(1), gradient->second, limit);
  }
}

json::Value written_object(std::string_view class_name, const json::Value& options) {
  json::Writer out(json::Layout::compact);
  out.begin_object().member("class_name", class_name).key("config");
  json::write_value(out, options);
  out.end_object();
  return json::parse(out.text(), fmt::format("{}.json", class_name));
}

}  // namespace wt::recordings
