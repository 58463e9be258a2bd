#include "platforms/wse/wse_config.h"

#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

using config::name;
using config::number;
using config::numbers;
using config::Schema;

constexpr std::uint64_t kMaxLatency = 1000;  // cycles: far above any sensible hardware
constexpr std::uint64_t kMaxLength = 1024;   // wavelets
constexpr const char* kInputLengths = "queues.input_lengths";
constexpr const char* kOutputLengths = "queues.output_lengths";

void add_machine(Schema& schema, WseConfig& c) {
  schema.push_back(name("generation", c.generation,
                        {{"wse2", Generation::kWse2}, {"wse3", Generation::kWse3}},
                        "rules of which generation hold: queue counts, task ids, routes"));
  schema.push_back(number("clock.period_ps", c.clock_period_ps, "ps", 1, 1000000,
                          "clock period, which turns cycles into time"));
  schema.push_back(
      number("wafer.max_width", c.max_width, "tiles", 1, 4096, "widest grid a layout may ask for"));
  schema.push_back(number("wafer.max_height", c.max_height, "tiles", 1, 4096,
                          "highest grid a layout may ask for"));
}

void add_fabric(Schema& schema, WseConfig& c) {
  fabric::FabricTiming& f = c.fabric;
  schema.push_back(number("fabric.hop_latency", f.hop_latency, "cycles", 1, kMaxLatency,
                          "from landing at a router to landing at its neighbour"));
  schema.push_back(
      number("fabric.credit_latency", f.credit_latency, "cycles", 1, kMaxLatency,
             "from a wavelet leaving a buffer of a router until the sender may use its room"));
  schema.push_back(
      number("fabric.buffer_depth", f.buffer_depth, "wavelets", 1, kMaxLength,
             "wavelets that a router buffers per input port and color, beside the "
             "registers of the path; one wavelet per cycle needs more than credit_latency"));
  schema.push_back(name(
      "fabric.arbitration", f.arbitration,
      {{"round_robin", fabric::Arbitration::kRoundRobin}, {"fixed", fabric::Arbitration::kFixed}},
      "who goes first when several wavelets want one output: `round_robin` over "
      "(port, color), or `fixed`: lowest color, at the on-ramp lowest queue, first"));
  schema.push_back(
      name("fabric.coincidence", f.coincidence,
           {{"illegal", fabric::Coincidence::kIllegal}, {"merge", fabric::Coincidence::kMerge}},
           "wavelets of one color that land from two directions in one cycle: "
           "`illegal`, or `merge` in the order of fabric.arbitration"));
  schema.push_back(
      name("fabric.color_swap", f.color_swap,
           {{"both", fabric::ColorSwap::kBoth}, {"partner", fabric::ColorSwap::kPartner}},
           "WSE-2, an arrival on a color whose partner alone has color swap: it appears on `both` "
           "colors, or on the `partner` alone as older documents say"));
  schema.push_back(number("fabric.filters", c.max_filters, "filters", 0, kColorCount,
                          "filters of a tile: as many of its routes may have one"));
  schema.push_back(number("fabric.on_ramp_latency", f.on_ramp_latency, "cycles", 1, kMaxLatency,
                          "from leaving the output queue to landing at the router"));
  schema.push_back(
      number("fabric.off_ramp_latency", f.off_ramp_latency, "cycles", 1, kMaxLatency,
             "from leaving the router until the wavelet may be read from its input queue"));
}

void add_queues(Schema& schema, WseConfig& c) {
  schema.push_back(numbers(kInputLengths, c.input_queue_lengths, "wavelets", 1, kMaxLength,
                           kMaxQueues, "length of every input queue, by queue id"));
  schema.push_back(numbers(kOutputLengths, c.output_queue_lengths, "wavelets", 1, kMaxLength,
                           kMaxQueues, "length of every output queue, by queue id"));
  schema.push_back(
      number("queues.write_latency", c.queue_write_latency, "cycles", 1, kMaxLatency,
             "from the write to an output queue until the on-ramp may take the wavelet"));
}

void add_pe(Schema& schema, pe::PeTiming& p) {
  const auto cycles = [&schema](const char* key, unsigned& target, std::uint64_t min,
                                const char* description) {
    schema.push_back(
        number(std::string("pe.") + key, target, "cycles", min, kMaxLatency, description));
  };
  cycles("branch_taken", p.branch_taken, 1,
         "from the issue of a taken branch to that of the next instruction");
  cycles("branch_not_taken", p.branch_not_taken, 1,
         "from the issue of a branch that is not taken to that of the next instruction");
  cycles("move_latency", p.move_latency, 1,
         "from the issue of a move until its result may be used");
  cycles("integer_latency", p.integer_latency, 1,
         "from the issue of an integer instruction or compare until its result may be used");
  cycles("float_latency", p.float_latency, 1,
         "from the issue of a floating-point instruction until its result may be used");
  cycles("integer_divide_latency", p.integer_divide_latency, 1,
         "from the issue of an integer division or remainder until its result may be used");
  cycles("float_divide_latency", p.float_divide_latency, 1,
         "from the issue of a floating-point division until its result may be used");
  cycles("load_latency", p.load_latency, 1,
         "from the issue of a load until its result may be used");
  cycles("dsr_latency", p.dsr_latency, 1, "from the load or change of a DSR until it may be used");
  cycles("vector_start", p.vector_start, 1,
         "from the issue of a DSD operation until its first group may execute");
  cycles("vector_drain", p.vector_drain, 0,
         "from the completion of a synchronous DSD operation to the next instruction");
  cycles("task_activation", p.task_activation, 1,
         "idle compute engine: from the event that makes a task runnable to its first instruction");
  cycles("task_switch", p.task_switch, 1,
         "from the end of a task to the first instruction of the next");
}

