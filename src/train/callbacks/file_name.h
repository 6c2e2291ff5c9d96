#pragma once
// Names of files and lines with fields, as Python's str.format fills them: "weights/{epoch:02d}-{val_loss:.2f}.safetensors",
// "Epoch {epoch}, Accuracy: {accuracy*100}".

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace wt::train {

using FieldValue = std::variant<std::int64_t, double, std::string>;
using Fields = std::map<std::string, FieldValue, std::less<>>;

// A result of the training: NAME, NAME*100, which is in percent, and NAME!s, which is the text of a tensor. The first two
// are float32 and have all digits of a double, as Python formats the scalars of TensorFlow.
void add_number(Fields& fields, const std::string& name, float value);

// Throws InputError for a field that is not there, a format that doesn't suit the value, and a brace alone.
std::string filled(std::string_view pattern, const Fields& fields);

// The pattern with 1 for every field: a name of the kind.
std::string example_of_name(std::string_view pattern);

// As Python prints a float: the fewest digits that give the number back, and at least one behind the point.
std::string print_as_python(double value);

}  // namespace wt::train
