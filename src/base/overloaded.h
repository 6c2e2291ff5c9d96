#pragma once

namespace wt {

// Combines lambdas into one visitor for std::visit, with one lambda per alternative of the variant. An
// alternative without a lambda is a compile error.
template <class... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
overloaded(Cases...) -> overloaded<Cases...>;  // required by clang 14

}  // namespace wt
