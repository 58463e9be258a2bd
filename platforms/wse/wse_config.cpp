#include "platforms/wse/wse_config.h"

#include "models/pe/program.h"
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

/// Row of a number of cycles, at least 1.
config::Field cycles(const char* path, unsigned& target, const char* description) {
  return number(path, target, "cycles", 1, kMaxLatency, description);
}

Schema machine_keys(WseConfig& c) {
  return {
      name("generation", c.generation, {{"wse2", Generation::kWse2}, {"wse3", Generation::kWse3}},
           "rules of which generation hold: queue counts, task ids, routes"),
      number("clock.period_ps", c.clock_period_ps, "ps", 1, 1000000,
             "clock period, which turns cycles into time"),
      number("wafer.max_width", c.max_width, "tiles", 1, 4096, "widest grid a layout may ask for"),
      number("wafer.max_height", c.max_height, "tiles", 1, 4096,
             "highest grid a layout may ask for"),
  };
}

Schema fabric_keys(WseConfig& c) {
  using fabric::Arbitration, fabric::Coincidence, fabric::ColorSwap, fabric::SwitchPositions;
  using fabric::LinkStorage;
  fabric::FabricTiming& f = c.fabric;
  return {
      cycles("fabric.hop_latency", f.hop_latency,
             "from landing at a router to landing at its neighbour"),
      cycles("fabric.credit_latency", f.credit_latency,
             "from a wavelet leaving a buffer of a router until the sender may use its room"),
      number("fabric.buffer_depth", f.buffer_depth, "wavelets", 1, kMaxLength,
             "wavelets that a router buffers per input port and color, beside the "
             "registers of the path; one wavelet per cycle needs more than credit_latency"),
      name("fabric.link_storage", f.link_storage,
           {{"registers", LinkStorage::kRegisters}, {"none", LinkStorage::kNone}},
           "what a link stores of a color while the router at its end is full: a wavelet in each "
           "of its hop_latency - 1 `registers`, or `none`"),
      name("fabric.arbitration", f.arbitration,
           {{"round_robin", Arbitration::kRoundRobin}, {"fixed", Arbitration::kFixed}},
           "who goes first when several wavelets want one output: `round_robin` over "
           "(port, color), or `fixed`: lowest color, at the on-ramp lowest queue, first"),
      name("fabric.coincidence", f.coincidence,
           {{"merge", Coincidence::kMerge}, {"illegal", Coincidence::kIllegal}},
           "wavelets of one color that land from two directions in one cycle: "
           "`merge` in the order of fabric.arbitration, with a warning, or `illegal`"),
      name("fabric.color_swap", f.color_swap,
           {{"both", ColorSwap::kBoth}, {"partner", ColorSwap::kPartner}},
           "WSE-2, an arrival on a color whose partner alone has color swap: it appears on `both` "
           "colors, or on the `partner` alone as older documents say"),
      name(
          "fabric.switch_positions", f.switch_positions,
          {{"cumulative", SwitchPositions::kCumulative}, {"from_zero", SwitchPositions::kFromZero}},
          "the side that a switch position leaves out: that of the valid position before it, "
          "`cumulative`, or that of position 0, `from_zero`"),
      number("fabric.filters", c.max_filters, "filters", 0, kColorCount,
             "filters of a tile: as many of its routes may have one"),
      cycles("fabric.on_ramp_latency", f.on_ramp_latency,
             "from leaving the output queue to landing at the router"),
      cycles("fabric.off_ramp_latency", f.off_ramp_latency,
             "from leaving the router until the wavelet may be read from its input queue"),
      number("fabric.ramp_run", f.ramp_run, "cycles", 0, kMaxLatency,
             "in which an on-ramp may send until it pauses for one; 0: no pauses"),
  };
}

