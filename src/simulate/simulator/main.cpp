#include "simulate/simulator/player.h"
#include "simulate/simulator/serve.h"
#include "simulate/transfer.h"

namespace {

using namespace wt::simulate;

void play(Channel& channel) {
  const Job job = receive_job(channel);
  Folding folding{};
  channel.receive(folding);
  send(channel, play_here(job, folding));
}

constexpr Task tasks[] = {{play_task, play}};

}  // namespace

int main(int argc, char** argv) { return serve({argv, static_cast<std::size_t>(argc)}, tasks); }
