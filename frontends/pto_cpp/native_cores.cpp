#include "frontends/pto_cpp/native_cores.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "frontends/pto_cpp/call_sites.h"
#include "frontends/pto_cpp/native_fiber.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

using cluster::CoreId;
using cluster::CoreKind;
using cluster::Location;

namespace {

constexpr std::uint64_t kMostBlocks = 500'000'000;  // basic blocks without a call
constexpr const char* kNativeId = "/tessera/cluster/native";

/// The largest access of the scalar unit that a native access of `bytes` begins with.
unsigned piece_of(std::size_t bytes) {
  return bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
}

}  // namespace

/// Why native code stopped.
struct NativeCores::Request {
  enum class Kind : std::uint8_t { kEnded, kOperation, kSync, kLoad, kClean, kNothing, kFailed };
  Kind kind = Kind::kEnded;
  std::uint64_t from = 0;  // the return address of the call, in the module
  const TsrCall* call = nullptr;
  TsrSync sync = TSR_SET_FLAG;
  int pipe = 0, to = 0, mode = 0;
  std::int64_t id = 0;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

namespace {

constexpr unsigned kMostProbed = 10000;  // requests

/// What a request says about the kind of core for which the code was written.
enum class Fit : std::uint8_t { kOwn, kOther, kEither };

Fit fit(CoreKind kind, const TsrCall& call) {
  bool in_ub = false, tiles = false, elsewhere = false;
  for (unsigned n = 0; n < call.count; ++n) {
    const TsrOperand& o = call.operands[n];
    if (o.role != TSR_IN && o.role != TSR_OUT) continue;
    tiles = true;
    (std::strcmp(o.tile->type->location, "vec") == 0 ? in_ub : elsewhere) = true;
  }
  if (!tiles) return Fit::kOwn;
  return (kind == CoreKind::kAiv ? in_ub : elsewhere) ? Fit::kOwn : Fit::kOther;
}
Fit fit(CoreKind kind, TsrSync what, cluster::Pipe pipe, cluster::Pipe to) {
  using cluster::Pipe;
  if (what > TSR_BARRIER && what != TSR_DATA_BARRIER) return Fit::kOwn;
  Fit found = Fit::kEither;
  for (const Pipe p : {pipe, to}) {
    const bool is_vector = p == Pipe::kV;
    const bool is_cube = p == Pipe::kM || p == Pipe::kMte1 || p == Pipe::kFix;
    if (is_vector || is_cube)
      found = is_vector == (kind == CoreKind::kAiv) ? Fit::kOwn : Fit::kOther;
  }
  return found;
}

}  // namespace

/// Native bytes that the scalar unit stores before it does anything else.
struct NativeCores::Store {
  std::uint64_t address, from;
  std::size_t bytes;
};

/// The native code of one core: it leaves a Request and waits.
struct NativeCores::Core {
  Core(const NativeLaunch& to_launch, const MemoryMap& map, CoreId core_id, KernelModule& code);
  ~Core() { module.forget(statics); }
  void start();
  /// Runs native code up to its next request.
  void run();
  /// Of native code: waits until the request has been served.
  [[gnu::always_inline]] void wait(const Request& r) {
    launch.trail->at(reinterpret_cast<const void*>(module.base() + r.from));
    request = r;
    fiber.wait();
  }
  void place(Site& site);
  /// Throws IllegalBehaviour with the text of the request.
  [[noreturn]] void fail() const;
  void take_loaded(const std::vector<std::int64_t>& registers);
  Range issue(const Step& step, std::vector<std::int64_t>& registers);
  Range issue_store(std::vector<std::int64_t>& registers);
  /// The instructions that serve a request.
  Step step_of(const Request& r);

  /// Each core runs its block, and those that are a multiple of all resident blocks behind it.
  unsigned first_block() const { return launch.block_of(id); }
  unsigned next_block() const { return block + launch.resident_blocks; }

