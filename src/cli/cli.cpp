#include "cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <new>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/free_memory.h"
#include "base/narrow.h"
#include "base/rough.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cli/collective.h"
#include "cli/commands.h"
#include "cli/plain_text.h"
#include "cli/recommend.h"
#include "cli/report.h"
#include "cli/sweep.h"
#include "cli/verify.h"

namespace wt::cli {
namespace {

constexpr const char* report_of_results =
    "Writes report.json and the page report.html into the folder of the results";
constexpr const char* report_of_answer =
    "Writes report.json and the page report.html into the folder of --out";

// Declares the arguments of all commands, parses them, and calls the command.
class CommandLine {
 public:
  CommandLine() {
    app_.name("windtunnel");
    app_.description("Train on a cluster you don't have.");
    app_.set_version_flag("--version", "windtunnel " WT_VERSION, "Prints the version and exits");
    app_.footer(
        "Exit codes: 0 done, 1 the simulated job failed, 2 the input is wrong, 3 a fault of windtunnel or "
        "this machine.");
    app_.allow_extras();
    app_.require_subcommand(0, 1);
    add_run();
    add_sweep();
    add_merge();
    add_recommend();
    add_report();
    add_explain();
    add_validate();
    add_collective();
    add_devices();
    add_calibrate();
    add_list();
    add_import();
    add_export();
    add_verify();
  }

  Exit parse_and_run(std::span<const char* const> arguments, const Streams& streams) {
    require_text(arguments);
    try {
      app_.parse(narrow<int>(arguments.size()), arguments.data());
    } catch (const CLI::Success& asked) {  // --help, --version
      app_.exit(asked, streams.results, streams.messages);
      return Exit::done;
    } catch (const CLI::ParseError& error) {
      throw InputError(error.what(), see_help());
    }
    require_known_arguments();
    if (run_->parsed()) return run(run_options_, streams);
    if (sweep_->parsed()) return sweep(sweep_options_, streams);
    if (merge_->parsed()) return merge(merge_options_, streams);
    if (recommend_->parsed()) return recommend(recommend_options_, streams);
    if (report_->parsed()) return report(report_options_, streams);
    if (explain_->parsed()) return explain(explain_options_, streams);
    if (validate_->parsed()) return validate(validate_options_, streams);
    if (collective_->parsed()) return run_collective(collective_options_, streams);
    if (devices_->parsed()) return devices(devices_options_, streams);
    if (calibrate_->parsed()) return calibrate(calibrate_options_, streams);
    if (list_->parsed()) return list(list_options_, streams);
    if (import_->parsed()) return import_platform(import_options_, streams);
    if (export_->parsed()) return export_platform(export_options_, streams);
    if (verify_->parsed()) return verify(streams);
    streams.messages << app_.help();
    return Exit::input_wrong;
  }

 private:
  void add_run() {
    run_ = app_.add_subcommand("run", "Trains what a scenario describes, and writes its results");
    run_->add_option("FILE", run_options_.files, "The scenario; several files are compared in a table")
        ->required();
    add_overrides(*run_, run_options_.overrides);
    CLI::Option* out = run_->add_option("--out", run_options_.out,
                                        "Folder of the results, which is replaced; default: out/<name>");
    run_->add_option("--threads", run_options_.threads,
                     "Number of threads on this machine's CPU; doesn't change results");
    run_->add_option("--isa", run_options_.isa,
                     "Instruction set: baseline, avx2 or avx512; default: the best");
    CLI::Option* tf_config =
        run_->add_option("--tf-config", run_options_.tf_config,
                         "The cluster: a file in the format of TF_CONFIG, or env for that variable");
    CLI::Option* json =
        run_->add_flag("--json", run_options_.json, "Prints results.json, or the rows of a table");
    CLI::Option* csv = run_->add_flag("--csv", run_options_.csv,
                                      "Prints a line for every step, or for every row of a table");
    CLI::Option* report = run_->add_flag("--report", run_options_.report, report_of_results);
    CLI::Option* plan = run_->add_flag(
        "--plan", run_options_.plan,
        "Prints the training step's plan: its kernels, buffers and dependencies; trains nothing");
    run_->add_flag("--log-device-placement", run_options_.log_device_placement,
                   "Prints the device of each operation, as TensorFlow logs it");
    run_->add_flag("--job", run_options_.job,
                   "Prints the time of the whole training, item by item, with the basis of each");
    add_prices(*run_, run_options_.prices);
    run_->add_flag(
        "--verbose", run_options_.verbose,
        "Prints every detail: memory by kind on each device, the reduction, the course of the steps");
    json->excludes(csv)->excludes(plan);
    csv->excludes(plan);
    run_->add_option("--replicas", run_options_.replicas,
                     "Prints how the step scales with the number of replicas, as in 1,2,4,8; trains nothing")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->excludes(out)
        ->excludes(plan)
        ->excludes(report)
        ->excludes(tf_config);
    report->excludes(plan);
  }

