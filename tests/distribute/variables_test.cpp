// Claims: variables under every strategy, synchronization, aggregation and context hold what TensorFlow was recorded to
// hold, and refuse what it refuses.

#include <gtest/gtest.h>

#include "distribute/recorded.h"

namespace wt::test {
namespace {

using namespace train;

template <class T>
T named(const json::Value& value, std::initializer_list<std::pair<std::string_view, T>> names) {
  for (const auto& [name, meant] : names)
    if (value.string() == name) return meant;
  ADD_FAILURE() << value.string();
  return {};
}

Synchronization synchronization_of(const Recording& recording) {
  return named<Synchronization>(*recording.config("synchronization"),
                                {{"AUTO", Synchronization::automatic},
                                 {"NONE", Synchronization::none},
                                 {"ON_WRITE", Synchronization::on_write},
                                 {"ON_READ", Synchronization::on_read}});
}

Aggregation aggregation_of(const Recording& recording) {
  return named<Aggregation>(*recording.config("aggregation"),
                            {{"NONE", Aggregation::none},
                             {"SUM", Aggregation::sum},
                             {"MEAN", Aggregation::mean},
                             {"ONLY_FIRST_REPLICA", Aggregation::only_first_replica}});
}

EagerTensor base(Type type) { return cast(constant<float>({1, 2, 3}), type); }
EagerTensor here(Type type) {
  return base(type) * static_cast<double>(get_replica_context()->replica_id_in_sync_group() + 1);
}

void expect_copies(const Recording& recording, const std::string& key, const Variable& variable) {
  const json::Value* wanted = recording.value(key);
  ASSERT_NE(wanted, nullptr) << recording.id << " " << key;
  compared()[&recording].insert(key);
  const auto copies = variable.copies();
  ASSERT_EQ(wanted->elements().size(), copies.size()) << recording.id << " " << key;
  for (std::size_t i = 0; i < copies.size(); ++i)
    expect_value(recording.id + " " + key, Wanted{wanted->elements()[i]}, copies[i].value());
}

// A variable in every place where a program can assign it and read it.
struct Case {
  const Recording& recording;
  const Strategy& strategy;
  Type type;

  void change(Variable& v, const std::string& op, const Operand& value) const {
    if (op == "assign") v.assign(value);
    if (op == "assign_add") v.assign_add(value);
    if (op == "assign_sub") v.assign_sub(value);
  }

  void reads(const std::string& tag, const Variable& v) const {
    expect_recorded(recording, tag + "/read in scope", [&] {
      const auto scope = strategy.scope();
      return identity(v);
    });
    expect_recorded(recording, tag + "/read outside", [&] { return v.read_value(); });
    expect_recorded(recording, tag + "/read in replica",
                    [&] { return strategy.run([&] { return identity(v); }); });
  }

