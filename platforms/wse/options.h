// Options of wse_platform.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/observe/scope.h"
#include "models/wafer/sharing/skew.h"
#include "platforms/cli/coverage_options.h"
#include "platforms/cli/options.h"
#include "platforms/wse/checkpoints.h"
#include "platforms/wse/csl_options.h"
#include "platforms/wse/ranks.h"

namespace tessera::wse {

/// The value of --trace-rect. Throws UserError.
observe::Scope::Rect rect_in(const std::string& text);
/// The value of --skew.
wafer::Skew skew_in(const std::string& text);

/// What can be recorded and checked of a fabric; vp_platform has these options too.
struct FabricOptions {
  static constexpr const char* kHeading = "Fabric";

  std::string trace_wse_file;
  std::string print_log_file;
  std::string vcd_file;
  std::optional<observe::Scope::Rect> trace_rect;  ///< tiles that traces show
  std::optional<std::uint64_t> trace_megabytes;  ///< of a file of a Perfetto trace; none: one file
  std::string heatmap_file;
  std::string routes_file;
  std::string heatmap_counter;
  std::string heatmap_of = "busy";
  bool check_links = false;
  bool check_epochs = false;
  std::string check_memory;  ///< "", "stop" or "report"
  std::string check_routes = "warn";
  bool check_unread = false;
  std::optional<std::uint64_t> threads;  ///< none: as many as help
  std::optional<wafer::Skew> skew;       ///< none: where it helps
  Ranks* ranks = nullptr;    ///< the processes that share the wafer, no option; nullptr: one
  bool saves_state = false;  ///< and a state of theirs is saved, no option
  std::vector<std::string> replace;  ///< see Replacements::choose
  cli::CoverageOptions coverage;     ///< a group of its own

  cli::OptionGroup group() {
    using cli::file;
    cli::Option replace_option{"replace", "BLOCK[X,Y]=NAME",
                               "puts a registered module in the place of a block of a tile, e.g. "
                               "--replace router[2,1]=verilog; may be given several times",
                               [this](const std::string& text) { replace.push_back(text); }};
    replace_option.repeatable = true;
    replace_option.decides = true;
    const auto written = cli::Option::File::kWritten;
    return {
        kHeading,
        {file("trace-wse", "FILE", trace_wse_file, written,
              "text trace in the form of the vendor's simulator, e.g. --trace-wse sim.log"),
         cli::needing(
             {"trace-rect", "X,Y,W,H",
              "tiles that traces show: W x H of them from tile (X, Y) on, e.g. --trace-rect "
              "0,0,4,4",
              [this](const std::string& text) { trace_rect = rect_in(text); }},
             {"trace-perfetto", "trace-wse", "vcd", "live-page", "serve"}),
         cli::needing(cli::whole_number("trace-megabytes", trace_megabytes,
                                        "cut the Perfetto trace into files of about N "
                                        "megabytes: t.json, t.2.json and so on"),
                      {"trace-perfetto"}),
         file("print-log", "FILE", print_log_file, written,
              "what the programs print, e.g. --print-log sim.log (default: standard output, unless "
              "--quiet)"),
         file("vcd", "FILE", vcd_file, written, "wave form of tasks and links, e.g. --vcd w.vcd"),
         file("heatmap", "FILE.svg", heatmap_file, written,
              "picture of where the time went, e.g. --heatmap h.svg"),
         cli::needing(cli::text("heatmap-counter", "NAME", heatmap_counter,
                                "counter that the heat map shows (default: busy issue cycles)"),
                      {"heatmap"}),
         cli::needing(
             cli::one_of("heatmap-of", "WHAT", heatmap_of, {"busy", "waits", "links"},
                         "what the heat map shows: busy cycles, cycles of waits, or the load of "
                         "the busiest link of a tile"),
             {"heatmap"}),
         file("routes", "FILE.svg", routes_file, written,
              "picture of the routes, a map for each color, e.g. --routes r.svg"),
         cli::deciding(cli::flag(
             "check-links", check_links,
             "watch the links between routers and at the rim for broken protocol rules (exit 3)")),
         cli::deciding(
             cli::flag("check-epochs", check_epochs,
                       "watch for wavelets that a change of a route catches under way (exit 4)")),
         check_memory_option(),
         check_routes_option(),
         cli::deciding(cli::flag("check-unread", check_unread,
                                 "wavelets that nobody has read at the end are an error (exit 4)")),
         cli::whole_number(
             "threads", threads,
             "threads that step the tiles of structure 'dense'; results do not depend on "
             "it (default: all cores if the program keeps them busy, else 1)"),
         {"skew", "CYCLES,ROWS,COLUMNS",
          "blocks of tiles of structure 'dense' that a thread steps so many cycles ahead of "
          "others, or 1,1,1 for none; "
          "results do not depend on it (default: 32,16,16 where tiles are many and busy)",
          [this](const std::string& text) { skew = skew_in(text); }},
         replace_option}};
  }

  cli::Option check_routes_option() {
    cli::Option option =
        cli::one_of("check-routes", "WHAT", check_routes, {"warn", "error", "off"},
                    "wavelets that are sent and that no route can take on: a warning, or with "
                    "--check-routes alone no run (exit 4)");
    option.implicit_value = "error";
    return cli::deciding(option);
  }

  cli::Option check_memory_option() {
    cli::Option option = cli::one_of(
        "check-memory", "WHAT", check_memory, {"stop", "report"},
        "accesses beyond an array and reads of memory that nobody has written stop the run (exit "
        "4), or with --check-memory=report are put into the report");
    option.default_value.clear();
    option.implicit_value = "stop";
    return cli::deciding(option);
  }
};

/// --debug needs one thread. Throws UserError if the options ask for more.
void prepare_for_debugger(const cli::Options& options, FabricOptions& fabric);

struct Options : cli::MachineOptions {
  Options() {
    own_groups.push_back(fabric.group());
    own_groups.push_back(fabric.coverage.group());
    cli::OptionGroup of_csl = csl.group();
    of_csl.options.push_back(arch_option(preset, csl.arch));
    own_groups.push_back(std::move(of_csl));
    own_groups.push_back(checkpoints.group());
  }

  FabricOptions fabric;
  CslOptions csl;
  CheckpointOptions checkpoints;
};

/// Throws UserError for what a run cannot do whose tiles are in several processes.
void require_one_process_for(const cli::Options& options, const FabricOptions& fabric);

}  // namespace tessera::wse
