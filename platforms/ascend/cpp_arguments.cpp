// The arguments of a kernel in C++ from the command line, for each device.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "platforms/ascend/arguments_file.h"
#include "platforms/ascend/cpp_kernel.h"
#include "platforms/data/npy.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::ascend {

namespace {

using cluster::Element;
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

/// Begins the value of an array of 64-bit words.
constexpr const char* kWords = "words:";
bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::string CppKernel::name_on(unsigned device, unsigned argument) const {
  return devices_ == 1 ? name_of(argument) : name_of(argument) + "@" + std::to_string(device);
}

void CppKernel::read_arguments(const Options& options, const AscendConfig& config) {
  devices_ = native_.devices = config.devices;
  if (devices_ > 1 && options.host_program)
    throw UserError("", "--host-program", "a host program launches on one device");
  std::vector<std::string> known, missing, given;
  for (unsigned n = 0; n < entry().count; ++n) known.push_back(name_of(n));
  std::map<std::string, std::string> args = options.args;
  if (!options.args_file.empty()) add_arguments_of(options.args_file, known, args);
  for (unsigned d = 0; d < devices_ && devices_ > 1; ++d)
    for (unsigned n = 0; n < entry().count; ++n) given.push_back(name_on(d, n));
  for (const auto& [name, value] : args)
    if (std::find(known.begin(), known.end(), name) == known.end() &&
        std::find(given.begin(), given.end(), name) == given.end())
      throw UserError("", "--arg",
                      "'" + name + "' is no argument of " + native_.name +
                          did_you_mean(name, known));
  for (unsigned d = 0; d < devices_; ++d) read_arguments_of(d, config, args, missing);
  if (missing.empty())
    for (const auto& [array, value] : words_) fill_words(array, value);
  if (missing.empty()) return;
  std::string list;
  for (const std::string& m : missing) list += " " + m;
  throw UserError(options.program, "",
                  native_.name + " has arguments without a value; give" + list);
}

void CppKernel::read_arguments_of(unsigned device, const AscendConfig& config,
                                  const std::map<std::string, std::string>& args,
                                  std::vector<std::string>& missing) {
  for (unsigned n = 0; n < entry().count; ++n) {
    const TsrParameter& p = entry().parameters[n];
    const std::string name = name_on(device, n), common = name_of(n);
    const auto own = args.find(name);
    const auto given = own == args.end() ? args.find(common) : own;
    pto_cpp::KernelArgument argument;
    if (given == args.end()) {
      // What launchers have: the stream of the host, and the number of blocks.
      const bool is_stream = p.is_pointer != 0 && common.find("stream") != std::string::npos;
      const bool is_blocks = p.is_pointer == 0 && common.rfind("block", 0) == 0;
      if (is_blocks) argument.value = config.blocks > 0 ? config.blocks : config.clusters;
      if (!is_stream && !is_blocks)
        missing.push_back("--arg " + name + (p.is_pointer != 0 ? "=FILE.npy" : "=NUMBER"));
    } else if (p.is_pointer != 0 && is_null(given->second)) {
      argument.value = 0;
    } else if (p.is_pointer != 0) {
      argument.array = static_cast<int>(native_.arrays.size());
      add_array(name, given->second, p.type, device);
    } else {
      argument.value = number_for(p, common, given->second);
    }
    native_.arguments.push_back(argument);
  }
}

// "words:1,0x10,&win@1,&win@0+64": what a host gives as a context, with the addresses of the windows of all devices.
void CppKernel::fill_words(std::size_t array, const std::string& value) {
  std::vector<std::byte>& bytes = contents_[array].bytes;
  const std::string& name = native_.arrays[array].name;
  for (std::size_t at = std::string_view(kWords).size(); at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    std::string text = value.substr(at, end - at);
    std::uint64_t word = 0;
    const bool is_address = !text.empty() && text[0] == '&';
    const std::size_t plus = is_address ? text.find('+') : std::string::npos;
    if (is_address) {
      const std::string target = text.substr(1, plus == std::string::npos ? plus : plus - 1);
      const auto found = std::find_if(native_.arrays.begin(), native_.arrays.end(),
                                      [&](const auto& a) { return a.name == target; });
      if (found == native_.arrays.end()) refuse(name, text, "there is no array " + target);
      word = pto_cpp::MemoryMap::of_array(static_cast<unsigned>(found - native_.arrays.begin()));
      text = plus == std::string::npos ? "0" : text.substr(plus + 1);
    }
    const auto number = cli::whole_number_in(text);
    if (!number) refuse(name, text, "expected a whole number, or & and the name of an array");
    word += static_cast<std::uint64_t>(*number);
    const auto* const first = reinterpret_cast<const std::byte*>(&word);
    bytes.insert(bytes.end(), first, first + sizeof word);
    at = end + 1;
  }
}

void CppKernel::add_array(const std::string& name, const std::string& value,
                          const std::string& pointee, unsigned device) {
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
  } else if (value.rfind(kWords, 0) == 0) {
    words_.emplace(native_.arrays.size(), value);
    array.dtype = DType::kU64;
    array.shape = {static_cast<std::size_t>(std::count(value.begin(), value.end(), ',')) + 1};
    element = Element::kI64;
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
  if (words_.count(native_.arrays.size()) == 0 && !may_point(pointee, array.dtype))
    refuse(name, value,
           std::string("the array has elements of ") + data::to_string(array.dtype) +
               ", and the argument is a pointer to " + pointee);
  if (data::element_count(array.shape) == 0)
    refuse(name, value, "the array has no elements; a pointer to nothing is null");
  native_.arrays.push_back({name, element, device});
  array_bytes_.push_back(data::element_count(array.shape) * data::bytes_of(array.dtype));
  contents_.push_back(std::move(array));
}

}  // namespace tessera::ascend
