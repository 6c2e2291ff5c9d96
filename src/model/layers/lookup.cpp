#include "model/layers/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/constants.h"
#include "model/mask.h"

namespace wt::model {

namespace {

constexpr Type whole = Type::int64;

Symbol cast_to(Symbol x, Type type) { return x.spec().type == type ? x : cast(x, type); }
Symbol as_whole(Symbol x) { return cast_to(x, whole); }

Symbol bucket_of(Symbol x, std::int64_t buckets, const std::optional<std::array<std::int64_t, 2>>& salt) {
  return hash_bucket(x, {.buckets = buckets,
                         .is_salted = salt.has_value(),
                         .salt = salt.value_or(std::array<std::int64_t, 2>{})});
}

// x modulo n, at least 0. A quotient of integers is rounded toward 0.
Symbol modulo(Symbol x, std::int64_t n) {
  const Symbol extent = number_like(x, static_cast<double>(n));
  const Symbol rest = x - x / extent * extent;
  return select(less(rest, number_like(x, 0)), rest + extent, rest);
}

class IntegerLookup final : public Layer {
 public:
  explicit IntegerLookup(IntegerLookupConfig config) : Layer(config.name), config_(std::move(config)) {
    const std::vector<std::int64_t> special = special_tokens();
    auto& tokens = config_.vocabulary;
    const bool has_special =
        tokens.size() >= special.size() && std::equal(special.begin(), special.end(), tokens.begin());
    if (has_special) tokens.erase(tokens.begin(), tokens.begin() + std::ssize(special));
    if (tokens.empty())
      refuse("it has no vocabulary", "write it into the model: adapt() belongs to the dataset's preparation");
    if (std::set(tokens.begin(), tokens.end()).size() != tokens.size())
      refuse("a token stands twice in its vocabulary", "write each once");
    if (config_.mask_token && std::ranges::count(tokens, *config_.mask_token) > 0)
      refuse(fmt::format("the mask token {} is in its vocabulary", *config_.mask_token), "leave it out");
    if (std::ranges::any_of(tokens, [](std::int64_t token) { return token > most || token < -most; }))
      refuse("a token has more than 53 bits", "write smaller ones");
    complete_weights(has_special ? 0 : special.size());
  }
  std::string_view class_name() const override { return "IntegerLookup"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = as_whole(only(inputs));
    if (config_.invert) return {tokens_of(x)};
    const Symbol indices = indices_of(x);
    const Type type = type_of_results(building.semantics());
    if (!config_.mode) return {cast_to(indices, type)};
    const Symbol y = encoded(indices, extent(), *config_.mode, type);
    return {config_.idf_weights.empty() ? y : y * constants(*y.trace, config_.idf_weights)};
  }

 private:
  static constexpr std::int64_t most = std::int64_t{1} << 53;  // to which a double counts

  Type type_of_results(Semantics semantics) const {
    if (!config_.idf_weights.empty()) return Type::float32;
    if (is_on(Switch::look_ups_give_whole_numbers, semantics)) return whole;
    if (!config_.mode) return config_.type.value_or(whole);
    return config_.type == Type::int32 ? Type::int32 : Type::float32;
  }

  std::int64_t unknown_begin() const { return config_.mask_token && !config_.mode ? 1 : 0; }
  std::int64_t begin() const { return unknown_begin() + config_.num_oov_indices; }
  std::int64_t extent() const { return config_.extent.value_or(begin() + std::ssize(config_.vocabulary)); }

  std::vector<std::int64_t> special_tokens() const {
    std::vector<std::int64_t> special(static_cast<std::size_t>(begin()), config_.oov_token);
    if (unknown_begin() == 1) special.front() = *config_.mask_token;
    return special;
  }

  // The weights of unknown tokens are the mean of the others, and those of indices without a token 0.
  void complete_weights(std::size_t unknown) {
    auto& weights = config_.idf_weights;
    if (weights.empty()) return;
    double sum = 0;
    for (const double weight : weights) sum += weight;
    weights.insert(weights.begin(), unknown, sum / static_cast<double>(weights.size()));
    if (std::ssize(weights) > extent())
      refuse(fmt::format("there are {} idf_weights for {} indices", weights.size(), extent()),
             "write one for each token");
    weights.resize(static_cast<std::size_t>(extent()), 0);
  }

