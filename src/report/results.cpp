#include "report/results.h"

#include <fmt/format.h>

#include "base/output_folder.h"
#include "report/ending.h"
#include "report/failures.h"
#include "report/job.h"
#include "report/planned.h"
#include "report/simulated.h"
#include "report/sureness.h"
#include "report/trained.h"

namespace wt::report {

namespace {

std::string_view outcome_of(const session::Results& results) {
  if (results.out_of_memory) return "out_of_memory";
  if (results.fault) return "tensorflow_error";
  if (results.timed_out) return "collective_timed_out";
  if (results.interrupted) return "interrupted";
  return results.lost ? "worker_lost" : "done";
}

// The reason why the job ended early; empty if it did not.
std::string message_of(const session::Results& results) {
  if (results.out_of_memory) return *results.out_of_memory;
  if (results.fault) return fault_text(*results.fault);
  if (results.timed_out) return std::string(timing::timed_out_message);
  if (results.interrupted) return interrupted_text(results);
  return results.lost ? results.lost->message : "";
}

void write_stopped(json::Writer& out, const session::Stopped& stopped) {
  out.key("stopped").begin_object(json::Layout::one_line).member("by", stopped.by);
  out.member("epochs", stopped.epochs).end_object();
}

void write_turns(json::Writer& out, const session::Turns& turns) {
  out.key("turns")
      .begin_object()
      .member("swaps", turns.swaps)
      .member("swapped_bytes", turns.swapped.count())
      .end_object();
}

}  // namespace

std::string results_json(const session::Results& results, const study::Sureness* sureness) {
  json::Writer out;
  out.begin_object()
      .member("format", results_format)
      .member("format_version", 1)
      .member("version", results.version)
      .member("constants_version", results.constants)
      .member("name", results.name)
      .member("strategy", results.strategy)
      .member("semantics", results.semantics)
      .member("numerics", results.numerics)
      .member("outcome", outcome_of(results));
  if (const std::string message = message_of(results); !message.empty()) out.member("message", message);
  write_planned(out, results.planned);
  if (results.simulated) write_simulated(out, *results.simulated);
  if (results.simulated && sureness != nullptr) write_sureness(out, *sureness, *results.simulated);
  if (results.job) write_job(out, *results.job);
  if (results.cost) write_cost(out, *results.cost);
  if (results.course) write_failures(out, *results.course);
  if (results.lost) write_lost(out, *results.lost);
  if (results.timed_out) write_timed_out(out, *results.timed_out);
  if (results.stopped) write_stopped(out, *results.stopped);
  if (results.planned.is_inference) out.member("inference", true);
  if (results.predictions) write_predictions(out, *results.predictions);
  if (results.turns) write_turns(out, *results.turns);
  if (results.beside) write_beside(out, *results.beside);
  if (results.has_numbers()) write_trained(out, results);
  return out.end_object().text();
}

}  // namespace wt::report
