#include "simulate/protocol.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/error.h"
#include "base/utf8.h"
#include "simulate/job.h"

namespace wt::simulate {
namespace {

using TaskName = std::array<char, 32>;

// A message of a socket must fit into the buffer of the kernel, which is 208 KiB unless an administrator
// changed it.
constexpr std::size_t longest_text = 32768;

struct VerdictHead {
  Verdict::Kind kind{};
  int status = 0;
};

template <std::size_t size>
std::array<char, size> padded(std::string_view text) {
  std::array<char, size> result{};
  std::copy_n(text.begin(), std::min(text.size(), size - 1), result.begin());
  return result;
}

template <std::size_t size>
std::string text_of(const std::array<char, size>& padded) {
  return {padded.data(), ::strnlen(padded.data(), size)};
}

// The pieces of one message, and the descriptors that travel beside its bytes.
struct Envelope {
  explicit Envelope(std::span<iovec> pieces) {
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
  }
  void make_room_for_descriptors() {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
  msghdr message{};
};

bool send(int socket, const Envelope& envelope) {
  ssize_t sent = -1;
  do sent = ::sendmsg(socket, &envelope.message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

// The number of bytes; 0 when the other end is closed or the socket fails.
std::size_t receive(int socket, Envelope& envelope) {
  ssize_t received = -1;
  do received = ::recvmsg(socket, &envelope.message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  return static_cast<std::size_t>(std::max<ssize_t>(received, 0));
}

}  // namespace

Greeting greeting_of_this_build() {
  const std::size_t sizes[] = {sizeof(Activity), sizeof(Folding),   sizeof(Interval),
                               sizeof(Occurred), sizeof(Execution), sizeof(LinkLoad),
                               sizeof(Effort),   sizeof(Absence),   sizeof(SlowWorker)};
  std::uint64_t layout = 0;
  for (const std::size_t size : sizes) layout = 128 * layout + size;
  return {padded<12>("windtunnel"), protocol_version, padded<24>(WT_VERSION), layout};
}

std::string describe(const Greeting& greeting) {
  if (greeting.name != greeting_of_this_build().name) return "no helper of Windtunnel";
  return fmt::format("protocol {} of Windtunnel {}, layout {:x}", greeting.protocol,
                     printable(text_of(greeting.release)), greeting.layout);
}

void send_greeting(int socket, const Greeting& greeting) {
  Greeting copy = greeting;
  iovec piece{&copy, sizeof copy};
  simulate::send(socket, Envelope({&piece, 1}));
}

std::optional<Greeting> receive_greeting(int socket) {
  Greeting greeting;
  iovec piece{&greeting, sizeof greeting};
  Envelope envelope({&piece, 1});
  if (receive(socket, envelope) == 0) return std::nullopt;
  return greeting;
}

bool send_request(int socket, const Request& request) {
  WT_EXPECT(request.task.size() < std::tuple_size_v<TaskName>, "the name \"{}\" is too long for a task",
            request.task);
  TaskName name = padded<std::tuple_size_v<TaskName>>(request.task);
  iovec piece{name.data(), name.size()};
  Envelope envelope({&piece, 1});
  envelope.make_room_for_descriptors();
  cmsghdr* header = CMSG_FIRSTHDR(&envelope.message);
  const std::array<int, 2> descriptors{request.channel, request.verdict};
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  return simulate::send(socket, envelope);
}

std::optional<Request> receive_request(int socket) {
  for (;;) {
    TaskName name{};
    iovec piece{name.data(), name.size()};
    Envelope envelope({&piece, 1});
    envelope.make_room_for_descriptors();
    if (receive(socket, envelope) == 0) return std::nullopt;
    const cmsghdr* header = CMSG_FIRSTHDR(&envelope.message);
    std::array<int, 2> descriptors{};
    // Where this process has no descriptors left, the kernel closes those of the message: the program then
    // finds its ends closed.
    if (header == nullptr || header->cmsg_len != CMSG_LEN(sizeof descriptors)) continue;
    std::memcpy(descriptors.data(), CMSG_DATA(header), sizeof descriptors);
    return Request{text_of(name), descriptors[0], descriptors[1]};
  }
}

void send_verdict(int socket, const Verdict& verdict) {
  VerdictHead head{verdict.kind, verdict.status};
  std::string text = verdict.text.substr(0, longest_text);
  std::array<iovec, 2> pieces{iovec{&head, sizeof head}, iovec{text.data(), text.size()}};
  simulate::send(socket, Envelope(pieces));
}

std::optional<Verdict> receive_verdict(int socket) {
  VerdictHead head;
  std::string text(longest_text, '\0');
  std::array<iovec, 2> pieces{iovec{&head, sizeof head}, iovec{text.data(), text.size()}};
  Envelope envelope(pieces);
  const std::size_t received = receive(socket, envelope);
  if (received < sizeof head) return std::nullopt;
  text.resize(received - sizeof head);
  return Verdict{head.kind, head.status, std::move(text)};
}

}  // namespace wt::simulate