  void add_sweep() {
    sweep_ =
        app_.add_subcommand("sweep", "Times the steps of a grid of scenarios, and writes a table of them");
    sweep_->add_option("FILE", sweep_options_.file, "The sweep; or a scenario, if there is an --axis")
        ->required();
    sweep_
        ->add_option("--axis", sweep_options_.axes,
                     "A key and its values, as in machines=1..64x2 or platform=dgx_a100,dgx_h100; may be "
                     "repeated, and `list axes` has short names")
        ->type_name("KEY=VALUES")
        ->allow_extra_args(false);
    add_overrides(*sweep_, sweep_options_.overrides);
    add_prices(*sweep_, sweep_options_.prices);
    sweep_->add_option("--out", sweep_options_.out,
                       "Folder of the results; a sweep that lies there is continued; default: out/<name>");
    sweep_->add_option("--processes", sweep_options_.processes,
                       "Number of processes that share the points; default: one for each processor");
    sweep_->add_option("--shard", sweep_options_.shard,
                       "A part of the points, as in 2/3 for the second of three; `merge` joins them");
    sweep_->add_flag("--restart", sweep_options_.restart,
                     "Drops the rows that lie in the folder, and starts anew");
    sweep_->add_flag("--report", sweep_options_.report, report_of_results);
    CLI::Option* json = sweep_->add_flag("--json", sweep_options_.json, "Prints sweep.json");
    CLI::Option* csv = sweep_->add_flag("--csv", sweep_options_.csv, "Prints sweep.csv");
    json->excludes(csv);
  }

  void add_merge() {
    merge_ = app_.add_subcommand("merge", "Joins the results of a sweep's shards");
    merge_->add_option("FOLDER", merge_options_.folders, "The folders of all shards")->required();
    merge_->add_option("--out", merge_options_.out, "Folder of the joined results; default: out/<name>");
    merge_->add_flag("--report", merge_options_.report, report_of_results);
    merge_->add_flag("--restart", merge_options_.restart, "Drops the rows that lie in that folder");
  }

  void add_recommend() {
    RecommendOptions& options = recommend_options_;
    recommend_ = app_.add_subcommand(
        "recommend",
        "Prints the smallest machine of each platform that meets a target, and how sure that is");
    recommend_->add_option("FILE", options.file, "The scenario")->required();
    add_overrides(*recommend_, options.overrides);
    add_prices(*recommend_, options.prices);
    recommend_->add_option("--target", options.target, "Samples per second that are required");
    recommend_->add_option("--epoch", options.epoch, "Time in which an epoch has to end, as in 10min");
    recommend_->add_flag("--fit", options.fit, "Asks for the smallest machine into whose memory a step fits");
    recommend_
        ->add_option("--platforms", options.platforms,
                     "Names or files separated by commas; default: all of `list platforms`")
        ->delimiter(',');
    recommend_->add_option(
        "--max-global-batch", options.max_global_batch,
        "The most rows of all devices in a step, or none; required where the scenario fixes "
        "only the batch of each device");
    recommend_->add_option("--max-devices", options.max_devices,
                           "Larger machines are not considered; default: 256");
    recommend_->add_option("--quantile", options.quantile,
                           "The share of published errors beyond each end of the interval; default: 0.1");
    recommend_->add_option(
        "--measured", options.measured,
        "A CSV file of your own measurements, in the format of tests/measurements, by which "
        "the answer is tested and corrected");
    recommend_->add_option("--processes", options.processes,
                           "Number of processes that share the platforms; default: one for each processor");
    recommend_->add_flag("--json", options.json, "Prints the answer as JSON");
    CLI::Option* report = recommend_->add_flag("--report", options.report, report_of_answer);
    recommend_
        ->add_option("--out", options.out,
                     "Folder of the report, which is replaced; default: out/<name>_recommendation")
        ->needs(report);
  }