void add_pe_memory(Schema& schema, pe::PeTiming& p) {
  schema.push_back(
      name("pe.bank_conflicts", p.bank_conflicts, {{"true", true}, {"false", false}},
           "whether two memory sources in banks that conflict slow a DSD operation down; strides "
           "always do"));
  schema.push_back(number("pe.read_conflict_factor", p.read_conflict_factor, "times", 1, 64,
                          "how many times its cycles a group takes whose two memory sources are in "
                          "banks that conflict"));
  schema.push_back(
      name("pe.bank_rule", p.bank_rule,
           {{"modulo_4", pe::BankRule::kModulo4}, {"same_bank", pe::BankRule::kSameBank}},
           "which banks conflict: the same one and those 4 apart, `modulo_4`, or the "
           "`same_bank` alone"));
  schema.push_back(name("pe.stride_rule", p.stride_rule,
                        {{"table", pe::StrideRule::kTable}, {"span", pe::StrideRule::kSpan}},
                        "what a stride costs: elements per cycle by a `table` over the stride "
                        "modulo 8, or 8 words from first to last element per cycle, `span`"));
  schema.push_back(
      name("pe.memory_errors", p.memory_errors,
           {{"stop", pe::MemoryErrors::kStop}, {"report", pe::MemoryErrors::kReport}},
           "what follows an access outside SRAM or off a word boundary: the run stops, or it is "
           "reported and goes on, reads giving 0 and writes lost"));
}

void add_pe_rules(Schema& schema, pe::PeTiming& p) {
  schema.push_back(
      name("pe.picker", p.picker,
           {{"lowest_id", pe::PickerRule::kLowestId}, {"round_robin", pe::PickerRule::kRoundRobin}},
           "which runnable task starts: the `lowest_id`, or `round_robin` behind the "
           "task that ran last; a launched function goes first"));
  schema.push_back(name(
      "pe.issue", p.issue,
      {{"rotation", pe::IssueRule::kRotation}, {"lowest_thread", pe::IssueRule::kLowestThread}},
      "which thread of equal priority gets the issue slot: in `rotation`, or the "
      "`lowest_thread`"));
  schema.push_back(number("pe.priority_update", p.priority_update, "cycles", 1, kMaxLatency,
                          "from the instruction that changes a priority until the new one counts"));
  schema.push_back(
      name("pe.microthread_priority", p.microthread_priority,
           {{"low", pe::Priority::kLow},
            {"medium", pe::Priority::kMedium},
            {"high", pe::Priority::kHigh}},
           "priority of microthreads whose operation, queue and descriptor name none"));
}

void add_rates(Schema& schema, pe::PeTiming& p) {
  for (unsigned op = 0; op < pe::kOpcodeCount; ++op) {
    const pe::OpcodeInfo& info = pe::info(static_cast<pe::Opcode>(op));
    // dfilt takes wavelets as they come; it has no groups.
    if (!info.vector() || info.op == pe::Opcode::kDfilt) continue;
    const std::string mnemonic(info.mnemonic);
    schema.push_back(number("pe.rate." + mnemonic + ".width", p.rate[op].width, "elements", 1, 64,
                            "elements in a group of a DSD operation " + mnemonic));
    schema.push_back(number("pe.rate." + mnemonic + ".interval", p.rate[op].interval, "cycles", 1,
                            64, "from a group of " + mnemonic + " to its next"));
  }
}

void check_count(const char* path, const char* kind, std::size_t given, std::size_t expected,
                 const WseConfig& config) {
  if (given == expected) return;
  throw UserError(blame(config.loaded, path), path,
                  std::to_string(given) + " lengths are given; " + to_string(config.generation) +
                      " has " + std::to_string(expected) + " " + kind + " queues");
}

void check_together(const WseConfig& c) {
  check_count(kInputLengths, "input", c.input_queue_lengths.size(), queue_count(c.generation, true),
              c);
  check_count(kOutputLengths, "output", c.output_queue_lengths.size(),
              queue_count(c.generation, false), c);
}

}  // namespace

Schema wse_schema(WseConfig& config) {
  Schema schema;
  add_machine(schema, config);
  add_fabric(schema, config);
  add_queues(schema, config);
  add_pe(schema, config.pe);
  add_pe_memory(schema, config.pe);
  add_pe_rules(schema, config.pe);
  add_rates(schema, config.pe);
  return schema;
}

WseConfig load_wse_config(const std::string& preset, const std::string& file,
                          const std::vector<std::string>& overrides) {
  WseConfig config;
  config.loaded = config::load(wse_schema(config), "wse", {preset, file, overrides});
  config.name = config.loaded.name;
  check_together(config);
  return config;
}

WseConfig load_wse_config(const cli::Options& options) {
  return load_wse_config(options.preset, options.config_file, options.sets);
}

void print_wse_config(std::ostream& out, const WseConfig& config) {
  WseConfig copy = config;
  config::print_config(out, wse_schema(copy), config.loaded);
}

}  // namespace tessera::wse
