// Claims: constructors take and refuse what TensorFlow was recorded to take and refuse, strategies have the recorded
// properties, and a variable is what the place of its creation makes it.

#include <gtest/gtest.h>

#include "distribute/recorded.h"
#include "train/distributed/constructors.h"
#include "train/distributed/loss.h"

namespace wt::test {
namespace {

using namespace train;

// A process with several logical CPUs, as those of the recordings.
struct Process {
  explicit Process(std::size_t cpus) {
    context.set_logical_device_configuration(context.list_physical_devices()[0],
                                             device::LogicalDeviceConfigurations(cpus));
  }
  device::Context context{};
};

using Make = std::function<Strategy::Traits(device::Context&)>;

const std::map<std::string, Make> constructors{
    {"central_defaults", [](auto& context) { return central_storage(context); }},
    {"central_parameter_elsewhere",
     [](auto& context) {
       return central_storage(context, {.compute_devices = {"CPU:0", "CPU:1"}, .parameter_device = "CPU:3"});
     }},
    {"mirrored_bad_name", [](auto& context) { return mirrored(context, {.devices = {"fast:0"}}); }},
    {"mirrored_hierarchical_on_cpu",
     [](auto& context) {
       return mirrored(context, {.devices = {"CPU:0", "CPU:1", "CPU:2"},
                                 .cross_device_ops = hierarchical_copy_all_reduce()});
     }},
    {"mirrored_missing_device",
     [](auto& context) {
       return mirrored(context, {.devices = {"CPU:0", "CPU:9"}});
     }},
    {"mirrored_missing_gpu",
     [](auto& context) {
       return mirrored(context, {.devices = {"GPU:0", "GPU:1"}});
     }},
    {"mirrored_mixed_jobs",
     [](auto& context) {
       return mirrored(context, {.devices = {"/job:localhost/replica:0/task:0/device:CPU:0",
                                             "/job:worker/replica:0/task:0/device:CPU:0"}});
     }},
    {"mirrored_two_workers",
     [](auto& context) {
       return mirrored(context,
                       {.devices = {"/job:worker/task:0/device:CPU:0", "/job:worker/task:1/device:CPU:0"}});
     }},
    {"mirrored_nccl_on_cpu",
     [](auto& context) {
       return mirrored(context, {.devices = {"CPU:0", "CPU:1"}, .cross_device_ops = nccl_all_reduce()});
     }},
    {"nccl_negative_packs",
     [](auto& context) {
       return mirrored(context, {.devices = {"CPU:0", "CPU:1"}, .cross_device_ops = nccl_all_reduce(-1)});
     }},
    {"one_missing_device", [](auto& context) { return one_device(context, "CPU:9"); }},
};

// What Python alone can write has no constructor here: a base class without an extended, lists and None for devices, and a
// second default strategy.
TEST(ST4_ST5, ConstructorsTakeAndRefuseWhatWasRecorded) {
  int found = 0;
  for (const Recording* recording : family("construct_")) {
    const auto make = constructors.find(recording->id.substr(std::string("distribute_construct_").size()));
    if (make == constructors.end()) continue;
    ++found;
    Process process(4);
    if (recording->value("construct") == nullptr) {
      expect_recorded(*recording, "construct", [&] { return make->second(process.context).name; });
      continue;
    }
    const Strategy strategy(make->second(process.context));
    const auto holds = [&](const std::string& key, const auto& call) {
      expect_recorded(*recording, key, call);
    };
    holds("devices", [&] { return strategy.extended().worker_devices(); });
    holds("variable", [&] {
      const auto scope = strategy.scope();
      return Variable(constant(1.f));
    });
    holds("run", [&] { return strategy.run([] { return constant(2.f) * constant(3.f); }); });
    holds("reduce",
          [&] { return strategy.reduce(ReduceOp::sum, strategy.run([] { return constant(2.f); })); });
  }
  EXPECT_EQ(found, 22);
}

TEST(ST4_ST5_D2, DevicesAreNamedInEverySpelling) {
  for (const Recording* recording : family("mirrored_device_names")) {
    const auto named = [&](const std::string& key, const MirroredArguments& arguments) {
      expect_recorded(*recording, key, [&] {
        Process process(3);
        const Strategy strategy(mirrored(process.context, arguments));
        return std::map<std::string, std::vector<std::string>>{
            {"devices", strategy.extended().worker_devices()}};
      });
    };
    named("short", {.devices = {"CPU:0", "CPU:1"}});
    named("lower", {.devices = {"cpu:0", "cpu:1"}});
    named("slash", {.devices = {"/cpu:0", "/CPU:2"}});
    named("device", {.devices = {"/device:CPU:1", "device:CPU:0"}});
    named("full", {.devices = {"/job:localhost/replica:0/task:0/device:CPU:0",
                               "/job:localhost/replica:0/task:0/device:CPU:1"}});
    Process process(3);
    named("objects", {.devices = strategy::given(process.context.list_logical_devices())});
    named("none", {});
    named("one", {.devices = {"CPU:1"}});
    named("no index", {.devices = {"CPU"}});
    named("order", {.devices = {"CPU:2", "CPU:0"}});
  }
}

TEST(ST5_ST8_G11_G12, StrategiesHaveTheRecordedProperties) {
  for (const Recording* recording : family("properties_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const StrategyExtended extended = strategy->extended();
    const auto is = [&](const std::string& key, const auto& call) { expect_recorded(*recording, key, call); };
    is("num_replicas_in_sync", [&] { return strategy->num_replicas_in_sync(); });
    is("extended.worker_devices", [&] { return extended.worker_devices(); });
    // Central storage answers with the name that it was given.
    if (strategy->traits().variables != VariablePlacement::on_parameter_device)
      is("extended.parameter_devices", [&] { return extended.parameter_devices(); });
    else
      EXPECT_EQ(extended.parameter_devices()[0],
                device::print(device::canonical(
                    device::parse_name(items(*recording->value("extended.parameter_devices"))[0].string()))));
    EXPECT_EQ(recording->value("class")->elements()[0].string(), strategy->name());
    std::optional<Variable> made;
    {
      const auto scope = strategy->scope();
      made.emplace(constant<float>({1, 2}), Variable::Settings{.name = "v"});
    }
    const Variable& v = *made;
    EXPECT_EQ(print(v), recording->text("variable.repr")->string());
    is("variable", [&] { return v; });
    is("variable.device", [&] { return device::print(v.device()); });
    is("variable.name", [&] { return v.name(); });
    if (recording->value("variable.distribute_strategy is s") != nullptr)
      is("variable.distribute_strategy is s", [&] { return v.distribute_strategy() == strategy.get(); });
    is("variable_created_in_scope", [&] { return extended.variable_created_in_scope(v); });
    is("variable_created_in_scope, other",
       [&] { return extended.variable_created_in_scope(Variable(constant(1.f))); });
    if (strategy->traits().variables !=
        VariablePlacement::on_parameter_device)  // which answers with the variable
      is("non_slot_devices", [&] { return extended.non_slot_devices({v}); });
    is("read_var", [&] { return extended.read_var(v); });
  }
}

// ---- Scopes and variables

TEST(AP1_AP2, VariablesOfOneStrategyMeetTheScopesOfAnother) {
  for (const Recording* recording : family("scope_")) {
    if (recording->config("outer") == nullptr) continue;
    const auto first = strategy_named(recording->config("outer")->string());
    const std::string inner = recording->config("inner")->string();
    const auto second = inner == "same" ? first : strategy_named(inner);
    const auto one_more = [] {
      return constant(static_cast<std::int32_t>(get_replica_context()->replica_id_in_sync_group() + 1));
    };
    expect_recorded(*recording, "run of inner in scope of outer", [&] {
      const auto scope = first->scope();
      return second->run(one_more);
    });
    expect_recorded(*recording, "run of inner in run of outer",
                    [&] { return first->run([&] { return second->run([] { return constant(1.f); }); })[0]; });
    std::optional<Variable> v;
    {
      const auto scope = first->scope();
      v.emplace(constant(1.f), Variable::Settings{.name = "v"});
    }
    expect_recorded(*recording, "assign outer variable in inner scope", [&] {
      const auto scope = second->scope();
      v->assign(3.0);
      return v->read_value();
    });
    expect_recorded(*recording, "copies", [&] { return v->copies(); });
    expect_recorded(*recording, "assign outer variable in run of inner",
                    [&] { second->run([&] { v->assign(5.0); }); });
    expect_recorded(*recording, "copies after run", [&] { return v->copies(); });
    expect_recorded(*recording, "read outer variable in run of inner",
                    [&] { return second->run([&] { return EagerTensor(*v) + 1; }); });
    expect_recorded(*recording, "update outer variable by inner", [&] {
      const auto scope = second->scope();
      second->extended().update(*v, [](Variable& copy) { copy.assign_add(1.0); });
    });
    expect_recorded(*recording, "copies after update", [&] { return v->copies(); });
  }
}

TEST(AP2_G20, AVariableIsWhatThePlaceOfItsCreationMakesIt) {
  for (const Recording* recording : family("scope_variable_creation")) {
    const auto strategy = strategy_named("mirrored2");
    const auto is = [&](const std::string& key, const Variable& variable) {
      expect_recorded(*recording, key, [&] { return variable; });
    };
    const Variable out(constant(1.f), {.name = "out"});
    is("outside", out);
    {
      const auto scope = strategy->scope();
      is("scope", Variable(constant(1.f), {.name = "a"}));
      const auto device = current_eager().device("CPU:1");
      is("scope, device", Variable(constant(1.f), {.name = "b"}));
    }
    std::vector<Variable> kept;
    expect_recorded(*recording, "run", [&] {
      return strategy->run([&] {
        const double id = static_cast<double>(get_replica_context()->replica_id_in_sync_group());
        kept.push_back(Variable(constant(static_cast<float>(id)) + 5, {.name = "d"}));
        return kept.back().read_value();
      });
    });
    EXPECT_EQ(kept[0], kept[1]);
    for (std::size_t i = 0; i < kept.size(); ++i)
      expect_value("run/kept", Wanted{recording->value("run/kept")->elements()[i]}, kept[i]);
    expect_recorded(*recording, "outside variable in run",
                    [&] { return strategy->run([&] { return EagerTensor(out) + 1; }); });
    expect_recorded(*recording, "outside variable assigned in run", [&] {
      return strategy->run([&] {
        Variable same = out;
        same.assign_add(1.0);
        return same.value();
      });
    });
    is("outside then", out);
    expect_recorded(*recording, "update of outside variable",
                    [&] { strategy->extended().update(out, [](Variable& copy) { copy.assign_add(1.0); }); });
    is("outside at last", out);
    expect_recorded(*recording, "colocate other", [&] { strategy->extended().colocate_vars_with(out); });
    const auto scope = strategy->scope();
    const Variable a(constant(1.f), {.name = "a2"});
    strategy->extended().colocate_vars_with(a);
    is("colocated", Variable(constant(2.f), {.name = "slot"}));
    is("lambda initial", Variable([] { return constant<float>({0, 1, 2}); }, {.name = "lazy"}));
    is("from mirrored", Variable(a, {.name = "from_a"}));
    expect_recorded(*recording, "per replica initial", [&] {
      return Variable(DistributedValues<EagerTensor>({constant(1.f), constant(2.f)}), {.name = "per"});
    });
  }
}

// ---- Losses

TEST(L1_L2_L3_L4_L14, LossesAreAveragedAsWasRecorded) {
  for (const Recording* recording : family("loss_helpers"))
    for (const std::string kind : {"mirrored2", "central2", "one1", "default"}) {
      const auto strategy = strategy_named(kind);
      const auto id = [] { return get_replica_context()->replica_id_in_sync_group(); };
      const auto losses = [&] {
        return constant<float>({2, 3}) + (in_cross_replica_context() ? 0 : 2 * static_cast<double>(id()));
      };
      const auto sized = [](const EagerTensor& loss, std::int32_t size) {
        return compute_average_loss(loss, size);
      };
      const auto is = [&](const std::string& key, const std::function<EagerTensor()>& body) {
        expect_recorded(*recording, kind + "/" + key, [&] { return strategy->run(body); });
      };
      const auto everywhere = [&](const std::string& key, const std::function<EagerTensor()>& body) {
        is(key, body);
        is("function/" + key, body);
        expect_recorded(*recording, kind + "/scope/" + key, [&] {
          const auto scope = strategy->scope();
          return body();
        });
      };
      is("global 4", [&] { return sized(losses(), 4); });
      everywhere("no size", [&] { return compute_average_loss(losses()); });
      const EagerTensor four = constant<std::int32_t>(4);
      is("weights", [&] {
        return compute_average_loss(losses(),
                                    {.sample_weight = constant<float>({1, 0.5f}), .global_batch_size = four});
      });
      is("scalar weight", [&] {
        return compute_average_loss(losses(), {.sample_weight = constant(0.5f), .global_batch_size = four});
      });
      is("size 0", [&] { return sized(losses(), 0); });
      is("size negative", [&] { return sized(losses(), -1); });
      is("size float", [&] { return compute_average_loss(losses(), {.global_batch_size = constant(4.f)}); });
      is("size tensor", [&] { return compute_average_loss(losses(), {.global_batch_size = four}); });
      is("size list",
         [&] { return compute_average_loss(losses(), {.global_batch_size = constant<std::int32_t>({4})}); });
      is("empty", [&] { return compute_average_loss(zeros({0})); });
      is("scalar loss", [&] { return compute_average_loss(constant(1.f)); });
      is("matrix", [&] { return sized(ones({2, 3}), 4); });
      is("ints", [&] { return sized(constant<std::int32_t>({1, 2}), 4); });
      is("half", [&] { return sized(cast(constant<float>({1, 2}), Type::float16), 3); });
      is("double", [&] { return sized(constant<double>({1, 2}), 3); });
      is("uneven", [&] { return compute_average_loss(ones({id() + 1})); });
      is("function/uneven", [&] { return compute_average_loss(ones({id() + 1})); });
      is("weights shape", [&] {
        return compute_average_loss(losses(),
                                    {.sample_weight = constant<float>({1, 2, 3}), .global_batch_size = four});
      });
      everywhere("regularization", [&] { return scale_regularization_loss(constant<float>({1, 2})); });
      is("regularization scalar", [&] { return scale_regularization_loss(constant(3.f)); });
      is("reciprocal", [&] { return reduce_sum(losses()) * 0.25; });
      expect_recorded(*recording, kind + "/reduced", [&] {
        return strategy->reduce(ReduceOp::sum, strategy->run([&] { return sized(losses(), 4); }));
      });
    }
}

}  // namespace
}  // namespace wt::test
