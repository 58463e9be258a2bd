#include "platforms/ascend/cpp_kernel.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "frontends/pto_cpp/compile.h"
#include "platforms/ascend/arguments_file.h"
#include "platforms/data/npy.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::ascend {

namespace {

using cluster::CoreKind;
using cluster::Element;
using cluster::LaunchRatio;
using data::DType;

struct TypeName {
  const char* name;
  DType dtype;
  Element element;
};
/// NumPy has no bfloat16: its bits are uint16.
constexpr std::array<TypeName, 11> kTypes = {{{"f32", DType::kF32, Element::kF32},
                                              {"f16", DType::kF16, Element::kF16},
                                              {"bf16", DType::kU16, Element::kBf16},
                                              {"i8", DType::kI8, Element::kI8},
                                              {"u8", DType::kU8, Element::kU8},
                                              {"i16", DType::kI16, Element::kI16},
                                              {"u16", DType::kU16, Element::kU16},
                                              {"i32", DType::kI32, Element::kI32},
                                              {"u32", DType::kU32, Element::kU32},
                                              {"i64", DType::kI64, Element::kI64},
                                              {"u64", DType::kU64, Element::kI64}}};

[[noreturn]] void refuse(const std::string& name, const std::string& value,
                         const std::string& why) {
  throw UserError("", "--arg", name + "=" + value + ": " + why);
}

/// "f16[128,128]"; nothing if the text has not this form.
std::optional<std::pair<const TypeName*, data::Shape>> array_in(const std::string& text) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos || text.back() != ']') return std::nullopt;
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const TypeName& t) { return text.substr(0, open) == t.name; });
  if (type == kTypes.end()) return std::nullopt;
  data::Shape shape;
  const std::size_t most = pto_cpp::MemoryMap::most_bytes() / data::bytes_of(type->dtype);
  std::size_t elements = 1;
  for (std::size_t at = open + 1; at < text.size();) {
    const std::size_t end = text.find_first_of(",]", at);
    const auto size = cli::whole_number_in(text.substr(at, end - at));
    if (!size || *size < 0) return std::nullopt;
    shape.push_back(static_cast<std::size_t>(*size));
    if (shape.back() > 0 && elements > most / shape.back())
      throw UserError("", "--arg",
                      text + ": an array has at most " +
                          std::to_string(pto_cpp::MemoryMap::most_bytes()) + " bytes");
    elements *= shape.back();
    at = end + 1;
  }
  return std::pair(&*type, shape);
}

/// Whether an array may be given for a pointer to `pointee`. Pointers to bytes, to nothing and to types that NumPy does not have
/// take any.
bool may_point(const std::string& pointee, DType dtype) {
  const auto either = [dtype](DType one, DType other) { return dtype == one || dtype == other; };
  if (pointee == "f32") return dtype == DType::kF32;
  if (pointee == "f16") return dtype == DType::kF16;
  if (pointee == "bf16") return dtype == DType::kU16;
  if (pointee == "i16" || pointee == "ui16") return either(DType::kI16, DType::kU16);
  if (pointee == "i32" || pointee == "ui32") return either(DType::kI32, DType::kU32);
  if (pointee == "i64") return either(DType::kI64, DType::kU64);
  return true;
}

/// Whole numbers that an argument of a type holds, by the names of library/pto/scalars.h; no value: all.
std::optional<std::pair<std::int64_t, std::int64_t>> range_of(const std::string& type) {
  const bool is_signed = type.rfind('i', 0) == 0;
  if (type == "i64" || (!is_signed && type.rfind("ui", 0) != 0)) return std::nullopt;
  const int bits = std::stoi(type.substr(is_signed ? 1 : 2));
  if (!is_signed) return std::pair(std::int64_t{0}, (std::int64_t{1} << bits) - 1);
  return std::pair(-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1);
}

/// The largest amount of a float of a type.
double largest(const std::string& type) {
  if (type == "f16") return 65504;
  return type == "f64" ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
}

/// A whole number for a parameter of an unsigned type of 64 bits, as its bits.
std::int64_t unsigned_number_for(const TsrParameter& p, const std::string& name,
                                 const std::string& value) {
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end)
    refuse(name, value,
           std::string("an argument of type ") + p.type +
               " is a whole number, at least 0 and at most " +
               std::to_string(std::numeric_limits<std::uint64_t>::max()));
  return static_cast<std::int64_t>(number);
}

std::int64_t truth_for(const std::string& name, const std::string& value) {
  if (value == "true" || value == "1") return 1;
  if (value != "false" && value != "0")
    refuse(name, value, "an argument of type bool is true, false, 1 or 0");
  return 0;
}