  std::vector<double> numbers() const { return {config_.vocabulary.begin(), config_.vocabulary.end()}; }

  // Where x is each of some numbers: [..., numbers], with ones and zeros.
  static Symbol where_equal(Symbol x, Symbol numbers) {
    Shape apart = x.shape();
    apart.append(1);
    return cast(equal(wt::reshape(x, apart), numbers), whole);
  }
  static Symbol summed(Symbol x) { return reduce_sum(x, {x.shape().rank() - 1}); }
  // 0, 1, ... from a number on.
  Symbol counted(Symbol x, std::int64_t from) const {
    const Symbol all = range(*x.trace, {whole, {std::ssize(config_.vocabulary)}}, 1);
    return all + static_cast<double>(from);
  }

  Symbol tokens_of(Symbol x) const {
    const Symbol hot = where_equal(x, counted(x, begin()));
    const Symbol tokens = summed(hot * constants(*x.trace, numbers(), whole));
    const Symbol unknown = negated(equal(summed(hot), number_like(x, 1)));
    const Symbol known = select(unknown, number_like(x, static_cast<double>(config_.oov_token)), tokens);
    if (!config_.mask_token) return known;
    return select(equal(x, number_like(x, 0)), number_like(x, static_cast<double>(*config_.mask_token)),
                  known);
  }

  Symbol indices_of(Symbol x) const {
    const Symbol hot = where_equal(x, constants(*x.trace, numbers(), whole));
    const Symbol found = summed(hot * counted(x, begin()));
    Symbol is_unknown = equal(summed(hot), number_like(x, 0));
    std::optional<Symbol> is_masked;
    if (config_.mask_token) is_masked = equal(x, number_like(x, static_cast<double>(*config_.mask_token)));
    if (is_masked) is_unknown = both(is_unknown, negated(*is_masked));
    const Symbol indices = config_.num_oov_indices == 0 ? required(found, is_unknown, x)
                                                        : select(is_unknown, unknown_index(x), found);
    // In a vector a mask leaves no trace.
    return is_masked ? select(*is_masked, number_like(x, config_.mode ? -1 : 0), indices) : indices;
  }

  Symbol unknown_index(Symbol x) const {
    const auto first = static_cast<double>(unknown_begin());
    if (config_.num_oov_indices == 1) return number_like(x, first);
    const Symbol own = config_.unknown == UnknownTokens::modulo
                           ? modulo(x, config_.num_oov_indices)
                           : bucket_of(x, config_.num_oov_indices, config_.salt);
    return own + first;
  }

  // Without an index for them, tokens out of the vocabulary are an error.
  static Symbol required(Symbol found, Symbol is_unknown, Symbol x) {
    return x.trace->apply("known_index", {{select(is_unknown, number_like(found, -1), found), x}}).front();
  }

  IntegerLookupConfig config_;
};

class Hashing final : public Layer {
 public:
  explicit Hashing(HashingConfig config) : Layer(config.name), config_(std::move(config)) {
    require_positive("num_bins", config_.num_bins);
  }
  std::string_view class_name() const override { return "Hashing"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (is_floating(x.spec().type) && !is_on(Switch::hashing_takes_real_numbers, building.semantics()))
      refuse(fmt::format("it is given {}", print(x.spec())),
             "Keras 2 hashes integers: give the input the type int64");
    const Symbol bins = bins_of(as_whole(x));
    if (!config_.mode) return {cast_to(bins, config_.type.value_or(whole))};
    return {encoded(bins, config_.num_bins, *config_.mode, config_.type.value_or(Type::float32))};
  }

 private:
  Symbol bins_of(Symbol x) const {
    const bool has_mask = config_.mask_value && config_.num_bins > 1;
    const Symbol bins = bucket_of(x, config_.num_bins - (has_mask ? 1 : 0), config_.salt);
    if (!has_mask) return bins;
    const Symbol masked = equal(x, number_like(x, static_cast<double>(*config_.mask_value)));
    return select(masked, number_like(bins, 0), bins + 1);
  }

  HashingConfig config_;
};

}  // namespace

LayerPtr integer_lookup(IntegerLookupConfig config) {
  return std::make_shared<IntegerLookup>(std::move(config));
}
LayerPtr hashing(HashingConfig config) { return std::make_shared<Hashing>(std::move(config)); }

}  // namespace wt::model