Schema queue_keys(WseConfig& c) {
  return {
      numbers(kInputLengths, c.input_queue_lengths, "wavelets", 1, kMaxLength, kMaxQueues,
              "length of every input queue, by queue id"),
      numbers(kOutputLengths, c.output_queue_lengths, "wavelets", 1, kMaxLength, kMaxQueues,
              "length of every output queue, by queue id"),
      cycles("queues.write_latency", c.queue_write_latency,
             "from the write to an output queue until the on-ramp may take the wavelet"),
  };
}

Schema memcpy_keys(MemcpyTiming& m) {
  SiliconMemcpy& s = m.silicon;
  return {
      name("memcpy.profile", m.profile,
           {{"simulator", MemcpyProfile::kSimulator}, {"silicon", MemcpyProfile::kSilicon}},
           "whose commands: of the vendor's `simulator`, or of `silicon` behind its host"),
      number("memcpy.command_cycles", m.command_cycles, "cycles", 1, 1000000,
             "from the end of a command of the host until the PEs may take a launch or a stream"),
      number("memcpy.copy_cycles", m.copy_cycles, "cycles", 1, 1000000,
             "as memcpy.command_cycles, before a copy"),
      number("memcpy.out_word_cycles", m.out_word_cycles, "cycles", 1, 100000,
             "of a PE, for each word of its own that a copy takes to the host"),
      number("memcpy.start_cycles", m.start_cycles, "cycles", 0, 1000000,
             "before the first command of the host, in addition to its own"),
      number("memcpy.words_per_cycle", m.words_per_cycle, "words", 1, 64,
             "words per cycle of a channel, which the rows of a copy share"),
      number("memcpy.hop_cycles", m.hop_cycles, "cycles", 0, kMaxLatency,
             "from a PE taking a command until its neighbour in the east may take it"),
      number(
          "memcpy.reserved_bytes", m.reserved_bytes, "bytes", 0, pe::kSramBytes,
          "memory of each PE that a program with host transfers cannot use, beside its task table"),
      number("memcpy.silicon.launch_cycles", s.launch_cycles, "cycles", 1, 10000000,
             "as memcpy.command_cycles, before a launch"),
      number("memcpy.silicon.copy_cycles", s.copy_cycles, "cycles", 1, 10000000,
             "as memcpy.command_cycles, before a copy"),
      number("memcpy.silicon.channels", s.channels, "channels", 1, 1024,
             "that the rows of a copy share"),
      number("memcpy.silicon.percent_in", s.percent_in, "1/100 cycle", 1, 1000000,
             "per word of a copy to PEs and channel"),
      number("memcpy.silicon.percent_out", s.percent_out, "1/100 cycle", 1, 1000000,
             "per word of a copy from PEs and channel"),
  };
}