  void add_explain() {
    explain_ = app_.add_subcommand(
        "explain", "Prints where a step's time goes, and which changes would make it shorter");
    explain_->add_option("FILE", explain_options_.file, "The scenario")->required();
    add_overrides(*explain_, explain_options_.overrides);
    explain_->add_flag("--json", explain_options_.json, "Prints the same as JSON");
  }

  void add_validate() {
    validate_ =
        app_.add_subcommand("validate", "Prints every mistake in scenarios, or that a scenario has none");
    validate_->add_option("FILE", validate_options_.files, "Scenarios")->required();
    add_overrides(*validate_, validate_options_.overrides);
    validate_->add_option("--tf-config", validate_options_.tf_config,
                          "The cluster: a file in the format of TF_CONFIG, or env for that variable");
    validate_->add_flag(
        "--memory", validate_options_.memory,
        "Prints what each device would hold, and the largest batch that fits; trains nothing");
    validate_->add_flag("--placement", validate_options_.placement,
                        "Prints the device of each operation of a step, and the reason");
  }

  void add_collective() {
    CollectiveOptions& options = collective_options_;
    collective_ =
        app_.add_subcommand("collective", "Simulates a collective operation on a described machine");
    collective_->add_option("--platform", options.platform, "The platform: a name or a file")->required();
    add_overrides(*collective_, options.overrides);
    collective_->add_option("--op", options.operation, "Operation; default: all_reduce");
    collective_
        ->add_option("--algorithm", options.algorithms,
                     "Names separated by commas, a file, all, or auto, the choice of the machine's library; "
                     "default: auto")
        ->delimiter(',');
    collective_
        ->add_option("--option", options.options,
                     "An option of the algorithms, as in segments=4; may be repeated")
        ->allow_extra_args(false);
    collective_->add_option("--protocol", options.protocol,
                            "ll, ll128 or simple; default: the library's choice");
    add_collective_ranks(options);
    add_collective_sizes(options);
    add_collective_output(options);
  }

  // The options of the ranks, and of how their processes are started.
  void add_collective_ranks(CollectiveOptions& options) {
    collective_->add_option("--ranks", options.ranks,
                            "Number of ranks, on the platform's first devices; default: all devices");
    collective_->add_option(
        "--rank-order", options.rank_order,
        "Device numbers, as in 0,4,1,5; or reversed; or by_rail, which alternates machines");
    collective_->add_option("--concurrent", options.concurrent,
                            "Number of groups that run at once; rank r joins group r modulo that number");
    CLI::Option* launch = collective_->add_option(
        "--launch", options.launch, "How processes are started: mpi, threads or torch; default: mpi");
    CLI::Option* driven = collective_->add_option("-g,--ngpus", options.devices_per_process,
                                                  "Devices that each process drives, with a thread for each");
    collective_
        ->add_option("--tiny-message", options.tiny_message,
                     "Measured time of a tiny all-reduce on the real system, as in 17us")
        ->excludes(launch)
        ->excludes(driven);
  }

