#include "platforms/data/host_array.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "models/pe/half.h"
#include "platforms/data/computed.h"
#include "tlm_ifaces/vocabulary/bits.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

/// Integers lowest..highest; for floating point the finite range.
struct Range {
  double lowest;
  double highest;
};

/// How the elements of a dtype are stored: a type, its range, and the way from and to doubles.
template <class T>
struct Plain {
  using Stored = T;
  static constexpr bool kIsFloat = std::is_floating_point_v<T>;
  static constexpr Range kRange = {static_cast<double>(std::numeric_limits<T>::lowest()),
                                   static_cast<double>(std::numeric_limits<T>::max())};
  static double to_double(T stored) { return static_cast<double>(stored); }
  static T from_double(double value) { return static_cast<T>(value); }
};
struct Int64 : Plain<std::int64_t> {
  static constexpr Range kRange = {-9223372036854775808.0,
                                   9223372036854774784.0};  // largest double below 2^63
};
struct Uint64 : Plain<std::uint64_t> {
  static constexpr Range kRange = {0, 18446744073709549568.0};  // largest double below 2^64
};
struct Half {
  using Stored = std::uint16_t;
  static constexpr bool kIsFloat = true;
  static constexpr Range kRange = {-65504, 65504};
  static double to_double(Stored stored) { return pe::half_value(stored, pe::HalfFormat::kF16); }
  static Stored from_double(double value) { return pe::half_bits(value, pe::HalfFormat::kF16); }
};

/// Calls visit with the way in which elements of `dtype` are stored.
template <class Visit>
auto with_storage(DType dtype, Visit visit) {
  switch (dtype) {
  case DType::kF16:
    return visit(Half());
  case DType::kF32:
    break;
  case DType::kF64:
    return visit(Plain<double>());
  case DType::kI16:
    return visit(Plain<std::int16_t>());
  case DType::kU16:
    return visit(Plain<std::uint16_t>());
  case DType::kI32:
    return visit(Plain<std::int32_t>());
  case DType::kU32:
    return visit(Plain<std::uint32_t>());
  case DType::kI64:
    return visit(Int64());
  case DType::kI8:
    return visit(Plain<std::int8_t>());
  case DType::kU8:
    return visit(Plain<std::uint8_t>());
  case DType::kU64:
    return visit(Uint64());
  }
  return visit(Plain<float>());
}

template <class Storage>
bool fits(double value) {
  const bool inside = value >= Storage::kRange.lowest && value <= Storage::kRange.highest;
  if constexpr (Storage::kIsFloat) return inside || !std::isfinite(value);
  return inside && std::trunc(value) == value;
}

[[noreturn]] void fail_to_convert(double value, DType dtype, const Shape& shape, std::size_t i,
                                  const std::string& file, const std::string& place) {
  const Range range = with_storage(dtype, [](auto storage) { return decltype(storage)::kRange; });
  const std::string largest = number_text(range.highest);
  const std::string held =
      is_float(dtype) ? "its largest value is " + largest
                      : "it holds the integers " + number_text(range.lowest) + ".." + largest;
  throw UserError(file, place,
                  "element " + index_text(shape, i) + " is " + number_text(value) + ", which " +
                      to_string(dtype) + " cannot hold; " + held);
}

}  // namespace

std::size_t bytes_of(DType dtype) {
  constexpr std::array<std::size_t, 11> kBytes = {2, 4, 8, 2, 2, 4, 4, 8, 1, 1, 8};
  return kBytes[static_cast<std::size_t>(dtype)];
}

const char* to_string(DType dtype) {
  constexpr std::array<const char*, 11> kNames = {"f16", "f32", "f64", "i16", "u16", "i32",
                                                  "u32", "i64", "i8",  "u8",  "u64"};
  return kNames[static_cast<std::size_t>(dtype)];
}

bool is_float(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kF64;
}

DType dtype_of(pe::ElementType type) {
  for (const DType dtype : {DType::kF16, DType::kI16, DType::kU16, DType::kI32, DType::kU32}) {
    if (to_string(dtype) == to_string(type)) return dtype;
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
  double value = 0;
  read(i, 1, &value);
  return value;
}

void HostArray::read(std::size_t first, std::size_t count, double* to) const {
  with_storage(dtype, [&](auto storage) {
    using Storage = decltype(storage);
    using Stored = typename Storage::Stored;
    const std::byte* from = bytes.data() + first * sizeof(Stored);
    for (std::size_t i = 0; i < count; ++i)
      to[i] = Storage::to_double(load<Stored>(from + i * sizeof(Stored)));
  });
}

void HostArray::set(std::size_t i, double value) {
  with_storage(dtype, [&](auto storage) {
    using Storage = decltype(storage);
    store(bytes.data() + i * sizeof(typename Storage::Stored), Storage::from_double(value));
  });
}

std::size_t HostArray::write(std::size_t first, std::size_t count, const double* from) {
  return with_storage(dtype, [&](auto storage) {
    using Storage = decltype(storage);
    using Stored = typename Storage::Stored;
    std::byte* to = bytes.data() + first * sizeof(Stored);
    for (std::size_t i = 0; i < count; ++i) {
      if (!fits<Storage>(from[i])) return i;
      store(to + i * sizeof(Stored), Storage::from_double(from[i]));
    }
    return count;
  });
}

std::uint64_t HostArray::bits(std::size_t i) const {
  std::uint64_t value = 0;  // little endian host: the low bytes come first
  std::memcpy(&value, bytes.data() + i * bytes_of(dtype), bytes_of(dtype));
  return value;
}

void HostArray::set_bits(std::size_t i, std::uint64_t value) {
  std::memcpy(bytes.data() + i * bytes_of(dtype), &value, bytes_of(dtype));
}

HostArray converted(HostArray array, DType dtype, const std::string& file,
                    const std::string& place) {
  if (array.dtype == dtype) return array;
  return converted(Loaded(array), dtype, file, place);
}

HostArray converted(const Computed& values, DType dtype, const std::string& file,
                    const std::string& place) {
  HostArray result = HostArray::zeros(dtype, values.shape());
  values.for_each_piece([&](std::size_t first, std::size_t count, const double* elements) {
    const std::size_t stored = result.write(first, count, elements);
    if (stored < count)
      fail_to_convert(elements[stored], dtype, result.shape, first + stored, file, place);
  });
  return result;
}

}  // namespace tessera::data
