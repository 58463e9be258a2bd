#include "platforms/numesh/numesh_config.h"

namespace tessera::numesh {

namespace {

using config::name;
using config::number;
using config::Schema;
using scheduled::SkewPolicy;
using scheduled::SlotClock;

constexpr std::uint64_t kMaxCycles = 1000000;

Schema router_keys(operators::Target& t) {
  scheduled::Rules& r = t.rules;
  return {
      number("router.vfsm_buffer", r.vfsm_buffer, "words", 1, 255, "buffer of a VFSM (b)"),
      number("router.vfsms", t.max_vfsms, "VFSMs", 1, 65535,
             "VFSMs of a node, for all phases together"),
      number("router.vfsms_per_cycle", r.vfsms_per_cycle, "VFSMs", 1, 6,
             "VFSMs of a node that may run in one cycle"),
      number("interface.output_depth", r.output_depth, "words", 1, 65535,
             "queue of an address from the processor to the router (Qs)"),
      number("interface.input_depth", r.input_depth, "words", 1, 65535,
             "queue of an address from the router to the processor (Qd)"),
      number("interface.addresses", t.max_addresses, "addresses", 1, 65535,
             "addresses of a node in each direction, for all phases together"),
      number("interface.io_per_cycle", r.io_per_cycle, "words", 1, 16,
             "words that a processor may read and write in one cycle"),
  };
}

Schema schedule_keys(operators::Target& t) {
  scheduled::Rules& r = t.rules;
  return {
      number("schedule.max_length", t.max_length, "slots", 1, 4096,
             "the longest schedule that the compiler may make"),
      number("schedule.memory", r.schedule_memory, "schedules", 2, 64,
             "complete schedules that the memory of a node holds"),
      number("schedule.load_cycles", r.load_cycles, "cycles", 0, kMaxCycles,
             "to load a schedule while another one runs"),
      name("schedule.clock", r.slot_clock,
           {{"global", SlotClock::kGlobal}, {"since_switch", SlotClock::kSinceSwitch}},
           "from where slots count: one `global` clock, or every node `since_switch`, which is "
           "wrong and shows why"),
  };
}

Schema phase_keys(operators::Target& t) {
  scheduled::Rules& r = t.rules;
  return {
      number("phase.switch_cost", r.switch_cost, "cycles", 0, kMaxCycles,
             "from one schedule of a node to the next, in which none runs"),
      name(
          "phase.skew", r.skew,
          {{"hold", SkewPolicy::kHold},
           {"check", SkewPolicy::kCheck},
           {"tag", SkewPolicy::kTag},
           {"barrier", SkewPolicy::kBarrier}},
          "neighbours in different phases: words wait until somebody listens and slots of phases "
          "are kept apart (`hold`), that is also verified (`check`), links carry a phase `tag`, or "
          "all nodes switch together (`barrier`)"),
      number("phase.barrier_latency", r.barrier_latency, "cycles", 1, kMaxCycles,
             "from the last arrival at a barrier to its release"),
      name("phase.suspend_interrupts", r.suspend_interrupts, {{"true", true}, {"false", false}},
           "whether interruptions wait while a node is in a phase with a message-bound operator; "
           "at barriers they always do"),
      number("phase.worst_stall", t.worst_stall, "cycles", 0, kMaxCycles,
             "added to message-bound delays for each reader: what may hold a processor up once "
             "(M)"),
      number("online.interrupt_cost", t.interrupt_cost, "cycles", 0, kMaxCycles,
             "that an interrupt of the software router takes from the processor"),
  };
}

}  // namespace

Schema numesh_schema(NumeshConfig& config) {
  return config::joined({{number("clock.period_ps", config.clock_period_ps, "ps", 1, 1000000000,
                                 "clock period; 1 cycle of the report")},
                         router_keys(config.target),
                         schedule_keys(config.target),
                         phase_keys(config.target)});
}

NumeshConfig load_numesh_config(const std::string& preset, const std::string& file,
                                const std::vector<std::string>& overrides) {
  NumeshConfig config;
  config.loaded = config::load(numesh_schema(config), "numesh", {preset, file, overrides});
  config.name = config.loaded.name;
  return config;
}

}  // namespace tessera::numesh
