#pragma once
// Variables that live on servers while replicas compute elsewhere. Each replica pulls the variables that it
// reads, and pushes its gradients, which are applied where the variable lives. CentralStorageStrategy has one
// such device, and ParameterServerStrategy has a CPU on each of several machines.

#include <vector>

#include "strategy/central_roles.h"
#include "strategy/replicas.h"

namespace wt::strategy {

struct VariableServers {
  std::string_view strategy{};           // for messages
  std::vector<plan::Device> servers{};   // at least one
  std::vector<std::size_t> server_of{};  // by variable of the step
  // True: the gradients of several replicas are added on their host, and sent to the server as one message.
  // False: each replica sends its own, and the server adds them.
  bool adds_on_host = false;
  LookUps look_ups = LookUps::at_replicas;
};

plan::Plan lower_with_servers(Steps steps, std::span<const Place> places, const VariableServers& servers);

// The server of each variable as ParameterServerStrategy places them: in turn, in the order in which
// variables are created; an optimizer's slot is with its variable (TensorFlow 2.x,
// parameter_server_strategy_v2.py, and the recordings servers_placement_*). Copies that each replica has for
// itself are on no server and don't count.
std::vector<std::size_t> in_turn(const Step& step, std::size_t servers);

}  // namespace wt::strategy
