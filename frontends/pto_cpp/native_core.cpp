#include "frontends/pto_cpp/native_core.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

using cluster::CoreId;
using cluster::Location;

namespace {

constexpr std::uint64_t kMostBlocks = 500'000'000;  // basic blocks without a call
constexpr const char* kNativeId = "/tessera/cluster/native";

/// The largest access of the scalar unit that a native access of `bytes` begins with.
unsigned piece_of(std::size_t bytes) {
  return bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
}

}  // namespace

// --- what native code calls ---

/// The functions of TsrApi; `self` is a Core.
class NativeCores::Interface {
 public:
  static TsrApi of(Core& core) {
    return {TSR_INTERFACE_VERSION,
            &core,
            operation,
            sync,
            special,
            access,
            clean,
            address,
            launch,
            block,
            fail,
            allocate,
            refuse_at,
            threads,
            meet,
            exchange,
            vector,
            scope};
  }

 private:
  /// Threads that native code has started are no cores. One may run when its core has gone, so only addresses are compared.
  static bool is_of_core(void* self) { return static_cast<Core*>(self)->fiber.is_running(); }
  /// A thread of a SIMT function of the core calls.
  static NativeThreads* threads_of(void* self) {
    NativeThreads* const threads = static_cast<Core*>(self)->threads;
    return threads != nullptr && threads->is_running() ? threads : nullptr;
  }
  static Core& core_of(void* self) {
    if (NativeThreads* const threads = threads_of(self))
      threads->fail("a thread has no pipes: operations, flags and caches are those of its core",
                    __builtin_return_address(0));
    if (!is_of_core(self))
      NativeTrail::of_process().end_run("calls PTO in a thread or a process of its own");
    return *static_cast<Core*>(self);
  }
  static std::uint64_t from(Core& core, const void* address) {
    return core.module.offset_of(address);
  }

