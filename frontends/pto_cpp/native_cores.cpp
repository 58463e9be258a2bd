#include "frontends/pto_cpp/native_cores.h"

#include <cstring>
#include <utility>

#include "frontends/pto_cpp/native_core.h"

namespace tessera::pto_cpp {

using cluster::CoreId;
using cluster::CoreKind;

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

NativeCores::NativeCores(NativeLaunch launch)
    : launch_(std::move(launch)), memory_(*launch_.memory), threads_(memory_),
      cores_(std::size_t{launch_.clusters} * 3) {}

NativeCores::~NativeCores() = default;

std::vector<std::int64_t> NativeCores::argument_values(CoreId core) const {
  std::vector<std::int64_t> values;
  const std::size_t device = core.cluster / std::max(launch_.clusters / launch_.devices, 1U);
  const std::size_t count = launch_.arguments.size() / launch_.devices;
  for (std::size_t n = device * count; n < (device + 1) * count; ++n) {
    const KernelArgument& a = launch_.arguments[n];
    values.push_back(a.array < 0 ? a.value
                                 : static_cast<std::int64_t>(
                                       MemoryMap::of_array(static_cast<unsigned>(a.array))));
  }
  return values;
}

std::unique_ptr<NativeCores::Core> NativeCores::make_core(CoreId id) {
  auto core =
      std::make_unique<Core>(launch_, memory_, id, id.is_aic() ? *launch_.aic : *launch_.aiv);
  core->arguments = argument_values(id);
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
    if (core->is_launcher) launched_blocks_ = core->block_count;
    const Request& r = core->request;
    Fit found = Fit::kEither;
    if (r.kind == Request::Kind::kEnded) return n > 0 && kind == CoreKind::kAiv;
    if (r.kind == Request::Kind::kFailed) return true;
    if (r.kind == Request::Kind::kOperation) found = fit(kind, *r.call);
    if (r.kind == Request::Kind::kVectors) {
      core->vectors.clear();
      found = kind == CoreKind::kAiv ? Fit::kOwn : Fit::kOther;
    }
    if (r.kind == Request::Kind::kThreads) found = kind == CoreKind::kAiv ? Fit::kOwn : Fit::kOther;
    if (r.kind == Request::Kind::kSync)
      found =
          fit(kind, r.sync, static_cast<cluster::Pipe>(r.pipe), static_cast<cluster::Pipe>(r.to));
    if (found != Fit::kEither) return found == Fit::kOwn;
  }
  return true;
}

std::shared_ptr<const cluster::Program> NativeCores::begin(CoreId id) {
  auto& core = cores_[id.index()];
  if (!(id.is_aic() ? launch_.aic
                    : launch_.aiv)) {  // the kernel has no code for this kind: it ends at once
    auto nothing = std::make_shared<cluster::Program>();
    nothing->name = launch_.name;
    nothing->file = launch_.file;
    nothing->arrays = launch_.arrays;
    nothing->code.emplace_back();  // kEnd
    return nothing;
  }
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

cluster::ThreadWork NativeCores::run_threads(CoreId id, std::int64_t function,
                                             cluster::ThreadMemory& data) {
  return cores_[id.index()]->run_threads(threads_, function, data);
}

std::vector<cluster::RegisterStep> NativeCores::take_body(CoreId id) {
  return cores_[id.index()]->vectors.take();
}

// A device that waits for another one does not see why nothing comes.
std::string NativeCores::others_stand(CoreId id) const {
  if (launch_.devices == 1) return "";
  const unsigned clusters = launch_.clusters / launch_.devices;
  std::string text;
  for (std::size_t n = 0; n < cores_.size(); ++n) {
    const CoreId other = CoreId::at(n);
    if (!cores_[n] || other.cluster / clusters == id.cluster / clusters) continue;
    const bool ended = cores_[n]->request.kind == Request::Kind::kEnded && cores_[n]->served;
    text += (text.empty() ? "; " : ", ") + to_string(other) + " (device " +
            std::to_string(other.cluster / clusters) + ") " +
            (ended ? "has ended" : "is at " + cores_[n]->place());
  }
  return text;
}

cluster::InstructionSource::Range NativeCores::next(CoreId id, std::vector<std::int64_t>& registers,
                                                    Cycle now) {
  if (!cores_[id.index()]) return {0, 1, 0};
  Core& core = *cores_[id.index()];
  core.now = now;
  if (core.load_piece > 0) core.take_loaded(registers);
  if (core.served) core.run();
  const Cycle native = std::exchange(core.blocks_run, 0) * launch_.block_cycles;
  core.scalar_cycles = native > launch_.issue_cycles ? native - launch_.issue_cycles : 0;
  if (!core.stores.empty()) return core.issue_store(registers);
  const Request& r = core.request;
  if (r.kind == Request::Kind::kEnded) return {0, 1, 0};
  if (r.kind == Request::Kind::kFailed) core.fail(others_stand(id));
  core.served = r.kind != Request::Kind::kLoad;
  return core.issue(core.step_of(r), registers);
}

}  // namespace tessera::pto_cpp