Schema pe_latency_keys(pe::PeTiming& p) {
  return {
      cycles("pe.branch_taken", p.branch_taken,
             "from the issue of a taken branch to that of the next instruction"),
      cycles("pe.branch_not_taken", p.branch_not_taken,
             "from the issue of a branch that is not taken to that of the next instruction"),
      number("pe.branch_back", p.branch_back, "cycles", 0, kMaxLatency,
             "what a taken jump to an earlier instruction costs beyond `pe.branch_taken`"),
      cycles("pe.multiply32_cycles", p.multiply32_cycles,
             "of a product of 32-bit integers, which is a sequence of others"),
      cycles("pe.shift32_cycles", p.shift32_cycles,
             "of a shift of 32 bits, which is a sequence of others"),
      cycles("pe.compare32_cycles", p.compare32_cycles,
             "of `==`, `<` or `<=` of i32, which may be a sequence of others"),
      cycles("pe.unsigned_compare32_cycles", p.unsigned_compare32_cycles,
             "of `<` or `<=` of u32, which is a sequence of others"),
      cycles("pe.timestamp_cycles", p.timestamp_cycles,
             "of the reading of the cycle counter, from `tsc` to the next instruction"),
      number("pe.router_register_cycles", p.router_register_cycles, "cycles", 0, kMaxLatency,
             "by how much an access to a register of the router takes longer than one to another "
             "register of the configuration space"),
      cycles("pe.move_latency", p.move_latency,
             "from the issue of a move until its result may be used"),
      cycles("pe.integer_latency", p.integer_latency,
             "from the issue of an integer instruction or compare until its result may be used"),
      cycles("pe.float_latency", p.float_latency,
             "from the issue of a floating-point instruction until its result may be used"),
      cycles("pe.integer_divide_latency", p.integer_divide_latency,
             "from the issue of an integer division or remainder until its result may be used"),
      cycles("pe.float_divide_latency", p.float_divide_latency,
             "from the issue of a floating-point division until its result may be used"),
      cycles("pe.load_latency", p.load_latency,
             "from the issue of a load until its result may be used"),
      cycles("pe.dsr_latency", p.dsr_latency, "from the load of a DSR until it may be used"),
      cycles("pe.dsr_change_latency", p.dsr_change_latency,
             "from the change of a DSR in place until it may be used"),
      number(
          "pe.memory_bytes", p.memory_bytes, "bytes", 0, 64,
          "that memory moves per cycle for the operands of a DSD operation together; 0: no limit"),
      cycles("pe.vector_start", p.vector_start,
             "from the issue of a DSD operation until its first group may execute"),
      number("pe.vector_drain", p.vector_drain, "cycles", 0, kMaxLatency,
             "from the completion of a synchronous DSD operation to the next instruction"),
      number("pe.vector_release", p.vector_release, "cycles", 0, pe::PeTiming::kMaxVectorRelease,
             "by how much moves, integer instructions and compares that do not depend on it issue "
             "before the end of `pe.vector_drain`"),
      name("pe.vector_overlap", p.vector_overlap, {{"true", true}, {"false", false}},
           "whether DSD operations, loads and branches after a synchronous DSD operation overlap "
           "with its end, and with their own start"),
      cycles("pe.vector_forward", p.vector_forward,
             "from the last group of a synchronous DSD operation to the first group of the next "
             "one, if that reads what the last group wrote"),
      cycles("pe.task_activation", p.task_activation,
             "idle compute engine: from the event that makes a task runnable to its first "
             "instruction"),
      cycles("pe.task_switch", p.task_switch,
             "from the end of a task to the first instruction of the next"),
  };
}

Schema pe_memory_keys(pe::PeTiming& p) {
  using pe::BankRule, pe::MemoryErrors, pe::StrideRule;
  return {
      name("pe.bank_conflicts", p.bank_conflicts, {{"true", true}, {"false", false}},
           "whether two memory sources in banks that conflict slow a DSD operation down; strides "
           "always do"),
      number("pe.read_conflict_factor", p.read_conflict_factor, "times", 1, 64,
             "how many times its cycles a group takes whose two memory sources are in "
             "banks that conflict"),
      name("pe.bank_rule", p.bank_rule,
           {{"modulo_4", BankRule::kModulo4}, {"same_bank", BankRule::kSameBank}},
           "which banks conflict: the same one and those 4 apart, `modulo_4`, or the "
           "`same_bank` alone"),
      name("pe.stride_rule", p.stride_rule,
           {{"table", StrideRule::kTable}, {"span", StrideRule::kSpan}},
           "what a stride costs: elements per cycle by a `table` over the stride "
           "modulo 8, or 8 words from first to last element per cycle, `span`"),
      name("pe.groups_cross_rows", p.groups_cross_rows, {{"true", true}, {"false", false}},
           "whether a group of elements in memory may begin in one row of a mem4d descriptor and "
           "end "
           "in the next"),
      name("pe.fabric_extent", p.extents_in_wavelets, {{"elements", false}, {"wavelets", true}},
           "what the extent of a fabric descriptor counts where a wavelet carries two 16-bit "
           "elements: `elements`, or `wavelets`"),
      name("pe.queue_colors", p.queues_mix_colors, {{"several", true}, {"one", false}},
           "WSE-2: whether an output queue takes wavelets of another color while it holds some: "
           "`several` colors, each wavelet keeps its own, or `one` at a time"),
      name("pe.memory_errors", p.memory_errors,
           {{"stop", MemoryErrors::kStop}, {"report", MemoryErrors::kReport}},
           "what follows an access outside SRAM or off a word boundary: the run stops, or it is "
           "reported and goes on, reads giving 0 and writes lost"),
  };
}

