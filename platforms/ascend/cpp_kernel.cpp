#include "platforms/ascend/cpp_kernel.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "frontends/pto_cpp/compile.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

using cluster::CoreKind;
using cluster::Element;
using cluster::LaunchRatio;
using data::DType;

constexpr const char* kNativeId = "/tessera/cluster/native";
/// Arrays that a host program may allocate after its first launch.
constexpr std::size_t kLaterArrays = 64;

std::byte* host_memory(std::size_t array) {
  return reinterpret_cast<std::byte*>(pto_cpp::MemoryMap::of_array(static_cast<unsigned>(array)));
}

pto_cpp::CompiledKernel compile(const Options& options, const AscendConfig& config) {
  const pto_cpp::KernelText text =
      pto_cpp::read_kernel(options.program, options.text.function, options.includes);
  pto_cpp::CompileOptions compiling;
  compiling.profile = config.machine.profile;
  compiling.function = text.entry.name;
  compiling.includes = options.includes;
  if (config.ratio && aics_of(*config.ratio) == 0) compiling.only = CoreKind::kAiv;
  if (config.ratio && aivs_of(*config.ratio) == 0) compiling.only = CoreKind::kAic;
  return pto_cpp::compile(text, compiling);
}

/// What a kernel that was compiled before must agree with.
void check(const pto_cpp::CompiledKernel& kernel, const Options& options,
           const AscendConfig& config) {
  const std::string& function = options.text.function;
  if (!function.empty() && function != kernel.entry.name)
    throw UserError(options.program, "--function " + function,
                    "the kernel was compiled for the function " + kernel.entry.name);
  if (kernel.profile != config.machine.profile)
    throw UserError(options.program, "",
                    std::string("the kernel was compiled with --preset ") +
                        (kernel.profile == cluster::Profile::kA5 ? "a5" : "a2a3") +
                        ", and this machine is another one");
}

}  // namespace

bool is_cpp(const std::string& file) {
  const std::size_t dot = file.rfind('.');
  const std::string end = dot == std::string::npos ? "" : file.substr(dot);
  return end == ".cpp" || end == ".cc" || end == ".cxx" || end == ".cce" || end == ".asc" ||
         end == ".hpp" || pto_cpp::is_kernel_file(file);
}

CppKernel::CppKernel(const Options& options, const AscendConfig& config,
                     const std::optional<pto_cpp::CompiledKernel>& built,
                     pto_cpp::NativeTrail& trail) {
  const pto_cpp::CompiledKernel compiled = built ? *built : compile(options, config);
  check(compiled, options, config);
  native_.profile = config.machine.profile;
  native_.name = compiled.entry.name;
  native_.file = built ? compiled.source : options.program;
  native_.clock_khz = config.machine.clock_khz;
  native_.block_cycles = config.machine.core.block_cycles;
  native_.issue_cycles = config.machine.core.issue_cycles;
  native_.automatic_sync = options.auto_sync;
  native_.trail = &trail;
  trail.set_kernel(native_.name, compiled.library);
  for (const bool cube : {true, false}) {
    const std::string& file = cube ? compiled.aic : compiled.aiv;
    if (file.empty()) continue;
    auto& module = cube ? native_.aic : native_.aiv;
    trail.enter(pto_cpp::NativeTrail::kLoading, cube ? CoreKind::kAic : CoreKind::kAiv);
    module = std::make_shared<pto_cpp::KernelModule>(file, compiled.library);
    trail.leave();
    trail.set_module(cube ? CoreKind::kAic : CoreKind::kAiv, *module);
  }
  names_ = compiled.entry.parameters;
  mark_ = compiled.entry.mark;
  asks_subblock_ = compiled.entry.asks_subblock;
}

const TsrEntry& CppKernel::entry() const {
  return *(native_.aiv ? native_.aiv : native_.aic)->entry();
}

std::string CppKernel::name_of(unsigned argument) const {
  return argument < names_.size() ? names_[argument] : "argument " + std::to_string(argument);
}

std::string CppKernel::signature() const {
  std::string text = native_.name + "(";
  for (unsigned n = 0; n < entry().count; ++n) {
    const TsrParameter& p = entry().parameters[n];
    text +=
        std::string(n == 0 ? "" : ", ") + p.type + (p.is_pointer != 0 ? "* " : " ") + name_of(n);
  }
  return text + ")";
}

