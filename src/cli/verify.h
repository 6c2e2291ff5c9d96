#pragma once
// The commands `windtunnel verify ...`, which compare this program with what it did not compute itself: proofs,
// reference runs and published figures.

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace wt::cli {

// The command `verify`, whose subcommands are the commands below.
Command verify_command(CLI::App& program);

struct VerifyCollectivesOptions {
  std::vector<std::string> files{};  // files of schedules to prove instead of the catalog
  std::string ranks = "2-24";        // a range, or one number
  std::string algorithm{};           // empty: all
  bool deletions = false;            // also proves that no move and no dependency is superfluous
};

// Proves every algorithm of the catalog for a range of ranks, or the schedules in files. Prints a row per
// algorithm, and every fault that was found.
Exit verify_collectives(const VerifyCollectivesOptions& options, const Streams& streams);
Command verify_collectives_command(CLI::App& verify);

struct VerifyStrategiesOptions {
  std::string file{};  // a scenario
  std::vector<std::string> overrides{};
  std::int64_t steps = 5;
  std::string oracles{};                            // or a folder of reference runs: tests/oracle
  std::vector<int> replicas{1, 2, 3, 4, 5, 8, 16};  // of these
  std::string only{};                               // ways with this word in their name
};

// Prints how far the scenario's replicas are from one device with the same global batches, tensor by tensor, and
// why (study/evidence/against_one_device.h); or how far every synchronous strategy is from the runs of a
// reference, for every algorithm that reduces gradients (study/evidence/reference_runs.h).
Exit verify_strategies(const VerifyStrategiesOptions& options, const Streams& streams);
Command verify_strategies_command(CLI::App& verify);

// Published figures to compare with.
struct PublishedOptions {
  std::string folder{};  // of CSV files: tests/measurements
  bool csv = false;
  std::string fit{};  // the file whose constants are fitted to the rows; empty: none is changed
};
void add_published(CLI::App& command, PublishedOptions& options);
void add_fit(CLI::App& command, PublishedOptions& options, const std::string& meaning);

// Prints the errors of three predictions for each group of rows (study/evidence/measurement_study.h), and
// constants fitted to the group's rows.
Exit verify_measurements(const PublishedOptions& options, const Streams& streams);
Command verify_measurements_command(CLI::App& verify);

// Prints what every device of the catalogue is predicted to train, and the rank correlation with what is published.
Exit verify_catalogue(const PublishedOptions& options, const Streams& streams);
Command verify_catalogue_command(CLI::App& verify);

// Compares predicted with published throughput on several devices, row by row. The absolute prediction uses the
// constants of the devices' generation. The scaling prediction takes the compute time from the row with the
// fewest devices, so that its error is that of the communication.
Exit verify_scaling(const PublishedOptions& options, const Streams& streams);
Command verify_scaling_command(CLI::App& verify);

struct VerifyEvidenceOptions {
  std::string folder{};  // of CSV files: tests/measurements
  std::string as{};      // the file to write; empty: prints it
};

// Predicts every row of published training throughput, on one device and on several, and writes the errors as the
// file platforms/evidence.json, from which `recommend` knows how far a prediction may be off. Takes minutes.
Exit verify_evidence(const VerifyEvidenceOptions& options, const Streams& streams);
Command verify_evidence_command(CLI::App& verify);

struct VerifyConstantsOptions {
  std::string folder{};  // of CSV files: tests/measurements
};

// Writes devices.json, communication.json and evidence.json in the folder platforms that this program reads: what the
// fits of the three commands above give, in this order.
Exit verify_constants(const VerifyConstantsOptions& options, const Streams& streams);
Command verify_constants_command(CLI::App& verify);

struct VerifyNcclTestsOptions {
  std::string folder{};  // of CSV files: tests/measurements/nccl
  bool csv = false;
  bool leave_one_out = false;  // each system in turn is left out of the constants of its class
};

// Compares predicted with published times of collectives, row by row. One prediction uses the constants of the
// hardware's class, the other also the measured time of the system's smallest message.
Exit verify_nccl_tests(const VerifyNcclTestsOptions& options, const Streams& streams);
Command verify_nccl_tests_command(CLI::App& verify);

struct VerifyScenariosOptions {
  std::string folder{};  // of scenario files: scenarios
  std::string only{};    // scenarios with this word in their file's name
  bool quick = false;    // leaves out what takes more than about 5 s
};

// Runs every command for every scenario of a folder. A scenario that `validate` accepts must be accepted by
// every command that shows a part of it, and `run` and `validate` must agree. No command may end with a fault.
Exit verify_scenarios(const VerifyScenariosOptions& options, const Streams& streams);
Command verify_scenarios_command(CLI::App& verify);

struct VerifyFailuresOptions {
  std::int64_t count = 1000;  // of scenarios
  std::int64_t seed = 1;      // of the first one; each has the next
  std::string strategy{};     // only of this one; empty: all
};

// Draws scenarios with failures, trains each, and judges what came of it (study/disturbed/trial.h). Prints a row for
// each strategy, and the seed of every scenario of which something doesn't hold.
Exit verify_failures(const VerifyFailuresOptions& options, const Streams& streams);
Command verify_failures_command(CLI::App& verify);

struct VerifyAgreementOptions {
  std::int64_t scenarios = 1000;
  std::int64_t seed = 1;    // of the first one; each has the next
  bool only_print = false;  // the scenarios, and nothing else
};

// Draws scenarios and carries out each in ways that must come to the same (study/agreement/trial.h): on other numbers of
// threads, without numbers, expanded, folded, continued from a checkpoint. Prints how many agree, and the seed of every
// scenario that doesn't.
Exit verify_agreement(const VerifyAgreementOptions& options, const Streams& streams);
Command verify_agreement_command(CLI::App& verify);

struct VerifyTensorflowOptions {
  std::vector<std::string> folders{};  // of recordings, or archives of them: tests/recordings
  std::string only{};                  // recordings with this word in their name
  bool json = false;
};

// Repeats recorded programs of TensorFlow and prints how many passed, by kind and version, and the reasons of all
// others. Ends with job_failed if one failed or if nothing of one was compared.
Exit verify_tensorflow(const VerifyTensorflowOptions& options, const Streams& streams);
Command verify_tensorflow_command(CLI::App& verify);

}  // namespace wt::cli