/// The bits of a number for a parameter of a type. Throws UserError if the parameter does not hold it.
std::int64_t number_for(const TsrParameter& p, const std::string& name, const std::string& value) {
  if (std::string_view(p.type) == "ui64") return unsigned_number_for(p, name, value);
  if (std::string_view(p.type) == "bool") return truth_for(name, value);
  const auto whole = cli::whole_number_in(value);
  if (p.is_real == 0) {
    if (!whole) refuse(name, value, std::string("the argument is a number of type ") + p.type);
    const auto range = range_of(p.type);
    if (range && (*whole < range->first || *whole > range->second))
      refuse(name, value,
             std::string("an argument of type ") + p.type + " is at least " +
                 std::to_string(range->first) + " and at most " + std::to_string(range->second));
    return *whole;
  }
  const auto real =
      whole ? std::optional(static_cast<double>(*whole)) : cli::finite_number_in(value);
  if (value == "nan" || value == "inf" || value == "-inf")  // as C, NumPy and Python write them
    return cluster::bits_of_real(std::strtod(value.c_str(), nullptr));
  if (!real) refuse(name, value, std::string("the argument is a number of type ") + p.type);
  if (std::fabs(*real) > largest(p.type))
    refuse(name, value, std::string("is too large for an argument of type ") + p.type);
  return cluster::bits_of_real(*real);
}

bool is_null(const std::string& value) {
  return value == "null" || value == "nullptr" || value == "0";
}

constexpr const char* kNativeId = "/tessera/cluster/native";
/// Arrays that a host program may allocate after its first launch.
constexpr std::size_t kLaterArrays = 64;

std::byte* host_memory(std::size_t array) {
  return reinterpret_cast<std::byte*>(pto_cpp::MemoryMap::of_array(static_cast<unsigned>(array)));
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
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
  return end == ".cpp" || end == ".cc" || end == ".cxx" || end == ".cce" || end == ".hpp" ||
         pto_cpp::is_kernel_file(file);
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

void CppKernel::read_arguments(const Options& options, const AscendConfig& config) {
  std::vector<std::string> known, missing;
  for (unsigned n = 0; n < entry().count; ++n) known.push_back(name_of(n));
  std::map<std::string, std::string> args = options.args;
  if (!options.args_file.empty()) add_arguments_of(options.args_file, known, args);
  for (const auto& [name, value] : args)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UserError("", "--arg",
                      "'" + name + "' is no argument of " + native_.name +
                          did_you_mean(name, known));
  for (unsigned n = 0; n < entry().count; ++n) {
    const TsrParameter& p = entry().parameters[n];
    const auto given = args.find(known[n]);
    pto_cpp::KernelArgument argument;
    if (given == args.end()) {
      // What launchers have: the stream of the host, and the number of blocks.
      const bool is_stream = p.is_pointer != 0 && known[n].find("stream") != std::string::npos;
      const bool is_blocks = p.is_pointer == 0 && known[n].rfind("block", 0) == 0;
      if (is_blocks) argument.value = config.blocks > 0 ? config.blocks : config.clusters;
      if (!is_stream && !is_blocks)
        missing.push_back("--arg " + known[n] + (p.is_pointer != 0 ? "=FILE.npy" : "=NUMBER"));
    } else if (p.is_pointer != 0 && is_null(given->second)) {
      argument.value = 0;
    } else if (p.is_pointer != 0) {
      argument.array = static_cast<int>(native_.arrays.size());
      add_array(known[n], given->second, p.type);
    } else {
      argument.value = number_for(p, known[n], given->second);
    }
    native_.arguments.push_back(argument);
  }
  if (missing.empty()) return;
  std::string list;
  for (const std::string& m : missing) list += " " + m;
  throw UserError(options.program, "",
                  native_.name + " has arguments without a value; give" + list);
}

void CppKernel::add_array(const std::string& name, const std::string& value,
                          const std::string& pointee) {
  data::HostArray array;
  Element element = Element::kU8;
  if (ends_with(value, ".npy")) {
    array = data::read_npy(value);
    const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const TypeName& t) { return t.dtype == array.dtype; });
    if (type == kTypes.end())
      refuse(name, value,
             std::string("arrays of ") + data::to_string(array.dtype) + " are not taken");
    element = pointee == "bf16" && array.dtype == DType::kU16 ? Element::kBf16
              : array.dtype == DType::kU16                    ? Element::kU16
                                                              : type->element;
  } else if (const auto zeros = array_in(value)) {
    array.dtype = zeros->first->dtype;
    array.shape = zeros->second;
    element = zeros->first->element;
  } else {
    refuse(name, value,
           "the argument is a pointer: expected FILE.npy, or a type and shape such as "
           "f16[128,128], or "
           "null");
  }
  if (!may_point(pointee, array.dtype))
    refuse(name, value,
           std::string("the array has elements of ") + data::to_string(array.dtype) +
               ", and the argument is a pointer to " + pointee);
  if (data::element_count(array.shape) == 0)
    refuse(name, value, "the array has no elements; a pointer to nothing is null");
  native_.arrays.push_back({name, element});
  array_bytes_.push_back(data::element_count(array.shape) * data::bytes_of(array.dtype));
  contents_.push_back(std::move(array));
}

// A kind of core takes part if its code comes to an operation. Kernels ask how many AIVs a cluster has, and the answer
// depends on that.
CppKernel::Kinds CppKernel::kinds(const std::function<const std::byte*(unsigned)>& contents) const {
  pto_cpp::NativeLaunch probe = native_;
  probe.clusters = 1;
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
    native_.arrays.push_back({"allocation" + std::to_string(a), Element::kU8});
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