  /// Answers whether the run ends: nothing but instructions on registers stands in the scope of a vector function.
  static bool is_in_scope(Core& core, const void* at) {
    if (!core.vectors.is_in_scope()) return false;
    refuse(core, at, "only instructions on vector registers may stand in __VEC_SCOPE__");
    return true;
  }
  static void operation(void* self, const TsrCall* call) {
    Core& core = core_of(self);
    if (is_in_scope(core, __builtin_return_address(0))) return;
    if (const std::string why = why_no_operands(*call); !why.empty())
      return refuse(core, __builtin_return_address(0), why.c_str());
    Request r;
    r.kind = Request::Kind::kOperation;
    r.from = from(core, __builtin_return_address(0));
    r.call = call;
    core.wait(r);
  }
  static void sync(void* self, TsrSync what, int pipe, int to, std::int64_t id, int mode) {
    Core& core = core_of(self);
    if (is_in_scope(core, __builtin_return_address(0))) return;
    if (const std::string why = why_no_sync(what, pipe, to, mode); !why.empty())
      return refuse(core, __builtin_return_address(0), why.c_str());
    // A5 keeps the order of its vector unit (ascend.md 2.3), not that of small products (ascend_2.md 2.1), and no
    // pipe S needs a barrier.
    const bool a5 = core.launch.profile == cluster::Profile::kA5;
    const auto barrier = static_cast<cluster::Pipe>(pipe);
    const bool has_barrier = barrier == cluster::Pipe::kMte2 || barrier == cluster::Pipe::kMte3 ||
                             barrier == cluster::Pipe::kM || barrier == cluster::Pipe::kAll;
    if (what == TSR_BARRIER && (barrier == cluster::Pipe::kS || (a5 && !has_barrier))) return;
    if (what == TSR_SET_FFTS && (a5 || core.contents)) return;
    Request r;
    r.kind = Request::Kind::kSync;
    r.from = from(core, __builtin_return_address(0));
    r.sync = what;
    r.pipe = pipe;
    r.to = to;
    r.id = id;
    r.mode = mode;
    core.wait(r);
  }
  // Kernels compute pipes and cast them. Ids are checked where those of PTO text are.
  static std::string why_no_sync(TsrSync what, int pipe, int to, int mode) {
    if (what < TSR_SET_FLAG || what > TSR_DATA_BARRIER)
      return "a call that the library does not have";
    for (const int number : {pipe, to})
      if (number < 0 || number >= static_cast<int>(tessera::sync::kPipeCount))
        return "pipe " + std::to_string(number) +
               " does not exist; expected PIPE_S, V, MTE1, MTE2, MTE3, M, ALL or FIX";
    if (mode < 0 || mode > 255)
      return "mode " + std::to_string(mode) + " does not exist; expected 0, 1 or 2";
    return "";
  }
  static std::int64_t special(void* self, TsrSpecial what) {
    const bool by_thread = what != TSR_CYCLE && threads_of(self) != nullptr;
    Core& core = by_thread ? *static_cast<Core*>(self) : core_of(self);
    switch (what) {
    case TSR_BLOCK_INDEX:
      return core.block;
    case TSR_BLOCK_COUNT:
      return core.block_count;
    case TSR_SUBBLOCK_INDEX:
      return core.id.is_aic() || core.launch.subblocks < 2 ? 0 : core.id.subblock();
    case TSR_SUBBLOCK_COUNT:
      return core.launch.subblocks;
    case TSR_CLUSTER:
      return core.id.cluster;
    case TSR_CORE:
      return core.id.index();
    case TSR_CYCLE:
      break;
    }
    if (is_in_scope(core, __builtin_return_address(0))) return 0;
    // The counter of A2/A3 runs at 50 MHz, that of A5 at 1 GHz. Whoever asks may wait for time to pass.
    Request r;
    r.kind = Request::Kind::kNothing;
    r.from = from(core, __builtin_return_address(0));
    core.wait(r);
    const std::uint64_t khz = core.launch.profile == cluster::Profile::kA5 ? 1'000'000 : 50'000;
    return static_cast<std::int64_t>(core.now * khz /
                                     std::max<std::uint64_t>(core.launch.clock_khz, 1));
  }
  static void access(void* self, const void* address, std::size_t bytes, bool stores,
                     const void* at) {
    NativeThreads* const threads = threads_of(self);
    Core& core = threads != nullptr ? *static_cast<Core*>(self) : core_of(self);
    const auto where = reinterpret_cast<std::uint64_t>(address);
    const auto found = core.memory.find(where);
    if (threads != nullptr) {
      if (!found || !core.memory.is_mapped(*found, bytes))
        threads->fail(describe(core, where, bytes, stores), at);
      return threads->access(address, bytes, stores, at);
    }
    if (is_in_scope(core, at)) return;
    Request r;
    r.from = from(core, at);
    r.address = where;
    r.bytes = bytes;
    if (!found || !core.memory.is_mapped(*found, bytes)) {
      r.kind = Request::Kind::kFailed;
      core.failure = describe(core, where, bytes, stores);
      return core.wait(r);
    }
    if (core.contents) return preview(core, *found, bytes);
    core.note_hidden_stores();
    if (!core.faded.empty()) core.note_faded(where);
    if (bytes <= Watched::kMost) {
      core.watched.push_back({{where, r.from, bytes}});
      core.watched.back().look();
    }
    if (stores) return core.stores.push_back({where, r.from, bytes});
    r.kind = Request::Kind::kLoad;
    const std::optional<Store> held = core.hold_copy(r);
    core.wait(r);
    if (held) core.stores.push_back(*held);
  }
  static std::string describe(const Core& core, std::uint64_t where, std::size_t bytes,
                              bool stores) {
    std::string text = std::string("native code ") + (stores ? "writes " : "reads ") +
                       std::to_string(bytes) + " bytes";
    const auto found = core.memory.find(where);
    if (!found) return text + " at an address that belongs to no array";
    if (found->location != Location::kGm)
      return text + " at byte " + std::to_string(found->offset) + " of " +
             to_string(found->location) + " of " + to_string(CoreId::at(found->core)) +
             (found->location == Location::kUb ? ", which it does not have"
                                               : ", which native code cannot reach");
    return text + " at byte " + std::to_string(found->offset) + " of the array " +
           core.launch.arrays[found->array].name + ", which has " +
           std::to_string(core.memory.array_bytes()[found->array]);
  }
  // Before the launch arrays have what the host gave.
  static void preview(Core& core, const DeviceAddress& at, std::size_t bytes) {
    if (at.location != Location::kGm) return;
    const std::byte* const from = core.contents(at.array);
    if (from != nullptr)
      std::memcpy(reinterpret_cast<void*>(MemoryMap::of_array(at.array) +
                                          static_cast<std::uint64_t>(at.offset)),
                  from + at.offset, bytes);
  }
  static void clean(void* self, const void* address) {
    Core& core = core_of(self);
    if (is_in_scope(core, __builtin_return_address(0))) return;
    Request r;
    r.kind = Request::Kind::kClean;
    r.from = from(core, __builtin_return_address(0));
    r.address = reinterpret_cast<std::uint64_t>(address);
    core.wait(r);
  }
  static void* address(void* self, const char* location, std::uint64_t byte) {
    constexpr const char* kNames[] = {"", "vec", "mat", "left", "right", "acc", "bias", "scaling"};
    unsigned n = 1;
    while (n < 7 && std::strcmp(kNames[n], location) != 0) ++n;
    return reinterpret_cast<void*>(
        MemoryMap::of_buffer(core_of(self).id.index(), static_cast<Location>(n)) + byte);
  }
  // A launcher runs on every core, and each of them runs its blocks of the kernel at once.
  static void launch(void* self, std::uint64_t blocks, void (*run)(void*), void (*drop)(void*),
                     void* closure) {
    Core& core = core_of(self);
    core.is_launcher = true;
    core.block_count = static_cast<unsigned>(blocks);
    for (core.block = core.first_block(); core.block < blocks; core.block = core.next_block())
      run(closure);
    drop(closure);
  }
  static void block(void* self, const void* at) {
    if (NativeThreads* const threads = threads_of(self)) return threads->block();
    if (!is_of_core(self)) return;
    Core& core = *static_cast<Core*>(self);
    core.launch.trail->at(at);
    core.end_block();
    if (++core.blocks_run <= kMostBlocks) return;
    refuse(core, at, "native code runs on without an operation, as in an endless loop");
  }
  static void* allocate(void* self, std::size_t) {
    refuse(core_of(self), __builtin_return_address(0),
           "a kernel cannot allocate memory of the device");
    return nullptr;
  }
  static void refuse_at(void* self, const char* text, const void* at) {
    if (NativeThreads* const threads = threads_of(self)) threads->fail(text, at);
    refuse(core_of(self), at, text);
  }
  static void fail(void* self, const char* text) {
    refuse_at(self, text, __builtin_return_address(0));
  }
  static void threads(void* self, const TsrThreads* launch) {
    Core& core = core_of(self);
    if (is_in_scope(core, __builtin_return_address(0))) return;
    const std::uint64_t count = std::uint64_t{launch->size[0]} * launch->size[1] * launch->size[2];
    if (count > cluster::kMostThreads)
      return refuse(core, __builtin_return_address(0),
                    ("a function of " + std::to_string(count) + " threads; a block has at most " +
                     std::to_string(cluster::kMostThreads))
                        .c_str());
    Request r;
    r.kind = Request::Kind::kThreads;
    r.from = from(core, __builtin_return_address(0));
    r.id = ++core.functions_started;
    core.functions[r.id] = {*launch, core.block, core.block_count};
    core.wait(r);
  }
  static void vector(void* self, const TsrVectorCall* call) {
    Core& core = core_of(self);
    const void* const at = __builtin_return_address(0);
    const std::string why = core.vectors.add(*call, from(core, at));
    if (!why.empty()) refuse(core, at, why.c_str());
  }
  // Loops of a vector function are no time of the scalar unit.
  static void scope(void* self, int begins) {
    Core& core = core_of(self);
    if (begins != 0) {
      if (!core.vectors.is_in_scope()) {
        if (core.vectors.has_steps()) core.end_vectors();
        core.blocks_before_scope = core.blocks_run;
      }
      return core.vectors.enter(from(core, __builtin_return_address(0)));
    }
    core.vectors.leave();
    if (core.vectors.is_in_scope()) return;
    core.blocks_run = core.blocks_before_scope;
    if (core.vectors.has_steps()) core.end_vectors();
  }
  static void meet(void* self) {
    if (NativeThreads* const threads = threads_of(self)) return threads->meet();
    refuse(core_of(self), __builtin_return_address(0),
           "only threads of a function wait for each other");
  }
  static std::uint32_t exchange(void* self, std::uint64_t value, std::uint64_t* lanes) {
    const void* const at = __builtin_return_address(0);
    if (NativeThreads* const threads = threads_of(self)) return threads->exchange(value, lanes, at);
    refuse(core_of(self), at, "only threads of a function have a warp");
    return 0;
  }
  // The run ends; `at` is the place in native code.
  static void refuse(Core& core, const void* at, const char* text) {
    Request r;
    r.kind = Request::Kind::kFailed;
    r.from = from(core, at);
    core.failure = text;
    core.wait(r);
  }
};

