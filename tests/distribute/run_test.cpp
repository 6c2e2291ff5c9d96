// Claims: run calls a function on each replica with its own part of the arguments, in TensorFlow's order and contexts;
// replicas meet in merge_call, and what TensorFlow refuses is refused with its words.

#include <gtest/gtest.h>

#include <thread>

#include "distribute/recorded.h"

namespace wt::test {
namespace {

using namespace train;

std::int64_t number() { return get_replica_context()->replica_id_in_sync_group(); }

// ---- Contexts

// What the recorded programs note of where they are, as one line.
std::string line(const std::string& strategy, bool has_strategy, bool is_cross_replica,
                 const std::string& replica) {
  return fmt::format("{}{}{} {}", strategy, has_strategy ? "" : ", the default",
                     is_cross_replica ? ", cross-replica" : "", replica);
}

std::string here() {
  std::string replica;
  if (const auto context = get_replica_context())
    replica = fmt::format("replica {} of {} on {}", context->replica_id_in_sync_group(),
                          context->num_replicas_in_sync(), context->devices().at(0));
  return line(get_strategy().name(), has_strategy(), in_cross_replica_context(), replica);
}

// The recorded programs print each device of a replica as a list: "['CPU:0']".
std::string without_brackets(const std::string& devices) {
  return devices.starts_with('[') ? devices.substr(2, devices.size() - 4) : devices;
}

std::string here_of(const json::Value& value) {
  std::string replica;
  if (value.find("replica_id")->kind() != json::Kind::null)
    replica = fmt::format("replica {} of {} on {}", value.find("replica_id")->string(),
                          value.find("in_sync")->integer(),
                          without_brackets(items(*value.find("devices")).at(0).string()));
  return line(value.find("strategy")->string(), value.find("has_strategy")->boolean(),
              value.find("cross_replica")->boolean(), replica);
}

// What is traced has no number of its replica.
bool is_symbolic(const json::Value& value) {
  return value.find("replica_id")->kind() == json::Kind::string &&
         value.find("replica_id")->string() == "symbolic";
}

TEST(AP1_AP3_AP4, ContextsAreWhatWasRecorded) {
  for (const Recording* recording : family("contexts_")) {
    const auto made = strategy_named(recording->config("strategy")->string());
    const Strategy& strategy = *made;
    std::map<std::string, std::vector<std::string>> seen;
    const auto note = [&](const std::string& place) { seen[place].push_back(here()); };
    note("outside before");
    std::optional<Variable> v;
    {
      const auto scope = strategy.scope();
      note("scope");
      v.emplace(constant(1.f), Variable::Settings{.name = "v"});
      {
        const auto device = current_eager().device("CPU:0");
        note("scope, device");
      }
      std::thread([&] { note("scope, new thread"); }).join();
      strategy.extended().update(*v, [&](Variable&) { note("scope, update"); });
    }
    note("outside after");
    expect_recorded(*recording, "run", [&] {
      return strategy.run([&] {
        note("run");
        context().merge_call([&](const Strategy&) { note("run, merge_call"); });
        note("run, after merge_call");
        return replica_id() * 10;
      });
    });
    strategy.extended().update(*v, [&](Variable&) { note("update outside"); });
    note("outside at the end");
    for (const auto& [place, found] : seen) {
      const json::Value* wanted = recording->value("places")->find(place);
      ASSERT_NE(wanted, nullptr) << recording->id << " " << place;
      ASSERT_EQ(items(*wanted).size(), found.size()) << recording->id << " " << place;
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (is_symbolic(items(*wanted)[i])) continue;
        EXPECT_EQ(found[i], here_of(items(*wanted)[i])) << recording->id << " " << place;
      }
    }
  }
}

TEST(AP1_AP2, ScopesAreWhereWasRecorded) {
  for (const Recording* recording : family("scope_")) {
    if (recording->config("outer") == nullptr) continue;
    const auto first = strategy_named(recording->config("outer")->string());
    const std::string inner = recording->config("inner")->string();
    const auto second = inner == "same" ? first : strategy_named(inner);
    // A place as it was noted, or the name of the strategy there.
    const auto is = [&](const std::string& key, const std::function<std::string()>& call) {
      const json::Value* wanted = recording->value(key);
      const bool is_place = wanted != nullptr && wanted->kind() == json::Kind::object;
      if (!is_place) return expect_recorded(*recording, key, call);
      EXPECT_EQ(call(), here_of(*wanted)) << recording->id << " " << key;
      compared()[recording].insert(key);
    };
    is("nested", [&] {
      const auto scope = first->scope();
      const auto further = second->scope();
      return here();
    });
    is("after", here);
    is("one after the other", [&] {
      { const auto scope = first->scope(); }
      const auto scope = second->scope();
      return here();
    });
    is("scope in run", [&] {
      return first->run([&] {
        const auto scope = second->scope();
        return get_strategy().name();
      })[0];
    });
    is("after run", here);
    is("after run in run", here);
  }
}

TEST(AP1, AScopeMayBeEnteredTwice) {
  for (const Recording* recording : family("scope_left_twice")) {
    const auto strategy = strategy_named("mirrored2");
    {
      const auto scope = strategy->scope();
      const auto again = strategy->scope();
      EXPECT_EQ(here(), here_of(*recording->value("same object nested")));
    }
    EXPECT_EQ(here(), here_of(*recording->value("after")));
    for (const char* key : {"same object nested", "after"}) compared()[recording].insert(key);
  }
}

TEST(AP1_AP3, SetStrategyLastsUntilItIsTakenBack) {
  for (const Recording* recording : family("scope_set_strategy")) {
    const auto two = strategy_named("mirrored2"), one = strategy_named("one1");
    const auto stands = [&](const std::string& key) {
      EXPECT_EQ(here(), here_of(*recording->value(key))) << key;
    };
    experimental_set_strategy(two.get());
    stands("after set");
    const Variable v(constant(1.f), {.name = "v"});
    expect_recorded(*recording, "variable", [&] { return v; });
    expect_recorded(*recording, "run",
                    [&] { return get_strategy().run([&] { return EagerTensor(v) * 2; }); });
    experimental_set_strategy(one.get());
    stands("after other");
    expect_recorded(*recording, "variable 2", [] { return Variable(constant(2.f), {.name = "w"}); });
    experimental_set_strategy(nullptr);
    stands("after none");
    expect_recorded(*recording, "variable 3", [] { return Variable(constant(3.f), {.name = "u"}); });
    expect_recorded(*recording, "inside a scope", [&] {
      const auto scope = two->scope();
      experimental_set_strategy(one.get());
    });
  }
}

// ---- Arguments and results

TEST(AP6_AP7_AP11, EachReplicaIsGivenItsPartOfTheArguments) {
  for (const Recording* recording : family("run_args_")) {
    const std::string kind = recording->config("strategy")->string();
    const auto strategy = strategy_named(kind);
    const auto sees = [&](const std::string& key, const auto& show, const auto&... arguments) {
      strategy->run(show, arguments...);
      compared()[recording].insert(key + "/seen");
    };
    const auto seen = [&](const std::string& key, std::size_t replica) -> const json::Value& {
      return items(*items(*recording->value(key + "/seen"))[replica].find("args")).front();
    };
    const EagerTensor tensor = constant<float>({1, 2});
    sees(
        "tensor", [&](const EagerTensor& x) { expect_value("tensor", Wanted{seen("tensor", number())}, x); },
        tensor);
    if (recording->value("per replica/seen") == nullptr) continue;
    const auto own =
        strategy->experimental_distribute_values_from_function([](const ReplicaContext& context) {
          return constant(static_cast<float>(context.replica_id_in_sync_group() + 1));
        });
    sees(
        "per replica", [&](const EagerTensor& x) { EXPECT_EQ(x.numbers.values<float>()[0], number() + 1); },
        own);
    using Inner = std::map<std::string, DistributedValues<EagerTensor>>;
    sees(
        "per replica nested",
        [&](const std::pair<EagerTensor, std::map<std::string, EagerTensor>>& x, int seven) {
          EXPECT_EQ(x.first.numbers.values<float>()[0], number() + 1);
          EXPECT_EQ(x.second.at("k").numbers.values<float>()[0], number() + 1);
          EXPECT_EQ(seven, 7);
        },
        std::pair(own, Inner{{"k", own}}), 7);
    std::optional<Variable> v;
    {
      const auto scope = strategy->scope();
      v.emplace(constant(3.f), Variable::Settings{.name = "v"});
    }
    expect_recorded(*recording, "variable",
                    [&] { return strategy->run([](const Variable& x) { return x.read_value(); }, *v); });
    expect_recorded(*recording, "options",
                    [&] { return strategy->run([] { return constant<std::int32_t>(1); }); });
    expect_recorded(*recording, "in function",
                    [&] { return strategy->run([](const EagerTensor& x) { return x * 2; }, constant(4.f)); });
  }
}

TEST(AP7_AP10, ResultsAreOneForEachReplica) {
  for (const Recording* recording : family("run_results_")) {
    const auto strategy = strategy_named(recording->config("strategy")->string());
    std::optional<Variable> v;
    {
      const auto scope = strategy->scope();
      v.emplace(constant(1.f), Variable::Settings{.name = "v"});
    }
    const EagerTensor shared = constant<float>({9});
    const auto returns = [&](const std::string& key, const auto& body) {
      expect_recorded(*recording, key, [&] { return strategy->run(body); });
    };
    returns("none", [] {});
    returns("python int", [] { return 3; });
    returns("string", [] { return std::string("abc"); });
    returns("tensor", [] { return constant(1.f); });
    returns("same tensor", [&] { return shared; });
    returns("differing", [] { return cast(replica_id(), Type::float32) * 2; });
    returns("dict", [&] { return std::map<std::string, EagerTensor>{{"b", replica_id()}, {"a", shared}}; });
    returns("slices", [] {
      return IndexedSlices{constant<float>({1}, {1, 1}), constant<std::int32_t>({0}), Shape{2, 1}};
    });
    returns("uneven", [] { return zeros({number() + 1, 2}); });
    returns("variable", [&] { return *v; });
  }
}

TEST(AP10_AP11, ValuesAreMadeForEachReplica) {
  for (const Recording* recording : family("local_results_and_values"))
    for (const std::string kind : {"mirrored3", "mirrored1", "central2", "one1"}) {
      const auto strategy = strategy_named(kind);
      const auto value = [](const ReplicaContext& context) {
        return EagerTensor{
            Tensor::of<float>({1}, {2.f * static_cast<float>(context.replica_id_in_sync_group())}),
            device::canonical({})};
      };
      expect_recorded(*recording, kind + "/values",
                      [&] { return strategy->experimental_distribute_values_from_function(value); });
      const auto values = strategy->experimental_distribute_values_from_function(value);
      expect_recorded(*recording, kind + "/local/values", [&] { return experimental_local_results(values); });
      const auto scope = strategy->scope();
      expect_recorded(*recording, kind + "/in scope",
                      [&] { return strategy->experimental_distribute_values_from_function(value); });
      expect_recorded(*recording, kind + "/from function/uneven", [&] {
        return strategy->experimental_distribute_values_from_function([](const ReplicaContext& context) {
          const EagerTensor made = zeros({context.replica_id_in_sync_group()});
          return EagerTensor{made.numbers, device::canonical({})};
        });
      });
    }
}

// ---- Order and meetings

TEST(AP4_AP7, ReplicasRunInTheRecordedOrder) {
  for (const Recording* recording : family("run_order_and_exceptions")) {
    const auto strategy = strategy_named("mirrored3");
    std::vector<std::string> log;
    const auto did = [&](std::string_view what) { log.push_back(fmt::format("{} {}", what, number())); };
    strategy->run([&] {
      did("start");
      context().merge_call([&](const Strategy&) { log.push_back("merge 1"); });
      did("middle");
      context().merge_call([&](const Strategy&) { log.push_back("merge 2"); });
      did("end");
    });
    expect_recorded(*recording, "order", [&] { return log; });
    for (int bad = 0; bad < 3; ++bad) {
      const std::string key = fmt::format("exception in replica {}", bad);
      log.clear();
      expect_recorded(*recording, key, [&] {
        return strategy->run([&] {
          did("start");
          if (number() == bad) throw device::ValueError(fmt::format("replica {} is unwell", bad));
          did("end");
          return 0;
        });
      });
      expect_recorded(*recording, key + "/log", [&] { return log; });
      log.clear();
      EXPECT_THROW(strategy->run([&] {
        context().merge_call([&](const Strategy&) { log.push_back("merged"); });
        did("after");
        if (number() == bad) throw bad;
      }),
                   int);
      expect_recorded(*recording, fmt::format("exception after merge in replica {}/log", bad),
                      [&] { return log; });
    }
    EXPECT_THROW(
        strategy->run([&] { context().merge_call([](const Strategy&) { throw std::string("fails"); }); }),
        std::string);
    expect_recorded(*recording, "still works",
                    [&] { return strategy->run([] { return replica_id() + 1; }); });
    const auto main = std::this_thread::get_id();
    strategy->run([&] { EXPECT_NE(std::this_thread::get_id(), main); });
  }
}

TEST(AP4_AP7, MergeCallRefusesWhatWasRecorded) {
  for (const Recording* recording : family("run_merge_call_refusals")) {
    const auto strategy = strategy_named("mirrored2");
    const auto nothing = [](const Strategy&) {};
    for (const int only : {0, 1})
      expect_recorded(*recording, fmt::format("replica {} only", only), [&] {
        strategy->run([&] {
          if (number() == only) context().merge_call(nothing);
        });
      });
    std::vector<ReplicaContext> kept;
    strategy->run([&] { kept.push_back(context()); });
    expect_recorded(*recording, "stale context", [&] { kept[0].merge_call(nothing); });
    expect_recorded(*recording, "stale all_reduce",
                    [&] { kept[0].all_reduce(ReduceOp::sum, constant(1.f)); });
    {
      const auto scope = strategy->scope();
      expect_recorded(*recording, "stale in scope", [&] { kept[0].merge_call(nothing); });
    }
    expect_recorded(*recording, "merge in merge", [&] {
      strategy->run([&] {
        const ReplicaContext own = context();
        own.merge_call([&](const Strategy&) { own.merge_call(nothing); });
      });
    });
    expect_recorded(*recording, "run in merge", [&] {
      return strategy->run([&] {
        return context().merge_call(
            [](const Strategy& own) { return own.run([] { return replica_id() + 5; }); });
      });
    });
    const auto reduces = [] { return context().all_reduce(ReduceOp::sum, constant(1.f)); };
    expect_recorded(*recording, "nested function", [&] {
      return strategy->run([&] {
        const InsideFunction function;
        return reduces();
      });
    });
    expect_recorded(*recording, "function around run", [&] {
      const InsideFunction function;
      return strategy->run(
          [&] { return context().merge_call([](const Strategy&) { return constant(3.f); }); })[0];
    });
    expect_recorded(*recording, "control flow, eager", [&] {
      return strategy->run([] { return context().all_reduce(ReduceOp::sum, constant(1.f)); });
    });
    expect_recorded(*recording, "results split", [&] {
      return strategy->run([&] {
        return context().merge_call(
            [](const Strategy&, const DistributedValues<EagerTensor>& each) { return each; },
            replica_id() + 1);
      });
    });
    expect_recorded(*recording, "default context", [&] {
      return context().merge_call(
          [](const Strategy& own, const DistributedValues<EagerTensor>& x) {
            return std::tuple(own.name(), in_cross_replica_context(), x[0]);
          },
          constant(2.f));
    });
  }
}

}  // namespace
}  // namespace wt::test