void CppKernel::prepare(const Options& options, const AscendConfig& config,
                        std::function<void()> at_end) {
  read_arguments(options, config);
  native_.memory = std::make_shared<pto_cpp::MemoryMap>(
      cluster::kMaxClusters * 3,
      cluster::capacities_of(native_.profile)[static_cast<unsigned>(cluster::Location::kUb)],
      array_bytes_);
  if (options.host_program) run_hosts(native_.arguments);
  cluster::Launch launch = find_launch(config);
  if (!options.host_program) launch.clusters = clusters_in_use(launch);  // a host says so itself
  launch.devices = devices_;
  launch.clusters *= devices_;
  native_.clusters = launch.clusters;
  if (!options.host_program) native_.blocks = launch.block_count();
  native_.resident_blocks = launch.resident_blocks();
  native_.subblocks = launch.is_block_an_aiv() ? 1 : std::max(aivs_of(launch.ratio), 1U);
  native_.block_of = [launch](cluster::CoreId core) { return launch.block_of(core); };
  pto::Kernel kernel;
  kernel.arrays = native_.arrays;
  cores_ = std::make_shared<pto_cpp::NativeCores>(native_);
  launched_ = std::make_unique<LaunchedKernel>(std::move(kernel), launch, cores_);
  launched_->at_end = std::move(at_end);
  launched_->lacks_subblocks = lacks_subblocks_;
  launched_->is_empty = !kinds_.aic && !kinds_.aiv && !options.host_program;
  if (options.host_program)
    launched_->next_launch = [this](Arrays& arrays, Cycle next) { return go_on(arrays, next); };
}

// A kind of core takes part if its code comes to an operation. Kernels ask how many AIVs a cluster has, and the answer
// depends on that.
CppKernel::Kinds CppKernel::kinds(const std::function<const std::byte*(unsigned)>& contents) const {
  pto_cpp::NativeLaunch probe = native_;
  probe.clusters = 1;
  probe.devices = 1;
  probe.arguments.resize(native_.arguments.size() / devices_);
  probe.subblocks = 2;
  pto_cpp::NativeCores cores(probe);
  const bool aic = native_.aic && cores.takes_part(CoreKind::kAic, contents);
  const bool aiv = native_.aiv && cores.takes_part(CoreKind::kAiv, contents);
  return {aic, aiv, cores.launched_blocks()};
}

cluster::Launch CppKernel::find_launch(const AscendConfig& config) {
  if (!aic_host_ && !aiv_host_)
    native_.blocks = config.blocks > 0 ? config.blocks : config.clusters;
  kinds_ = kinds([this](unsigned array) {
    return contents_[array].bytes.empty() ? nullptr : contents_[array].bytes.data();
  });
  auto [aic, aiv, launched] = kinds_;
  if (!aic && !aiv) (native_.aiv ? aiv : aic) = true;  // it ends at once, as on the device
  cluster::Launch launch;
  launch.clusters = config.clusters;
  launch.blocks = config.blocks;
  const bool host_launches = aic_host_ || aiv_host_;
  if (host_launches) launch.blocks = native_.blocks;
  // A block of a kernel for vector cores only is one AIV (pto_cpp.md 1.1); several fill both of a cluster.
  const bool several = launch.clusters > 1 || launch.blocks > 1;
  const LaunchRatio for_aivs = several ? LaunchRatio::k0To2 : LaunchRatio::k0To1;
  const LaunchRatio by_kinds = !aiv ? LaunchRatio::k1To0 : aic ? LaunchRatio::k1To2 : for_aivs;
  const LaunchRatio by_mark = !mark_.cores               ? by_kinds
                              : mark_.cores->second == 1 ? LaunchRatio::k1To1
                                                         : LaunchRatio::k1To2;
  launch.ratio = config.ratio.value_or(by_mark);
  // Public kernels for one kind of core synchronise all of it on A5, with no mark (ascend_2.md 5.1).
  const bool syncs = mark_.syncs_all && config.machine.profile == cluster::Profile::kA5;
  // Cores that a launcher gives no block are not there for the others, as those that launch.blocks leaves.
  if (config.blocks == 0 && launched > 0 && launched < launch.resident_blocks())
    launch.blocks = launched;
  const bool mixes_now = mark_.mixes || mark_.cores.has_value() || syncs;
  lacks_subblocks_ = asks_subblock_ && !config.ratio && launch.ratio == LaunchRatio::k0To2;
  if (host_launches) {  // as many clusters as its blocks need; those of a further launch may be more
    const unsigned needed = launch.is_block_an_aiv() ? (launch.blocks + 1) / 2 : launch.blocks;
    launch.clusters = std::clamp(needed, config.clusters, cluster::kMaxClusters);
    if (aics_of(launch.ratio) == 0) aic_host_.reset();
    if (aivs_of(launch.ratio) == 0) aiv_host_.reset();
  }
  launch.mix = config.mix.value_or((aic && aiv) || mixes_now);
  return launch;
}