  void assigned(const std::string& op, const std::string& where, Variable v) const {
    const bool differs = where.find("differ") != where.npos;
    const auto step = [&] {
      change(v, op, differs ? here(type) : base(type));
      return identity(v);
    };
    const std::string tag = op + "/" + where;
    if (where.find("replica") != where.npos && where.find("scope") == where.npos) {
      expect_recorded(recording, tag, [&] { return strategy.run(step); });
    } else {
      expect_recorded(recording, tag, [&] {
        if (where == "outside") {
          change(v, op, base(type));
        } else if (where == "update") {
          const auto scope = strategy.scope();
          strategy.extended().update(v, [&](Variable& copy) { change(copy, op, base(type)); });
        } else if (where == "scope, per replica value") {
          const auto values =
              strategy.experimental_distribute_values_from_function([&](const ReplicaContext& context) {
                return base(type) * static_cast<double>(context.replica_id_in_sync_group() + 1);
              });
          const auto scope = strategy.scope();
          change(v, op, values);
        } else {
          const auto scope = strategy.scope();
          change(v, op, base(type));
        }
        return 0;
      });
    }
    // A tf.function that is refused while it is traced has changed nothing; what isn't traced has.
    if (where == "function in scope" && recording.error(tag) != nullptr) return;
    expect_copies(recording, tag + "/copies", v);
    if (recording.value(tag + "/read outside") != nullptr ||
        recording.error(tag + "/read outside") != nullptr)
      reads(tag, v);
  }
};

TEST(G20_L12_L13_AP2, VariablesHoldWhatWasRecorded) {
  for (const Recording* recording : family("variable_")) {
    if (recording->config("synchronization") == nullptr) continue;  // refusals of creation
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const Type type = type_named(recording->config("dtype")->string()).value();
    const auto fresh = [&] {
      const auto scope = strategy->scope();
      return Variable(cast(constant<float>({10, 20, 30}), type),
                      {.name = "v",
                       .trainable = false,
                       .synchronization = synchronization_of(*recording),
                       .aggregation = aggregation_of(*recording)});
    };
    expect_recorded(*recording, "create", fresh);
    if (recording->value("create") == nullptr) continue;
    const Variable v = fresh();
    EXPECT_EQ(print(v), recording->text("created.str")->string());
    const json::Value& fields = *recording->value("fields");
    EXPECT_EQ(fields.find("name")->string(), v.name());
    EXPECT_EQ(fields.find("synchronization")->string(), python_name(v.synchronization())) << recording->id;
    EXPECT_EQ(fields.find("aggregation")->string(), python_name(v.aggregation()));
    EXPECT_EQ(fields.find("trainable")->boolean(), v.trainable());
    const Case each{*recording, *strategy, type};
    each.reads("create", v);
    for (const char* op : {"assign", "assign_add", "assign_sub"})
      for (const char* where :
           {"scope", "outside", "function in scope", "scope, per replica value", "replica", "replica, differ",
            "function, replica", "function, replica, differ", "update"})
        if (recording->value(std::string(op) + "/" + where + "/copies") != nullptr)
          each.assigned(op, where, fresh());
  }
}

// TensorFlow 2.21 was asked for these: a number is one object on all replicas.
TEST(G20, ANumberIsNotAddedUpOverReplicas) {
  for (const std::string kind : {"mirrored2", "central2"}) {
    const auto strategy = strategy_named(kind);
    const auto changed = [&](Aggregation aggregation) {
      const auto scope = strategy->scope();
      Variable v(constant(1.f), {.aggregation = aggregation});
      strategy->run([&] { v.assign_add(1.0); });
      return item(v.read_value());
    };
    EXPECT_EQ(changed(Aggregation::mean), 2) << kind;
    EXPECT_EQ(changed(Aggregation::only_first_replica), 2) << kind;
    try {
      changed(Aggregation::sum);
      ADD_FAILURE() << kind;
    } catch (const device::ValueError& error) {
      EXPECT_STREQ(
          error.what(),
          "A non-DistributedValues value 1.0 cannot be reduced with the given reduce op ReduceOp.SUM.");
    }
  }
}

// ---- Scatter

IndexedSlices slices(double factor) {
  return {constant<float>({2, 5}) * factor, constant<std::int32_t>({0, 2})};
}

double own_factor() { return static_cast<double>(get_replica_context()->replica_id_in_sync_group() + 1); }

using Scatter = void (Variable::*)(const Operand& slices);
const std::vector<std::pair<std::string, Scatter>> scatters{
    {"scatter_add", &Variable::scatter_add},       {"scatter_sub", &Variable::scatter_sub},
    {"scatter_mul", &Variable::scatter_mul},       {"scatter_div", &Variable::scatter_div},
    {"scatter_min", &Variable::scatter_min},       {"scatter_max", &Variable::scatter_max},
    {"scatter_update", &Variable::scatter_update}, {"batch_scatter_update", &Variable::batch_scatter_update}};

TEST(G20, ScatterDoesWhatWasRecorded) {
  for (const Recording* recording : family("scatter_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const auto fresh = [&] {
      const auto scope = strategy->scope();
      return Variable(constant<float>({10, 20, 30, 40}), {.trainable = false,
                                                          .synchronization = synchronization_of(*recording),
                                                          .aggregation = aggregation_of(*recording)});
    };
    const auto compare = [&](const std::string& key, const std::function<void(Variable&)>& call) {
      Variable v = fresh();
      expect_recorded(*recording, key, [&] { call(v); });
      expect_copies(*recording, key + "/copies", v);
    };
    for (const auto& [name, scatter] : scatters) {
      const auto in_replica = [&, scatter = scatter](Variable& v) {
        strategy->run([&] { (v.*scatter)(slices(own_factor())); });
      };
      compare(name + "/replica", in_replica);
      compare(name + "/function, replica", in_replica);
      compare(name + "/scope", [&, scatter = scatter](Variable& v) {
        const auto scope = strategy->scope();
        (v.*scatter)(slices(1));
      });
      // Inside of an update each copy is a plain variable.
      compare(name + "/update", [&, scatter = scatter](Variable& v) {
        strategy->extended().update(v, [&](Variable& copy) { (copy.*scatter)(slices(1)); });
      });
    }
    const EagerTensor at_1 = {Tensor::of<std::int32_t>({1, 1}, {1})};
    const auto everywhere = [&](const std::string& name, const std::function<void(Variable&)>& call) {
      Variable v = fresh();
      expect_recorded(*recording, name + "/replica", [&] { strategy->run([&] { call(v); }); });
      expect_copies(*recording, name + "/replica/copies", v);
      expect_recorded(*recording, name + "/outside", [&] { call(v); });
      expect_copies(*recording, name + "/outside/copies", v);
    };
    everywhere("scatter_nd_update", [&](Variable& v) { v.scatter_nd_update(at_1, constant<float>({1})); });
    everywhere("slice assign", [&](Variable& v) { v.assign_rows(1, 3, constant<float>({7, 8})); });
    everywhere("scatter_nd_add", [&](Variable& v) { v.scatter_nd_add(at_1, constant<float>({1})); });
    const auto reads = [&](const std::string& name, const std::function<EagerTensor(const Variable&)>& call) {
      const Variable v = fresh();
      expect_recorded(*recording, name + "/replica", [&] { return strategy->run([&] { return call(v); }); });
      expect_recorded(*recording, name + "/outside", [&] { return call(v); });
    };
    reads("sparse_read", [](const Variable& v) { return v.sparse_read(constant<std::int32_t>({0, 2})); });
    reads("gather_nd", [&](const Variable& v) { return v.gather_nd(at_1); });
    reads("tf.gather", [](const Variable& v) { return gather(v, constant<std::int32_t>({3, 0})); });
  }
}

// ---- Printing, creation

TEST(G20, VariablesPrintAsWasRecorded) {
  for (const Recording* recording : family("print_variables_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    const auto scope = strategy->scope();
    const auto prints = [&](const std::string& key, const EagerTensor& initial,
                            const Variable::Settings& settings) {
      const Variable made(initial, settings);
      EXPECT_EQ(print(made), recording->text(key + ".repr")->string());
      compared()[recording].insert(key);
      return made;
    };
    prints("scalar", constant(1.5f), {.name = "scalar"});
    prints("int", constant<std::int32_t>({1, 2, 3}), {.name = "count"});
    prints("matrix", constant<float>({1, 2, 3, 4}, {2, 2}), {.name = "outer/kernel"});
    prints("no name", constant(0.f), {});
    prints("bool", constant(Tensor::of<bool>({}, {true})), {.name = "b"});
    prints("name scope", constant(2.f), {.name = "block/w"});
    prints("same name", constant(3.f), {.name = "scalar"});
    const Variable total = prints("on read", constant<float>({1, 2}),
                                  {.name = "total",
                                   .trainable = false,
                                   .synchronization = Synchronization::on_read,
                                   .aggregation = Aggregation::sum});
    EXPECT_EQ(print(total), recording->text("on read outside.repr")->string());
    strategy->run([&] { EXPECT_EQ(print(total), recording->text("on read.repr")->string()); });
  }
}

TEST(AP2_G20_ST7, AnInitialValueIsComputedOnce) {
  for (const Recording* recording : family("initial_values_random"))
    for (const std::string kind : {"mirrored3", "central3", "one1"}) {
      const auto strategy = strategy_named(kind);
      int count = 0;
      const auto initial = [&] { return constant<float>({static_cast<float>(++count), 0}); };
      const auto scope = strategy->scope();
      const Variable v(initial, {.name = "v"});
      expect_recorded(*recording, kind + "/calls", [&] { return count; });
      expect_recorded(*recording, kind + "/copies", [&] { return v.copies(); });
      count = 0;
      const Variable total(
          initial,
          {.trainable = false, .synchronization = Synchronization::on_read, .aggregation = Aggregation::sum});
      expect_recorded(*recording, kind + "/on read calls", [&] { return count; });
      expect_recorded(*recording, kind + "/on read", [&] { return total.read_value(); });
    }
}

TEST(G20, CreationRefusesWhatWasRecorded) {
  for (const Recording* recording : family("variable_creation_refusals"))
    for (const std::string kind : {"mirrored2", "central2", "one1", "default"}) {
      const auto strategy = strategy_named(kind);
      const auto creates = [&](const std::string& key, const EagerTensor& initial,
                               const Variable::Settings& settings) {
        const std::string at = kind + "/" + key;
        compared()[recording].insert(at);
        try {
          const auto scope = strategy->scope();
          const Variable made(initial, settings);
          const json::Value* wanted = recording->value(at);
          ASSERT_NE(wanted, nullptr) << at << ": " << recording->error(at)->find("sentence")->string();
          EXPECT_EQ(items(*wanted)[1].boolean(), made.trainable()) << at;
          EXPECT_EQ(items(*wanted)[2].string(), python_name(made.synchronization())) << at;
          EXPECT_EQ(items(*wanted)[3].string(), python_name(made.aggregation())) << at;
        } catch (const device::ValueError& error) {
          expect_error(*recording, at, "ValueError", error.what());
        }
      };
      constexpr auto on_read = Synchronization::on_read;
      const EagerTensor one = constant<std::int32_t>(1), real = constant(1.f);
      creates("mean of int", one, {.aggregation = Aggregation::mean});
      creates("mean of bool", constant(Tensor::of<bool>({}, {true})), {.aggregation = Aggregation::mean});
      creates("mean of int on read", one, {.synchronization = on_read, .aggregation = Aggregation::mean});
      creates("on read trainable", real,
              {.trainable = true, .synchronization = on_read, .aggregation = Aggregation::sum});
      creates("on read default trainable", real,
              {.synchronization = on_read, .aggregation = Aggregation::sum});
      creates("shape differs", constant<float>({1, 2}), {.shape = Shape{3}});
    }
}

}  // namespace
}  // namespace wt::test