NativeCores::Core::Core(const NativeLaunch& to_launch, const MemoryMap& map, CoreId core_id,
                        KernelModule& code)
    : launch(to_launch), memory(map), id(core_id), module(code),
      api(KernelModule::keep(Interface::of(*this))),
      sites(to_launch.profile, cluster::kind_of(core_id), map, code.lines()),
      vectors(core_id, map, code.lines()) {}

NativeCores::Core::~Core() {
  module.forget(statics);
}

void NativeCores::Core::start() {
  module.forget(statics);
  statics.clear();
  block_count = launch.blocks;
  is_launcher = false;
  served = true;
  vectors.clear();
  fiber.start([this] {
    const BoundKernel& bound = id.is_aic() ? launch.aic_kernel : launch.aiv_kernel;
    for (block = first_block(); !is_launcher && block < launch.blocks; block = next_block()) {
      if (bound.run != nullptr)
        bound.run(bound.closure);
      else
        module.entry()->call(arguments.data());
    }
    if (vectors.has_steps()) end_vectors();
    end_block();
    note_faded();
    request = {};
  });
}

void NativeCores::Core::run() {
  module.enter(statics, api);
  blocks_run = 0;
  launch.trail->enter(NativeTrail::kFirstCore + id.index(), cluster::kind_of(id));
  float_control.enter();
  fiber.run();
  float_control.leave();
  launch.trail->leave();
  served = false;
  if (fiber.crash().signal == 0) return;
  request = {};
  request.kind = Request::Kind::kFailed;
  failure = "native code ended with " + fiber.describe_crash();
}

