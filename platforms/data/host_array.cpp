#include "platforms/data/host_array.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "models/pe/half.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

/// Integers lowest..highest; for floating point the finite range.
struct Range {
  double lowest;
  double highest;
};

template <class T>
Range range_as() {
  return {static_cast<double>(std::numeric_limits<T>::lowest()),
          static_cast<double>(std::numeric_limits<T>::max())};
}

constexpr double kLargestHalf = 65504;

Range range_of(DType dtype) {
  switch (dtype) {
  case DType::kF16:
    return {-kLargestHalf, kLargestHalf};
  case DType::kF32:
    return range_as<float>();
  case DType::kF64:
    return range_as<double>();
  case DType::kI16:
    return range_as<std::int16_t>();
  case DType::kU16:
    return range_as<std::uint16_t>();
  case DType::kI32:
    return range_as<std::int32_t>();
  case DType::kU32:
    return range_as<std::uint32_t>();
  case DType::kI64:
    return {-9223372036854775808.0, 9223372036854774784.0};  // largest double below 2^63
  }
  return {0, 0};
}

/// Why `dtype` cannot hold `value`, or "".
std::string unfit(double value, DType dtype) {
  const Range range = range_of(dtype);
  if (is_float(dtype)) {
    if (!std::isfinite(value) || (value >= range.lowest && value <= range.highest)) return "";
  } else if (value >= range.lowest && value <= range.highest && std::trunc(value) == value) {
    return "";
  }
  const std::string name = to_string(dtype);
  if (is_float(dtype))
    return "which " + name + " cannot hold; its largest value is " + number_text(range.highest);
  return "which " + name + " cannot hold; it holds the integers " + number_text(range.lowest) +
         ".." + number_text(range.highest);
}

void check_fits(double value, DType dtype, const Shape& shape, std::size_t i,
                const std::string& file, const std::string& place) {
  const std::string problem = unfit(value, dtype);
  if (problem.empty()) return;
  throw UserError(file, place,
                  "element " + index_text(shape, i) + " is " + number_text(value) + ", " + problem);
}

}  // namespace

std::size_t bytes_of(DType dtype) {
  switch (dtype) {
  case DType::kF16:
  case DType::kI16:
  case DType::kU16:
    return 2;
  case DType::kF32:
  case DType::kI32:
  case DType::kU32:
    return 4;
  case DType::kF64:
  case DType::kI64:
    return 8;
  }
  return 1;
}

const char* to_string(DType dtype) {
  constexpr std::array<const char*, 8> kNames = {"f16", "f32", "f64", "i16",
                                                 "u16", "i32", "u32", "i64"};
  return kNames[static_cast<std::size_t>(dtype)];
}

bool is_float(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kF64;
}

DType dtype_of(pe::ElementType type) {
  switch (type) {
  case pe::ElementType::kI16:
    return DType::kI16;
  case pe::ElementType::kU16:
    return DType::kU16;
  case pe::ElementType::kI32:
    return DType::kI32;
  case pe::ElementType::kU32:
    return DType::kU32;
  case pe::ElementType::kF16:
    return DType::kF16;
  case pe::ElementType::kF32:
    return DType::kF32;
  }
  return DType::kF32;
}

std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  for (std::size_t dimension : shape) count *= dimension;
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string index_text(const Shape& shape, std::size_t flat) {
  std::string text;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::size_t dimension = shape[i] == 0 ? 1 : shape[i];
    text = std::to_string(flat % dimension) + (text.empty() ? "" : ", ") + text;
    flat /= dimension;
  }
  return "[" + text + "]";
}

std::string number_text(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

HostArray HostArray::zeros(DType dtype, Shape shape) {
  HostArray array{dtype, std::move(shape), {}};
  array.bytes.resize(element_count(array.shape) * bytes_of(dtype));
  return array;
}

double HostArray::at(std::size_t i) const {
  const std::byte* from = bytes.data() + i * bytes_of(dtype);
  switch (dtype) {
  case DType::kF16:
    return pe::half_value(load<std::uint16_t>(from), pe::HalfFormat::kF16);
  case DType::kF32:
    return load<float>(from);
  case DType::kF64:
    return load<double>(from);
  case DType::kI16:
    return load<std::int16_t>(from);
  case DType::kU16:
    return load<std::uint16_t>(from);
  case DType::kI32:
    return load<std::int32_t>(from);
  case DType::kU32:
    return load<std::uint32_t>(from);
  case DType::kI64:
    return static_cast<double>(load<std::int64_t>(from));
  }
  return 0;
}

void HostArray::set(std::size_t i, double value) {
  std::byte* to = bytes.data() + i * bytes_of(dtype);
  switch (dtype) {
  case DType::kF16:
    return store(to, pe::half_bits(value, pe::HalfFormat::kF16));
  case DType::kF32:
    return store(to, static_cast<float>(value));
  case DType::kF64:
    return store(to, value);
  case DType::kI16:
    return store(to, static_cast<std::int16_t>(value));
  case DType::kU16:
    return store(to, static_cast<std::uint16_t>(value));
  case DType::kI32:
    return store(to, static_cast<std::int32_t>(value));
  case DType::kU32:
    return store(to, static_cast<std::uint32_t>(value));
  case DType::kI64:
    return store(to, static_cast<std::int64_t>(value));
  }
}

std::uint64_t HostArray::bits(std::size_t i) const {
  std::uint64_t value = 0;  // little endian host: the low bytes come first
  std::memcpy(&value, bytes.data() + i * bytes_of(dtype), bytes_of(dtype));
  return value;
}

void HostArray::set_bits(std::size_t i, std::uint64_t value) {
  std::memcpy(bytes.data() + i * bytes_of(dtype), &value, bytes_of(dtype));
}

HostArray converted(const HostArray& array, DType dtype, const std::string& file,
                    const std::string& place) {
  if (array.dtype == dtype) return array;
  HostArray result = HostArray::zeros(dtype, array.shape);
  for (std::size_t i = 0; i < array.size(); ++i) {
    const double value = array.at(i);
    check_fits(value, dtype, array.shape, i, file, place);
    result.set(i, value);
  }
  return result;
}

HostArray converted(const Values& values, DType dtype, const std::string& file,
                    const std::string& place) {
  HostArray result = HostArray::zeros(dtype, values.shape);
  for (std::size_t i = 0; i < values.elements.size(); ++i) {
    check_fits(values.elements[i], dtype, values.shape, i, file, place);
    result.set(i, values.elements[i]);
  }
  return result;
}

}  // namespace tessera::data