  void add_collective_sizes(CollectiveOptions& options) {
    CLI::Option* sizes =
        collective_->add_option("--sizes", options.sizes, "Sizes in bytes or with units, as in 1024,1MiB")
            ->delimiter(',');
    collective_->add_option("-b,--minbytes", options.begin, "Smallest size; default: 1KiB")->excludes(sizes);
    collective_->add_option("-e,--maxbytes", options.end, "Largest size; default: 1GiB")->excludes(sizes);
    collective_->add_option("-f,--stepfactor", options.factor, "Factor from one size to the next; default: 2")
        ->excludes(sizes);
    collective_->add_option("-d,--dtype,--datatype", options.type, "Element type; default: float32");
    collective_->add_option("-o,--redop", options.reduction,
                            "Reduction: sum, prod, max, min or avg, with equal times; default: sum");
    collective_->add_option("-r,--root", options.root, "Root rank; default: 0");
  }

  void add_collective_output(CollectiveOptions& options) {
    CLI::Option* json = collective_->add_flag("--json", options.json, "Prints JSON");
    CLI::Option* csv = collective_->add_flag("--csv", options.csv, "Prints CSV");
    CLI::Option* links = collective_->add_flag(
        "--links", options.links, "Prints the load of each link, at the last size of each algorithm");
    CLI::Option* schedule = collective_->add_flag(
        "--print-schedule", options.schedule, "Prints the moves of the first size, and simulates nothing");
    CLI::Option* trace = collective_->add_option(
        "--trace", options.trace, "Writes one collective as a Chrome trace, for ui.perfetto.dev");
    CLI::Option* dot = collective_->add_option(
        "--dot", options.dot, "Writes the moves of one collective and their dependencies for Graphviz");
    CLI::Option* measured =
        collective_
            ->add_option(
                "--measured", options.measured,
                "Output of nccl-tests, as it is printed: lays it beside the predictions, at its sizes "
                "unless others are given; may be repeated")
            ->type_name("FILE")
            ->allow_extra_args(false);
    CLI::Option* report = collective_->add_flag("--report", options.report, report_of_answer);
    collective_
        ->add_option("--out", options.out, "Folder of the report, which is replaced; default: out/<name>")
        ->needs(report);
    CLI::Option* expanded = collective_->add_flag(
        "--expanded", options.expanded,
        "Simulates every move; default: only a part of them, if the rest follows from it");
    CLI::Option* folded =
        collective_->add_flag("--folded", options.folded, "Warns if every move has to be simulated");
    json->excludes(csv)->excludes(schedule);
    csv->excludes(schedule)->excludes(links)->excludes(measured);
    schedule->excludes(links)->excludes(trace)->excludes(dot)->excludes(report)->excludes(measured);
    expanded->excludes(folded);
  }

  void add_report() {
    ReportOptions& options = report_options_;
    report_ = app_.add_subcommand(
        "report", "Draws results of run, sweep, recommend or collective as a page, report.html");
    report_
        ->add_option("FOLDER", options.folders,
                     "Folders of results; the report of one is written into it, that of several into a "
                     "folder of its own")
        ->required();
    CLI::Option* out = report_->add_option("--out", options.out,
                                           "Folder of the report, which is replaced; default of several: "
                                           "out/report");
    CLI::Option* svg =
        report_->add_flag("--svg", options.pictures.svg, "Writes each chart as an SVG file, too");
    CLI::Option* png =
        report_->add_flag("--png", options.pictures.png, "Writes each chart as a PNG file, too");
    report_
        ->add_flag("--json", options.json, "Prints report.json, the figures of the page, and writes nothing")
        ->excludes(out)
        ->excludes(svg)
        ->excludes(png);
  }

  void add_devices() {
    devices_ =
        app_.add_subcommand("devices", "Prints this machine's devices, or those that a scenario describes");
    devices_->add_option("FILE", devices_options_.file, "The scenario; default: this machine");
    add_overrides(*devices_, devices_options_.overrides);
    devices_->add_flag("--json", devices_options_.json, "Prints them as JSON");
  }

  void add_calibrate() {
    calibrate_ =
        app_.add_subcommand("calibrate", "Measures the times of a scenario's kernels on this machine");
    calibrate_->add_option("FILE", calibrate_options_.file,
                           "The scenario; default: measures only this machine's rates");
    add_overrides(*calibrate_, calibrate_options_.overrides);
    calibrate_->add_option("--as", calibrate_options_.as,
                           "The profile to write, for \"time\": {\"compute\": {\"profile\": ...}}");
    add_host(*calibrate_, calibrate_options_.threads, calibrate_options_.isa);
  }