void NativeCores::Core::end_vectors() {
  Request r;
  r.kind = Request::Kind::kVectors;
  r.from = vectors.begin();
  wait(r);
}

cluster::ThreadWork NativeCores::Core::run_threads(NativeThreads& runner, std::int64_t function,
                                                   cluster::ThreadMemory& data) {
  const StartedThreads started = functions.at(function);
  const TsrThreads& launched = started.launch;
  functions.erase(function);
  module.enter(statics, api);
  launch.trail->enter(NativeTrail::kFirstCore + id.index(), cluster::kind_of(id));
  float_control.enter();
  threads = &runner;
  const cluster::ThreadWork work = runner.run(launched, started.block, started.block_count, data);
  threads = nullptr;
  if (runner.failure().empty()) launched.drop(launched.closure);
  float_control.leave();
  launch.trail->leave();
  if (runner.failure().empty()) return work;
  SourceLine line = module.lines().at(module.offset_of(runner.failed_at()));
  const NativeFiber::Crash& crash = runner.crash();
  for (std::size_t n = 0; n < crash.caller_count && line.file.empty(); ++n)
    line = module.lines().at(module.offset_of(crash.callers[n]));
  const std::string at =
      line.file.empty() ? "" : line.file + ":" + std::to_string(line.line) + ": ";
  throw IllegalBehaviour(at + "kernel " + launch.name + " on " + to_string(id) + ", " +
                             runner.failure() + module.lines().trouble(),
                         kNativeId);
}