  const NativeLaunch& launch;
  const MemoryMap& memory;
  const CoreId id;
  KernelModule& module;
  TsrApi api{};
  // What every request needs, in few lines of the cache.
  Request request;
  bool served = true;        // the request
  bool is_launcher = false;  // the function is a launcher, which has come to its launch
  unsigned load_piece = 0;   // bytes that the scalar unit is loading
  std::uint64_t load_address = 0,
                load_bytes = 0;  // what is left of the native load that is being served
  Cycle now = 0, scalar_cycles = 0;
  std::uint64_t blocks_run = 0;  // basic blocks since the last request
  NativeFiber fiber;
  CallSites sites;
  std::deque<Store> stores;  // not issued yet
  unsigned block = 0, block_count = 0;
  std::function<const std::byte*(unsigned)>
      contents;                    // while it is found out whether the core takes part
  std::string failure;             // of a request kFailed
  std::vector<std::byte> statics;  // of this core: the variables of the module
  std::vector<std::int64_t> arguments;
  std::shared_ptr<cluster::Program> program;
};

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
            allocate};
  }

 private:
  static Core& core_of(void* self) { return *static_cast<Core*>(self); }
  static std::uint64_t from(Core& core, const void* address) {
    return core.module.offset_of(address);
  }

  static void operation(void* self, const TsrCall* call) {
    Core& core = core_of(self);
    Request r;
    r.kind = Request::Kind::kOperation;
    r.from = from(core, __builtin_return_address(0));
    r.call = call;
    core.wait(r);
  }
  static void sync(void* self, TsrSync what, int pipe, int to, std::int64_t id, int mode) {
    Core& core = core_of(self);
    // A5 keeps the order of its vector unit (ascend.md 2.3), and no pipe S needs a barrier.
    const bool a5 = core.launch.profile == cluster::Profile::kA5;
    const auto barrier = static_cast<cluster::Pipe>(pipe);
    const bool has_barrier = barrier == cluster::Pipe::kMte2 || barrier == cluster::Pipe::kMte3 ||
                             barrier == cluster::Pipe::kAll;
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
  static std::int64_t special(void* self, TsrSpecial what) {
    Core& core = core_of(self);
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
    Core& core = core_of(self);
    const auto where = reinterpret_cast<std::uint64_t>(address);
    const auto found = core.memory.find(where);
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
    if (stores) return core.stores.push_back({where, r.from, bytes});
    r.kind = Request::Kind::kLoad;
    core.wait(r);
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
    Core& core = core_of(self);
    core.launch.trail->at(at);
    if (++core.blocks_run <= kMostBlocks) return;
    refuse(core, at, "native code runs on without an operation, as in an endless loop");
  }
  static void* allocate(void* self, std::size_t) {
    refuse(core_of(self), __builtin_return_address(0),
           "a kernel cannot allocate memory of the device");
    return nullptr;
  }
  static void fail(void* self, const char* text) {
    refuse(core_of(self), __builtin_return_address(0), text);
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
    : launch(to_launch), memory(map), id(core_id), module(code), api(Interface::of(*this)),
      sites(to_launch.profile, cluster::kind_of(core_id), map, code.lines()) {}

void NativeCores::Core::start() {
  module.forget(statics);
  statics.clear();
  block_count = launch.blocks;
  is_launcher = false;
  served = true;
  fiber.start([this] {
    const BoundKernel& bound = id.is_aic() ? launch.aic_kernel : launch.aiv_kernel;
    for (block = first_block(); !is_launcher && block < launch.blocks; block = next_block()) {
      if (bound.run != nullptr)
        bound.run(bound.closure);
      else
        module.entry()->call(arguments.data());
    }
    request = {};
  });
}

void NativeCores::Core::run() {
  module.enter(statics, api);
  blocks_run = 0;
  launch.trail->enter(NativeTrail::kFirstCore + id.index(), cluster::kind_of(id));
  fiber.run();
  launch.trail->leave();
  served = false;
  if (fiber.crash().signal == 0) return;
  request = {};
  request.kind = Request::Kind::kFailed;
  failure = "native code ended with " + fiber.describe_crash();
}

// The instructions of a place go into the program of this core, which grows by those that it meets for the first time.
void NativeCores::Core::place(Site& site) {
  cluster::Program& p = *program;
  site.begin = static_cast<std::uint32_t>(p.code.size());
  const auto operations = static_cast<std::uint32_t>(p.operations.size());
  p.registers = std::max(p.registers, site.code.registers);
  for (cluster::Instruction i : site.code.code) {
    if (i.operation != 0) i.operation += operations;
    if (i.op == cluster::Opcode::kJump || i.op == cluster::Opcode::kBranch) i.target += site.begin;
    if (!site.place.file.empty() && site.place.file != p.file)
      p.other_files[static_cast<std::uint32_t>(p.code.size())] = site.place.file;
    p.code.push_back(i);
  }
  p.operations.insert(p.operations.end(), site.code.operations.begin(), site.code.operations.end());
  site.end = static_cast<std::uint32_t>(p.code.size());
}

// --- the source of instructions ---

NativeCores::NativeCores(NativeLaunch launch)
    : launch_(std::move(launch)), memory_(*launch_.memory),
      cores_(std::size_t{launch_.clusters} * 3) {}

NativeCores::~NativeCores() = default;

std::vector<std::int64_t> NativeCores::argument_values() const {
  std::vector<std::int64_t> values;
  for (const KernelArgument& a : launch_.arguments)
    values.push_back(a.array < 0 ? a.value
                                 : static_cast<std::int64_t>(
                                       MemoryMap::of_array(static_cast<unsigned>(a.array))));
  return values;
}

std::unique_ptr<NativeCores::Core> NativeCores::make_core(CoreId id) {
  auto core =
      std::make_unique<Core>(launch_, memory_, id, id.is_aic() ? *launch_.aic : *launch_.aiv);
  core->arguments = argument_values();
  core->start();
  return core;
}

void NativeCores::set_kernels(const BoundKernel& aic, const BoundKernel& aiv, unsigned blocks) {
  launch_.aic_kernel = aic;
  launch_.aiv_kernel = aiv;
  launch_.blocks = blocks;
}

bool NativeCores::takes_part(CoreKind kind,
                             const std::function<const std::byte*(unsigned array)>& contents) {
  const CoreId id = CoreId::at(kind == CoreKind::kAic ? 0 : 1);
  const auto core = make_core(id);
  core->contents = contents;
  for (unsigned n = 0; n < kMostProbed; ++n) {
    core->run();
    const Request& r = core->request;
    Fit found = Fit::kEither;
    if (r.kind == Request::Kind::kEnded) return n > 0 && kind == CoreKind::kAiv;
    if (r.kind == Request::Kind::kFailed) return true;
    if (r.kind == Request::Kind::kOperation) found = fit(kind, *r.call);
    if (r.kind == Request::Kind::kSync)
      found =
          fit(kind, r.sync, static_cast<cluster::Pipe>(r.pipe), static_cast<cluster::Pipe>(r.to));
    if (found != Fit::kEither) return found == Fit::kOwn;
  }
  return true;
}

std::shared_ptr<const cluster::Program> NativeCores::begin(CoreId id) {
  auto& core = cores_[id.index()];
  if (core) {  // a further launch
    core->start();
    core->program->code.emplace_back();  // kEnd
    return core->program;
  }
  core = make_core(id);
  core->program = std::make_shared<cluster::Program>();
  cluster::Program& p = *core->program;
  p.name = launch_.name;
  p.file = launch_.file;
  p.arrays = launch_.arrays;
  p.registers = kArgumentRegisters;
  p.automatic_sync = launch_.automatic_sync;
  p.code.emplace_back();  // kEnd
  return core->program;
}

cluster::InstructionSource::Range NativeCores::next(CoreId id, std::vector<std::int64_t>& registers,
                                                    Cycle now) {
  Core& core = *cores_[id.index()];
  core.now = now;
  if (core.load_piece > 0) core.take_loaded(registers);
  if (core.served) core.run();
  const Cycle native = std::exchange(core.blocks_run, 0) * launch_.block_cycles;
  core.scalar_cycles = native > launch_.issue_cycles ? native - launch_.issue_cycles : 0;
  if (!core.stores.empty()) return core.issue_store(registers);
  const Request& r = core.request;
  if (r.kind == Request::Kind::kEnded) return {0, 1, 0};
  if (r.kind == Request::Kind::kFailed) core.fail();
  core.served = r.kind != Request::Kind::kLoad;
  return core.issue(core.step_of(r), registers);
}

void NativeCores::Core::fail() const {
  const NativeFiber::Crash& crash = fiber.crash();
  SourceLine line = module.lines().at(request.from);
  for (std::size_t n = 0; n < crash.caller_count && line.file.empty(); ++n)
    line = module.lines().at(module.offset_of(crash.callers[n]));
  const std::string place =
      line.file.empty() ? "" : line.file + ":" + std::to_string(line.line) + ": ";
  throw IllegalBehaviour(place + "kernel " + launch.name + " on " + to_string(id) + ": " + failure,
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
  const bool has_grown = step.site->begin == 0;
  if (has_grown) {
    place(*step.site);
    registers.resize(std::max<std::size_t>(registers.size(), program->registers));
  }
  std::copy_n(step.arguments.begin(), step.count, registers.begin());
  return {step.site->begin, step.site->end, std::exchange(scalar_cycles, 0), has_grown};
}

}  // namespace tessera::pto_cpp