  static void add_host(CLI::App& command, std::optional<int>& threads, std::string& isa) {
    command.add_option("--threads", threads, "Number of threads on this machine's CPU");
    command.add_option("--isa", isa, "Instruction set: baseline, avx2 or avx512; default: the best");
  }

  void add_list() {
    list_ = app_.add_subcommand("list", "Prints the names that a scenario may use, one per line");
    list_->add_option("WHAT", list_options_.what,
                      fmt::format("{}; default: everything", fmt::join(list_kinds(), ", ")));
    list_->add_flag("--json", list_options_.json, "Prints them as JSON");
  }

  void add_import() {
    import_ = app_.add_subcommand("import", "Reads SimGrid's platform XML or NCCL's topology XML");
    import_->add_option("FILE", import_options_.file, "The XML file")->required();
    import_->add_option("--as", import_options_.as, "The platform file to write; default: prints it");
    import_->add_option("--type", import_options_.type,
                        "Device type of an NCCL topology; default: found by its \"sm\"");
    import_->add_option("--host", import_options_.host,
                        "CPU type of an NCCL topology; default: found by the CPU's model");
  }

  void add_export() {
    export_ = app_.add_subcommand("export", "Writes a platform for other programs");
    export_->add_option("PLATFORM", export_options_.platform, "The platform: a name or a file")->required();
    export_->add_option("--as", export_options_.as, "simgrid (XML), or dot (a drawing for Graphviz)")
        ->required();
    add_overrides(*export_, export_options_.overrides);
    export_->add_option("--out", export_options_.out, "The file to write; default: prints it");
  }

  // Each kind of verification is a subcommand of `verify`.
  void add_verify() {
    verify_ = app_.add_subcommand("verify",
                                  "Proves algorithms, and compares results with references and measurements");
    verify_->require_subcommand(1);
    nccl_tests_ = verify_->add_subcommand(
        "nccl-tests",
        "Compares predicted with published times of all-reduces, from nccl-tests and similar programs");
    nccl_tests_
        ->add_option("FOLDER", nccl_tests_options_.folder,
                     "Folder of published measurements: tests/measurements")
        ->required();
    nccl_tests_->add_flag("--csv", nccl_tests_options_.csv, "Prints a line for every row");
    measurements_ = verify_->add_subcommand(
        "measurements", "Compares predicted with published training throughput of single devices");
    measurements_
        ->add_option("FOLDER", measurements_options_.folder,
                     "Folder of published measurements: tests/measurements")
        ->required();
    measurements_->add_flag("--csv", measurements_options_.csv, "Prints a line for every row");
    scaling_ = verify_->add_subcommand(
        "scaling", "Compares predicted with published training throughput of several devices");
    scaling_
        ->add_option("FOLDER", scaling_options_.folder,
                     "Folder of published measurements: tests/measurements")
        ->required();
    scaling_->add_flag("--csv", scaling_options_.csv, "Prints a line for every row");
    evidence_ = verify_->add_subcommand("evidence",
                                        "Writes how far predicted is from published training throughput, "
                                        "which `recommend` reads; takes minutes");
    evidence_
        ->add_option("FOLDER", evidence_options_.folder,
                     "Folder of CSV files with measurements: tests/measurements")
        ->required();
    evidence_->add_option("--as", evidence_options_.as, "The file to write; default: prints it");
    collectives_ = verify_->add_subcommand(
        "collectives", "Proves that every collective algorithm does what its operation promises");
    collectives_->add_option("FILE", collectives_options_.files,
                             "Files of schedules to prove instead, in windtunnel's text form or MSCCL's XML");
    collectives_->add_option("--ranks", collectives_options_.ranks,
                             "Number of ranks, or a range; default: 2-24");
    collectives_->add_option("--algorithm", collectives_options_.algorithm,
                             "Proves only this algorithm; default: all");
    collectives_->add_flag("--deletions", collectives_options_.deletions,
                           "Also proves that no move and no dependency is superfluous; for few ranks");
    add_verify_strategies();
    add_verify_scenarios();
  }
  void add_verify_scenarios() {
    scenarios_ = verify_->add_subcommand(
        "scenarios", "Runs every command for every scenario of a folder, and compares what they say");
    scenarios_->add_option("FOLDER", scenarios_options_.folder, "Folder of scenario files: scenarios")
        ->required();
    scenarios_->add_option("--only", scenarios_options_.only, "Only scenarios with this word in their name");
    scenarios_->add_flag("--quick", scenarios_options_.quick, "Leaves out what takes more than about 5 s");
  }
  void add_verify_strategies() {
    VerifyStrategiesOptions& options = strategies_options_;
    strategies_ = verify_->add_subcommand(
        "strategies",
        "Compares several replicas with one device, tensor by tensor, and gives the reasons for differences");
    CLI::Option* file = strategies_->add_option("FILE", options.file, "The scenario");
    add_overrides(*strategies_, options.overrides);
    strategies_->add_option("--steps", options.steps, "Number of steps to train; default: 5");
    CLI::Option* oracles = strategies_->add_option(
        "--oracles", options.oracles,
        "Compares every strategy and reduction with the reference runs in a folder: tests/oracle");
    oracles->excludes(file);
    strategies_
        ->add_option("--replicas", options.replicas,
                     "Numbers of replicas with --oracles; default: 1,2,3,4,5,8,16")
        ->delimiter(',');
    strategies_->add_option("--only", options.only,
                            "Compares only strategies or reductions with this word in their name");
  }
  Exit verify(const Streams& streams) const {
    if (strategies_->parsed()) return verify_strategies(strategies_options_, streams);
    if (scenarios_->parsed()) return verify_scenarios(scenarios_options_, streams);
    return collectives_->parsed()  ? verify_collectives(collectives_options_, streams)
           : nccl_tests_->parsed() ? verify_nccl_tests(nccl_tests_options_, streams)
           : scaling_->parsed()    ? verify_scaling(scaling_options_, streams)
           : evidence_->parsed()   ? verify_evidence(evidence_options_, streams)
                                   : verify_measurements(measurements_options_, streams);
  }