// The instructions of a place go into the program of this core, which grows by those that it meets for the first time.
void NativeCores::Core::place(Site& site) {
  cluster::Program& p = *program;
  site.begin = static_cast<std::uint32_t>(p.code.size());
  const auto operations = static_cast<std::uint32_t>(p.operations.size());
  p.registers = std::max(p.registers, site.code.registers);
  for (cluster::Instruction i : site.code.code) {
    if (i.operation != 0) i.operation += operations;
    if (i.op == cluster::Opcode::kJump || i.op == cluster::Opcode::kBranch ||
        i.op == cluster::Opcode::kVectorFunction)
      i.target += site.begin;
    if (!site.place.file.empty() && site.place.file != p.file)
      p.other_files[static_cast<std::uint32_t>(p.code.size())] = site.place.file;
    p.code.push_back(i);
  }
  p.operations.insert(p.operations.end(), site.code.operations.begin(), site.code.operations.end());
  site.end = static_cast<std::uint32_t>(p.code.size());
}

std::string NativeCores::Core::place() const {
  const NativeFiber::Crash& crash = fiber.crash();
  SourceLine line = module.lines().at(request.from);
  for (std::size_t n = 0; n < crash.caller_count && line.file.empty(); ++n)
    line = module.lines().at(module.offset_of(crash.callers[n]));
  return line.file.empty() ? "" : line.file + ":" + std::to_string(line.line);
}

void NativeCores::Core::fail(const std::string& more) const {
  const std::string at = place();
  throw IllegalBehaviour((at.empty() ? "" : at + ": ") + "kernel " + launch.name + " on " +
                             to_string(id) + ": " + failure + more + module.lines().trouble(),
                         kNativeId);
}

// The scalar unit has loaded a piece of what native code is about to read.
void NativeCores::Core::take_loaded(const std::vector<std::int64_t>& registers) {
  std::memcpy(reinterpret_cast<void*>(load_address), &registers[CallSites::kValue], load_piece);
  load_address += load_piece;
  load_bytes -= load_piece;
  load_piece = 0;
  served = load_bytes == 0;
}

NativeCores::Range NativeCores::Core::issue_store(std::vector<std::int64_t>& registers) {
  Store& store = stores.front();
  const unsigned bytes = piece_of(store.bytes);
  const Range range =
      issue(sites.access(*memory.find(store.address), bytes, true, store.from), registers);
  registers[CallSites::kValue] = 0;
  std::memcpy(&registers[CallSites::kValue], reinterpret_cast<const void*>(store.address), bytes);
  store.address += bytes;
  store.bytes -= bytes;
  if (store.bytes == 0) stores.pop_front();
  return range;
}

Step NativeCores::Core::step_of(const Request& r) {
  switch (r.kind) {
  case Request::Kind::kOperation:
    return sites.operation(*r.call, r.from);
  case Request::Kind::kSync:
    return sites.sync(r.sync, r.pipe, r.to, r.id, r.mode, r.from);
  case Request::Kind::kClean: {
    const auto at = memory.find(r.address);
    return sites.clean(at ? &*at : nullptr, r.from);
  }
  case Request::Kind::kThreads:
    return sites.threads(r.id, r.from);
  case Request::Kind::kVectors:
    vectors.finish(*program);
    return sites.vectors(vectors.accesses(), r.from);
  case Request::Kind::kLoad:
    if (load_bytes == 0) {
      load_address = r.address;
      load_bytes = r.bytes;
    }
    load_piece = piece_of(load_bytes);
    return sites.access(*memory.find(load_address), load_piece, false, r.from);
  default:
    return sites.nothing(r.from);
  }
}

NativeCores::Range NativeCores::Core::issue(const Step& step,
                                            std::vector<std::int64_t>& registers) {
  bool has_grown = step.site->begin == 0;
  if (has_grown) {
    place(*step.site);
    registers.resize(std::max<std::size_t>(registers.size(), program->registers));
  }
  has_grown |= request.kind == Request::Kind::kVectors;  // their instructions
  std::copy_n(step.arguments.begin(), step.count, registers.begin());
  return {step.site->begin, step.site->end, std::exchange(scalar_cycles, 0), has_grown};
}

}  // namespace tessera::pto_cpp