// Up to the launch, in the modules of both kinds. What they have allocated and filled are the arrays.
void CppKernel::run_hosts(const std::vector<pto_cpp::KernelArgument>& arguments) {
  std::vector<std::int64_t> values;
  for (const pto_cpp::KernelArgument& a : arguments)
    values.push_back(a.array < 0 ? a.value
                                 : static_cast<std::int64_t>(pto_cpp::MemoryMap::of_array(
                                       static_cast<unsigned>(a.array))));
  const auto run = [&](CoreKind kind, const std::shared_ptr<pto_cpp::KernelModule>& module,
                       std::unique_ptr<pto_cpp::HostProgram>& host, pto_cpp::BoundKernel& kernel) {
    if (!module) return;
    host = std::make_unique<pto_cpp::HostProgram>(module, kind, native_.memory, values,
                                                  *native_.trail);
    const pto_cpp::BoundKernel* const launched = host->run_to_launch();
    if (launched == nullptr)
      throw IllegalBehaviour("the host program ends without a launch", kNativeId);
    kernel = *launched;
    native_.blocks = static_cast<unsigned>(kernel.blocks);
  };
  run(CoreKind::kAic, native_.aic, aic_host_, native_.aic_kernel);
  run(CoreKind::kAiv, native_.aiv, aiv_host_, native_.aiv_kernel);
  std::vector<std::size_t> bytes = native_.memory->array_bytes();
  bytes.resize(bytes.size() + kLaterArrays);
  for (std::size_t a = contents_.size(); a < bytes.size(); ++a) {
    native_.arrays.push_back({"allocation" + std::to_string(a), Element::kU8, 0});
    data::HostArray array;
    array.dtype = DType::kU8;
    array.shape = {bytes[a]};
    if (bytes[a] > 0) array.bytes.assign(host_memory(a), host_memory(a) + bytes[a]);
    array_bytes_.push_back(bytes[a]);
    contents_.push_back(std::move(array));
  }
}

// The instances of the host in both modules do the same, the second one with what the first one has found.
bool CppKernel::go_on(Arrays& arrays, Cycle next) {
  cluster::ClusterData& data = *arrays.data();
  for (const bool cube : {false, true}) {
    const auto& host = cube ? aic_host_ : aiv_host_;
    if (!host) continue;
    for (std::size_t a = 0; a < contents_.size(); ++a)
      if (data.size(a) > 0) std::copy_n(data.bytes_at(a, next - 1), data.size(a), host_memory(a));
    const pto_cpp::BoundKernel* const launched = host->run_to_launch();
    if (launched == nullptr) return false;
    (cube ? native_.aic_kernel : native_.aiv_kernel) = *launched;
    native_.blocks = static_cast<unsigned>(launched->blocks);
  }
  const std::vector<std::size_t>& bytes = native_.memory->array_bytes();
  if (bytes.size() > contents_.size())
    throw IllegalBehaviour("the host program allocates more than " + std::to_string(kLaterArrays) +
                               " arrays after its first launch",
                           kNativeId);
  for (std::size_t a = 0; a < bytes.size(); ++a) {
    if (data.size(a) == 0 && bytes[a] > 0) data.resize(a, bytes[a]);
    std::copy_n(host_memory(a), bytes[a], data.bytes_at(a, next - 1));
  }
  const Kinds found = kinds([&](unsigned a) { return data.bytes_at(a, next - 1); });
  if (found.aic != kinds_.aic || found.aiv != kinds_.aiv)
    throw IllegalBehaviour(
        "the host program launches a kernel for other kinds of core than the one before",
        kNativeId);
  cores_->set_kernels(native_.aic_kernel, native_.aiv_kernel, native_.blocks);
  return true;
}

void CppKernel::fill(Arrays& arrays) const {
  for (std::size_t a = 0; a < contents_.size(); ++a)
    if (array_bytes_[a] > 0)
      arrays.give(a, contents_[a], contents_[a].bytes.empty() ? array_bytes_[a] : 0);
}

}  // namespace tessera::ascend
