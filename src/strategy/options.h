#pragma once
// The options of a strategy, as a JSON object describes them. A strategy lists its keys once, each with the
// member that the key fills (Strategy::keys). Readers of the list implement KeyVisitor: the parser, the JSON
// Schema and the resolved scenario of scenario/. The list of member types is closed: an enumeration is
// visited as a Word, an object as an Object, so that a new strategy with options of its own needs no change
// in any reader.
//
//   void keys(KeyVisitor& visit) override {
//     visit(json::optional("device", "where it computes"), device_);
//     visit_word(visit, json::optional("implementation", "which collectives"), options_, implementations);
//   }

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_key.h"
#include "base/json_reader.h"
#include "base/quantity.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/packing.h"

namespace wt::strategy {

// Reports a problem at a key of the scenario, by its dotted path: "strategy.devices".
using Report = std::function<void(std::string_view key, std::string fact, std::string remedy)>;

// The name of an all-reduce of collective/catalog.h.
struct AlgorithmName {
  std::string name{};
};

// One word of several.
struct Word {
  std::string_view noun{};                // what each of the words names: "a reduction"
  std::vector<std::string_view> names{};  // the legal words
  std::span<const json::Later> later{};   // words that are refused as not offered yet
  std::optional<std::size_t> index{};     // of the word among `names`; absent: no word is given
};

class KeyVisitor;

// An object with keys of its own.
struct Object {
  bool is_given = true;
  std::function<void()> give{};  // makes the object, with its defaults, where it is absent
  std::function<void(KeyVisitor&)> keys{};
};

// A word, or an object in its place.
struct WordOrObject {
  Word word{};
  Object object{};
};

template <class Member>
class VisitsMember {
 public:
  virtual ~VisitsMember() = default;
  virtual void operator()(const json::Key& key, Member& member) = 0;
};

template <class... Members>
class VisitsMembers : public VisitsMember<Members>... {
 public:
  using VisitsMember<Members>::operator()...;
  virtual void later(std::string_view name, std::string_view meaning) = 0;  // a key that is not offered yet
  virtual void at_most_one(json::Together keys) = 0;                        // the keys exclude each other
};

// Every type of a member that the option of a strategy fills, handed to a template.
template <template <class...> class Template, class... Before>
using WithMemberTypes =
    Template<Before..., bool, std::optional<bool>, std::int64_t, std::optional<std::int64_t>,
             std::optional<std::string>, std::optional<std::vector<std::string>>,
             std::optional<std::vector<std::int64_t>>, std::map<std::string, std::int64_t>, Bytes,
             std::optional<Bytes>, std::optional<Seconds>, json::InputPath, std::optional<AlgorithmName>,
             Word, Object, WordOrObject>;

class KeyVisitor : public WithMemberTypes<VisitsMembers> {};

// Forwards every visit to a reader that has one operator() for members of every type.
template <class Reader, class Base, class... Members>
class ForwardedKeys;

template <class Reader, class Base>
class ForwardedKeys<Reader, Base> : public Base {
 public:
  explicit ForwardedKeys(Reader& reader) : reader_(reader) {}
  using Base::operator();
  void later(std::string_view name, std::string_view meaning) override { reader_.later(name, meaning); }
  void at_most_one(json::Together keys) override { reader_.at_most_one(keys); }

 protected:
  Reader& reader_;
};

template <class Reader, class Base, class First, class... Rest>
class ForwardedKeys<Reader, Base, First, Rest...> : public ForwardedKeys<Reader, Base, Rest...> {
 public:
  using ForwardedKeys<Reader, Base, Rest...>::ForwardedKeys;
  using ForwardedKeys<Reader, Base, Rest...>::operator();
  void operator()(const json::Key& key, First& member) override { this->reader_(key, member); }
};

template <class Reader>
class KeysFor final : public WithMemberTypes<ForwardedKeys, Reader, KeyVisitor> {
  using Base = WithMemberTypes<ForwardedKeys, Reader, KeyVisitor>;

 public:
  explicit KeysFor(Reader& reader) : Base(reader) {}
};

// ---- Members that are visited as a Word or an Object

// The words for the values of an enumeration.
template <class T>
struct Words {
  std::string_view noun{};
  std::span<const json::Named<T>> rows{};

  Word of(const std::optional<T>& value) const {
    Word word{.noun = noun};
    for (const json::Named<T>& row : rows) {
      if (value && row.value == *value) word.index = word.names.size();
      word.names.push_back(row.name);
    }
    return word;
  }
  std::string_view name(T value) const {
    const auto row = std::ranges::find(rows, value, &json::Named<T>::value);
    return row == rows.end() ? std::string_view() : row->name;
  }
};

template <class T>
void visit_word(KeyVisitor& visit, const json::Key& key, T& member, const Words<T>& words) {
  Word word = words.of(member);
  visit(key, word);
  if (word.index) member = words.rows[*word.index].value;
}

template <class T>
void visit_word(KeyVisitor& visit, const json::Key& key, std::optional<T>& member, const Words<T>& words) {
  Word word = words.of(member);
  visit(key, word);
  if (word.index) member = words.rows[*word.index].value;
}

template <class T>
void visit_object(KeyVisitor& visit, const json::Key& key, T& member) {
  Object object{.give = [] {}, .keys = [&](KeyVisitor& inside) { member.keys(inside); }};
  visit(key, object);
}

template <class T>
void visit_object(KeyVisitor& visit, const json::Key& key, std::optional<T>& member) {
  Object object{.is_given = member.has_value(),
                .give = [&] { member.emplace(); },
                .keys = [&](KeyVisitor& inside) { member->keys(inside); }};
  visit(key, object);
}

// ---- Options that several strategies have

// The key "algorithm", whose value is an all-reduce of collective/catalog.h.
void visit_algorithm(KeyVisitor& visit, std::optional<AlgorithmName>& algorithm);
inline std::string name_or_none(const std::optional<AlgorithmName>& algorithm) {
  return algorithm ? algorithm->name : std::string();
}

// Whether gradients are reduced while the backward pass goes on.
struct Buckets {
  std::optional<bool> overlap{};      // true: in PyTorch's buckets; false: never; absent: as TensorFlow does
  std::optional<Bytes> bucket_cap{};  // absent: 25 MiB

  void keys(KeyVisitor& visit);
  void check(const Report& report) const;
  bool are_used() const { return overlap.value_or(false); }
  Packing packing() const;
};

// tf.distribute.experimental.CommunicationOptions.
struct CommunicationOptions {
  CommunicationImplementation implementation = CommunicationImplementation::automatic;
  Bytes bytes_per_pack{};            // 0: all gradients are in one pack
  std::optional<Seconds> timeout{};  // of a collective; absent: a collective may take any time

  void keys(KeyVisitor& visit);
};

// The words of CommunicationImplementation.
extern const Words<CommunicationImplementation> implementations;

// Communication options of a strategy whose collectives ignore them. They are read so that one scenario may
// try several strategies, and reported as ignored.
struct Hints {
  std::optional<CommunicationOptions> communication_options{};

  void keys(KeyVisitor& visit);
  std::vector<std::string> ignored(std::string_view strategy) const;
};

}  // namespace wt::strategy