  static void add_overrides(CLI::App& command, std::vector<std::string>& overrides) {
    command
        .add_option("--set", overrides,
                    "Sets a key to another value, as in training.epochs=3; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
  }

  static void add_prices(CLI::App& command, std::vector<std::string>& prices) {
    command
        .add_option("--price", prices,
                    "Price of a platform's machine, chip or slice by the hour, as in aws_p5=\"98.32 USD/h\"; "
                    "prints what the training costs; may be repeated")
        ->type_name("NAME=PRICE")
        ->allow_extra_args(false);
  }

  // The command that the user named, which may be a subcommand, or the program itself if the user named none.
  const CLI::App& named() const {
    const CLI::App* named = &app_;
    for (const CLI::App* below = named; below != nullptr;) {
      named = below;
      below = nullptr;
      for (const CLI::App* command : named->get_subcommands(everything))
        if (command->parsed()) below = command;
    }
    return *named;
  }

  std::string see_help() const {
    std::string words;
    for (const CLI::App* command = &named(); command != nullptr; command = command->get_parent())
      words = command->get_name() + " " + words;
    return fmt::format("see {}--help", words);
  }

  // Results name what the arguments name, and JSON is UTF-8.
  static void require_text(std::span<const char* const> arguments) {
    const auto require = [](std::string_view text, std::string_view what) {
      if (first_invalid_utf8(text) != std::string_view::npos)
        throw InputError(fmt::format("{} \"{}\" is not UTF-8", what, printable(text)),
                         "choose another name, or set the terminal to UTF-8");
    };
    for (const std::string_view argument : arguments) require(argument, "the argument");
    std::error_code error;
    require(std::filesystem::current_path(error).native(), "the name of this folder");
  }

  void require_known_arguments() const {
    const std::vector<std::string> unknown = app_.remaining(true);
    if (unknown.empty()) return;
    const std::string& argument = unknown.front();
    const bool is_option = argument.starts_with('-');
    const bool is_command = !is_option && &named() == &app_;
    const std::vector<std::string> known = is_option ? options_of(named()) : commands();
    const std::vector<std::string_view> names(known.begin(), known.end());
    const std::string_view kind = is_option ? "an option" : is_command ? "a command" : "expected here";
    throw InputError(fmt::format("\"{}\" is not {}", printable(argument), kind),
                     is_option || is_command ? did_you_mean(argument, names) : see_help());
  }

  static std::vector<std::string> options_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  std::vector<std::string> commands() const {
    std::vector<std::string> names;
    for (const CLI::App* command : app_.get_subcommands(everything)) names.push_back(command->get_name());
    return names;
  }

  static bool everything(const CLI::App*) { return true; }

  CLI::App app_{};
  CLI::App* run_ = nullptr;
  CLI::App* sweep_ = nullptr;
  CLI::App* merge_ = nullptr;
  CLI::App* recommend_ = nullptr;
  CLI::App* report_ = nullptr;
  CLI::App* explain_ = nullptr;
  CLI::App* validate_ = nullptr;
  CLI::App* collective_ = nullptr;
  CLI::App* devices_ = nullptr;
  CLI::App* calibrate_ = nullptr;
  CLI::App* list_ = nullptr;
  CLI::App* verify_ = nullptr;
  CLI::App* measurements_ = nullptr;
  CLI::App* nccl_tests_ = nullptr;
  CLI::App* scaling_ = nullptr;
  CLI::App* evidence_ = nullptr;
  CLI::App* collectives_ = nullptr;
  CLI::App* strategies_ = nullptr;
  CLI::App* scenarios_ = nullptr;
  CLI::App* import_ = nullptr;
  CLI::App* export_ = nullptr;
  RunOptions run_options_{};
  SweepOptions sweep_options_{};
  MergeOptions merge_options_{};
  RecommendOptions recommend_options_{};
  ReportOptions report_options_{};
  ExplainOptions explain_options_{};
  ValidateOptions validate_options_{};
  CollectiveOptions collective_options_{};
  DevicesOptions devices_options_{};
  CalibrateOptions calibrate_options_{};
  ListOptions list_options_{};
  PublishedOptions measurements_options_{};
  PublishedOptions nccl_tests_options_{};
  PublishedOptions scaling_options_{};
  VerifyEvidenceOptions evidence_options_{};
  VerifyCollectivesOptions collectives_options_{};
  VerifyStrategiesOptions strategies_options_{};
  VerifyScenariosOptions scenarios_options_{};
  ImportOptions import_options_{};
  ExportOptions export_options_{};
};

void require_written(std::ostream& results) {
  errno = 0;
  if (results.flush()) return;
  const std::error_code error(errno, std::generic_category());
  throw MachineError("write", fmt::format("standard output: {}",
                                          error ? error.message() : "it could not be written to its end"));
}

}  // namespace

std::string_view version() { return WT_VERSION; }

Exit run_command_line(std::span<const char* const> arguments, std::ostream& results, std::ostream& messages) {
  PlainText plain_results(results), plain_messages(messages);
  std::ostream to_results(&plain_results), to_messages(&plain_messages);
  const auto command = [&] {
    const Exit exit = CommandLine().parse_and_run(arguments, {to_results, to_messages});
    require_written(to_results);
    return exit;
  };
  return guard(command, to_messages);
}

Exit guard(const std::function<Exit()>& command, std::ostream& messages) {
  try {
    return command();
  } catch (const InputError& error) {
    messages << error.what() << "\n";
    return Exit::input_wrong;
  } catch (const MachineError& error) {
    messages << error.what() << "\n";
    return Exit::our_fault;
  } catch (const std::bad_alloc&) {
    messages << fmt::format("this machine has too little memory for this: {} are free\n",
                            rough(free_memory()));
    return Exit::our_fault;
  } catch (const std::exception& error) {
    messages << "this is a fault of windtunnel, not of your input: " << error.what() << "\n";
    return Exit::our_fault;
  }
}

}  // namespace wt::cli
