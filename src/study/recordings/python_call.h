#pragma once
// The arguments of a call in a recorded Python program, as JSON: of `keras.callbacks.EarlyStopping(monitor='loss',
// patience=3)` they are {"monitor": "loss", "patience": 3}.

#include <string>
#include <string_view>

namespace wt::recordings {

struct PythonCall {
  std::string name{};  // "EarlyStopping"
  std::string
      arguments{};  // a JSON object of the keyword arguments; an argument that is no literal is left out
};

// The last call of a function below `module` in the program, such as "keras.callbacks.". The name is empty if there is
// none.
PythonCall last_call(std::string_view program, std::string_view module);

}  // namespace wt::recordings
