// Claim: scenarios/schema/scenario.json says what the parser does. It is walked key by key: a smallest
// scenario with the key is accepted by both, one with null or a number below the range by neither, and where
// the key is left out the parser's value is the schema's default.

#include "scenario/schema.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "base/json_reader.h"
#include "scenario/golden.h"
#include "scenario/parse.h"
#include "scenario/resolved.h"
#include "scenario/schema_check.h"

namespace wt::scenario {
namespace {

namespace fs = std::filesystem;
using json::Value;
using Path = std::vector<std::string>;

Value tree_of(const std::string& text) { return json::parse(text, "test.json"); }

bool parses(const Value& tree) {
  try {
    parse(print(tree), "test.json");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::string dotted(const Path& path) {
  std::string text;
  for (const std::string& step : path) text += (text.empty() ? "" : ".") + step;
  return text;
}

Path below(Path path, const std::string& key) {
  path.push_back(key);
  return path;
}

const Value* at(const Value& tree, const Path& path) {
  const Value* found = &tree;
  for (const std::string& step : path) {
    if (found != nullptr) found = found->kind() == json::Kind::object ? found->find(step) : nullptr;
  }
  return found;
}

struct Prerequisite {
  std::string key{};
  std::string other{};
  std::string value{};
};
const std::vector<Prerequisite> prerequisites{
    {"strategy.num_packs", "cross_device_ops", R"("nccl")"},
    {"strategy.reduce_to_device", "cross_device_ops", R"("reduction_to_one_device")"},
    {"strategy.bucket_cap", "overlap", "true"},
};

class Schema : public testing::Test {
 protected:
  // An object whose keys are all known, somewhere in a scenario.
  struct Object {
    const Value* schema = nullptr;
    Path path{};
    std::vector<const Value*> around{};  // the objects that it stands in, from the outermost
  };

  Schema() : root_(tree_of(schema())), check_(root_) { collect(root_, {}, {}); }

  void collect(const Value& object, const Path& path, std::vector<const Value*> around) {
    objects_.push_back({&object, path, around});
    around.push_back(&object);
    for (const json::Member& property : object.find("properties")->members()) {
      const Value& found = check_.resolve(property.value);
      const Value* alternatives = found.find("anyOf");
      if (is_closed(found)) collect(found, below(path, property.key), around);
      if (alternatives == nullptr) continue;
      for (const Value& alternative : alternatives->elements()) {
        if (is_closed(alternative)) collect(alternative, below(path, property.key), around);
      }
    }
  }

  static bool is_closed(const Value& schema) {
    return schema.find("properties") != nullptr && schema.find("additionalProperties") != nullptr;
  }

  // Some value that the schema allows; of objects the smallest, with one more key if it is named.
  std::string sample(const Value& given, const std::string& with = {}) const {
    const Value& schema = check_.resolve(given);
    for (const char* word : {"default", "const"}) {
      if (schema.find(word) != nullptr) return print(*schema.find(word));
    }
    if (const Value* examples = schema.find("examples")) return print(examples->elements().front());
    if (const Value* known = schema.find("enum")) return print(known->elements().front());
    if (const Value* alternatives = schema.find("anyOf")) return sample(alternatives->elements().front());
    const Value* type = schema.find("type");
    const std::string name =
        type->kind() == json::Kind::array ? type->elements().front().string() : type->string();
    if (name == "object" && schema.find("properties") != nullptr) return sample_object(schema, with);
    if (name == "object") return "{}";
    if (name == "array")
      return schema.find("minItems") == nullptr ? "[]" : "[" + sample(*schema.find("items")) + "]";
    if (name == "string") return "\"text\"";
    if (name == "boolean") return "true";
    return schema.find("minimum") == nullptr ? "1" : print(*schema.find("minimum"));
  }

  std::string sample_object(const Value& schema, const std::string& with) const {
    std::vector<std::string> keys;
    if (const Value* required = schema.find("required")) {
      for (const Value& key : required->elements()) keys.push_back(key.string());
    }
    if (const Value* one = schema.find("oneOf")) {
      const auto names = [&](const Value& rule) { return rule.find("required")->elements()[0].string(); };
      const bool is_there = std::any_of(one->elements().begin(), one->elements().end(),
                                        [&](const Value& rule) { return names(rule) == with; });
      if (!is_there) keys.push_back(names(one->elements().front()));
    }
    if (!with.empty() && std::find(keys.begin(), keys.end(), with) == keys.end()) keys.push_back(with);
    std::string text;
    for (const std::string& key : keys) {
      const Value* property = schema.find("properties")->find(key);
      text += (text.empty() ? "" : ",") + json::quote(key) + ":" + sample(*property);
    }
    return "{" + text + "}";
  }

  static bool reads_columns(const Value& dataset) {
    const Value* type = dataset.find("type");
    return type != nullptr && (type->string() == "csv" || type->string() == "tfrecord");
  }

  // A small scenario that has this object, and in it this key.
  Value scenario_with(const Object& object, const std::string& key = {}) const {
    Value tree = tree_of(
        R"({"name": "n", "model": "linear", "dataset": {"type": "synthetic", "rows": 1},
            "training": {"loss": "mse", "optimizer": "sgd", "global_batch": 1}})");
    const std::string path = dotted(below(object.path, key));
    if (object.path.empty()) {
      if (!key.empty() && at(tree, {key}) == nullptr) {
        tree =
            json::replaced(tree, Path{key}, tree_of(sample(*object.schema->find("properties")->find(key))));
      }
    } else {
      Path path_around;
      for (std::size_t depth = 1; depth < object.around.size(); ++depth) {
        path_around.push_back(object.path[depth - 1]);
        tree = json::replaced(tree, path_around, tree_of(sample_object(*object.around[depth], {})));
      }
      tree = json::replaced(tree, object.path, tree_of(sample_object(*object.schema, key)));
    }
    // What a key can't do without.
    for (const auto& [needs, other, value] : prerequisites)
      if (path == needs) tree = json::replaced(tree, Path{"strategy", other}, tree_of(value));
    // Only the loop "predict" can do without a loss, an optimizer and the labels of files.
    for (const auto& [missing, value] : {std::pair{"loss", "\"mse\""}, std::pair{"optimizer", "\"sgd\""}})
      if (at(tree, {"training", missing}) == nullptr)
        tree = json::replaced(tree, Path{"training", missing}, tree_of(value));
    for (const Path& dataset : {Path{"dataset"}, Path{"training", "evaluation", "dataset"}})
      if (const Value* rows = at(tree, dataset);
          rows != nullptr && reads_columns(*rows) && rows->find("y") == nullptr) {
        Path labels = dataset;
        labels.push_back("y");
        tree = json::replaced(tree, labels, tree_of("\"text\""));
      }
    if (path.starts_with("model")) tree = json::replaced(tree, Path{"numerics"}, tree_of("\"none\""));
    return tree;
  }

  void for_every_key(const std::function<void(const Object&, const json::Member&)>& body) const {
    for (const Object& object : objects_) {
      for (const json::Member& property : object.schema->find("properties")->members()) {
        SCOPED_TRACE(dotted(below(object.path, property.key)));
        body(object, property);
      }
    }
  }

  Value root_;
  SchemaCheck check_;
  std::vector<Object> objects_{};
};

TEST_F(Schema, IsTheFileThatEditorsRead) {
  expect_golden(fs::path(WT_SOURCE_DIR) / "scenarios" / "schema" / "scenario.json", schema());
}

TEST_F(Schema, AndTheParserAcceptEveryKey) {
  int keys = 0;
  for_every_key([&](const Object& object, const json::Member& property) {
    const Value tree = scenario_with(object, property.key);
    EXPECT_TRUE(check_.accepts(tree)) << print(tree);
    EXPECT_NO_THROW(parse(print(tree), "test.json")) << print(tree);
    ++keys;
  });
  EXPECT_GT(keys, 100);
}

TEST_F(Schema, AndTheParserRefuseOtherKeys) {
  for (const Object& object : objects_) {
    SCOPED_TRACE(dotted(object.path));
    const Value tree = json::replaced(scenario_with(object), below(object.path, "no_such_key"), tree_of("1"));
    EXPECT_FALSE(check_.accepts(tree)) << print(tree);
    EXPECT_FALSE(parses(tree)) << print(tree);
  }
}

TEST_F(Schema, AndTheParserRefuseNull) {
  for_every_key([&](const Object& object, const json::Member& property) {
    if (property.key == "$schema" || property.key == "description") return;
    const Value tree = json::replaced(scenario_with(object, property.key), below(object.path, property.key),
                                      tree_of("null"));
    EXPECT_FALSE(check_.accepts(tree)) << print(tree);
    EXPECT_FALSE(parses(tree)) << print(tree);
  });
}

TEST_F(Schema, AndTheParserKeepTheSameRange) {
  int ranges = 0;
  for_every_key([&](const Object& object, const json::Member& property) {
    for (const auto& [word, beyond] : {std::pair{"minimum", -1}, std::pair{"maximum", 1}}) {
      const Value* limit = property.value.find(word);
      if (limit == nullptr) continue;
      ++ranges;
      const std::string number = std::to_string(limit->integer() + beyond);
      const Value tree = json::replaced(scenario_with(object, property.key), below(object.path, property.key),
                                        tree_of(number));
      EXPECT_FALSE(check_.accepts(tree)) << print(tree);
      EXPECT_FALSE(parses(tree)) << print(tree);
    }
  });
  EXPECT_GT(ranges, 20);
}

TEST_F(Schema, StatesTheParsersDefaults) {
  int defaults = 0;
  for_every_key([&](const Object& object, const json::Member& property) {
    const Value* stated = property.value.find("default");
    if (stated == nullptr) return;
    ++defaults;
    const Scenario scenario = parse(print(scenario_with(object)), "test.json");
    const Value tree = tree_of(resolved(scenario, "."));
    const Value* found = at(tree, below(object.path, property.key));
    // Two strategies and the like are objects that a small scenario leaves out: then their defaults are
    // written.
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(print(*found), print(*stated));
  });
  EXPECT_GT(defaults, 20);
}

TEST_F(Schema, AcceptsTheScenariosOfTheHouse) {
  const fs::path top = WT_SOURCE_DIR;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(top / "scenarios")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(top / "tests" / "oracle")) {
    if (entry.is_directory()) files.push_back(entry.path() / "scenario.json");
  }
  EXPECT_GE(files.size(), 8u);
  for (const fs::path& file : files) EXPECT_TRUE(check_.accepts(json::parse_file(file))) << file;
}

TEST_F(Schema, AndTheParserWantOneBatch) {
  const Value both = tree_of(
      R"({"name": "n", "model": "linear", "dataset": {"type": "synthetic", "rows": 1},
          "training": {"loss": "mse", "optimizer": "sgd", "global_batch": 1, "per_replica_batch": 1}})");
  EXPECT_FALSE(check_.accepts(both));
  EXPECT_FALSE(parses(both));
}

}  // namespace
}  // namespace wt::scenario
