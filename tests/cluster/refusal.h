#pragma once
// The text of the error that a call throws, after the name of its class, or "accepted".

#include <string>

#include "device/error.h"

namespace wt::cluster {

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const device::ValueError& error) {
    return std::string("ValueError: ") + error.what();
  } catch (const KeyError& error) {
    return std::string("KeyError: ") + error.what();
  } catch (const InputError& error) {
    return std::string("InputError: ") + error.what();
  }
  return "accepted";
}

}  // namespace wt::cluster
