// Arrays of the host: what --input and --output files hold, what is copied to and from the tiles,
// streamed and checked. Elements lie in C order (the last index runs fastest), little endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/pe/program.h"

namespace tessera::data {

/// kF64, kI64 and kU64 exist only in files: NumPy's own defaults. Tiles hold the others
/// (pe::ElementType), and of AI cores also 8-bit integers. kF16 is IEEE binary16, NumPy's only 16-bit
/// float.
enum class DType : std::uint8_t { kF16, kF32, kF64, kI16, kU16, kI32, kU32, kI64, kI8, kU8, kU64 };

std::size_t bytes_of(DType dtype);
/// "f32", as in layouts and reports.
const char* to_string(DType dtype);
bool is_float(DType dtype);
DType dtype_of(pe::ElementType type);

using Shape = std::vector<std::size_t>;

/// Product of the dimensions; 1 for rank 0. Requires that it fits (files and layouts are checked
/// when read).
std::size_t element_count(const Shape& shape);
/// "(3, 4)", "(3,)", "()", as NumPy writes it.
std::string to_string(const Shape& shape);
/// "[1, 2]": the indices of element `flat` of an array of this shape.
std::string index_text(const Shape& shape, std::size_t flat);
/// The shortest decimal that reads back as the same double.
std::string number_text(double value);

struct HostArray {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<std::byte> bytes;  ///< element_count(shape) * bytes_of(dtype)

  /// All zeros.
  static HostArray zeros(DType dtype, Shape shape);

  std::size_t size() const { return bytes.size() / bytes_of(dtype); }
  /// Element as a double; exact but for 64-bit integers beyond 2^53.
  double at(std::size_t i) const;
  /// The same for elements first .. first+count-1.
  void read(std::size_t first, std::size_t count, double* to) const;
  /// Stores the nearest value of the dtype: f16 and f32 round to nearest, integers must be
  /// representable (use `converted` for values that come from a user).
  void set(std::size_t i, double value);
  /// Stores elements first .. first+count-1 like set, as far as the dtype can hold them: answers
  /// how many, `count` if all are stored.
  std::size_t write(std::size_t first, std::size_t count, const double* from);
  /// The bits of an element, zero-extended: what a wavelet or a word of SRAM holds.
  std::uint64_t bits(std::size_t i) const;
  void set_bits(std::size_t i, std::uint64_t value);
};

/// Doubles with a shape.
struct Values {
  Shape shape;
  std::vector<double> elements;
};

class Computed;

/// The array with another dtype. f16 and f32 round to nearest; a value that an integer dtype or one
/// of these cannot hold (a fraction, out of range, NaN in an integer) is a UserError(file, place)
/// that names the element.
HostArray converted(HostArray array, DType dtype, const std::string& file,
                    const std::string& place);
HostArray converted(const Computed& values, DType dtype, const std::string& file,
                    const std::string& place);

}  // namespace tessera::data