Schema pe_rule_keys(pe::PeTiming& p) {
  using pe::IssueRule, pe::PickerRule, pe::Priority;
  return {
      name("pe.picker", p.picker,
           {{"lowest_id", PickerRule::kLowestId}, {"round_robin", PickerRule::kRoundRobin}},
           "which runnable task of the highest priority starts: the `lowest_id`, or `round_robin` "
           "after the one that ran last at this priority; a launched function goes first"),
      name("pe.issue", p.issue,
           {{"rotation", IssueRule::kRotation}, {"lowest_thread", IssueRule::kLowestThread}},
           "which thread of equal priority gets the issue slot: in `rotation`, or the "
           "`lowest_thread`"),
      name("pe.control_task_31", p.control_task_31, {{"task", true}, {"none", false}},
           "the control task id 31: that of a `task` if the program binds one, or of `none`, as "
           "older documents say"),
      cycles("pe.priority_update", p.priority_update,
             "from the instruction that changes a priority until the new one counts"),
      name("pe.microthread_priority", p.microthread_priority,
           {{"low", Priority::kLow}, {"medium", Priority::kMedium}, {"high", Priority::kHigh}},
           "priority of microthreads whose operation, queue and descriptor name none"),
  };
}

Schema pe_rate_keys(pe::PeTiming& p) {
  Schema schema;
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
  return schema;
}

void check_count(const char* path, const char* kind, std::size_t given, std::size_t expected,
                 const WseConfig& config) {
  if (given == expected) return;
  throw UserError(blame(config.loaded, path), path,
                  std::to_string(given) + " lengths are given; " + to_string(config.generation) +
                      " has " + std::to_string(expected) + " " + kind + " queues");
}

}  // namespace

CopyPace MemcpyTiming::pace(std::size_t words, std::size_t columns, std::size_t rows,
                            std::size_t all_rows, unsigned channels, bool into_pes) const {
  const auto quotient_up = [](std::size_t a, std::size_t b) {
    return static_cast<unsigned>((a + b - 1) / b);
  };
  if (is_silicon()) {
    const std::size_t percent = into_pes ? silicon.percent_in : silicon.percent_out;
    const std::size_t sharing = quotient_up(rows, silicon.channels);
    const unsigned cycles = quotient_up(words * sharing * percent, 100);
    return {cycles, cycles, cycles, 1};
  }
  const std::size_t sharing = std::min<std::size_t>(rows, quotient_up(all_rows, channels));
  const unsigned cycles = quotient_up(words, words_per_cycle);
  if (into_pes) return {cycles, cycles, cycles, sharing};
  const unsigned turn = std::max(out_word_cycles, quotient_up(columns * sharing, words_per_cycle));
  const auto count = static_cast<unsigned>(words);
  return {count * out_word_cycles, 0, count * turn, sharing};
}

Schema wse_schema(WseConfig& config) {
  return config::joined({machine_keys(config), fabric_keys(config), queue_keys(config),
                         memcpy_keys(config.memcpy), pe_latency_keys(config.pe),
                         pe_memory_keys(config.pe), pe_rule_keys(config.pe),
                         pe_rate_keys(config.pe)});
}

WseConfig load_wse_config(const std::string& preset, const std::string& file,
                          const std::vector<std::string>& overrides) {
  WseConfig config;
  config.loaded = config::load(wse_schema(config), "wse", {preset, file, overrides});
  config.name = config.loaded.name;
  const auto queues = [&config](bool input) { return queue_count(config.generation, input); };
  check_count(kInputLengths, "input", config.input_queue_lengths.size(), queues(true), config);
  check_count(kOutputLengths, "output", config.output_queue_lengths.size(), queues(false), config);
  return config;
}

}  // namespace tessera::wse
