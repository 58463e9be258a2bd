#include "frontends/pto/elements.h"

#include "frontends/pto/words.h"

namespace tessera::pto {

using cluster::DataType;
using cluster::Element;
using cluster::Location;

unsigned bits_of(const std::string& element) {
  if (element == "i4") return 4;
  if (element == "i1" || element == "i8" || element == "ui8" || element.rfind("f8", 0) == 0)
    return 8;
  if (element == "f16" || element == "bf16" || element == "i16" || element == "ui16") return 16;
  return element == "i64" || element == "index" ? 64 : 32;
}

DataType data_type_of(const Type& type, const Diagnostics& diagnostics) {
  constexpr Word<DataType> kTypes[] = {
      {"f16", DataType::kF16},    {"i16", DataType::kF16},      {"ui16", DataType::kF16},
      {"bf16", DataType::kBf16},  {"f32", DataType::kF32},      {"i32", DataType::kInt32},
      {"ui32", DataType::kInt32}, {"i8", DataType::kInt8},      {"ui8", DataType::kInt8},
      {"i4", DataType::kInt4},    {"f8E4M3FN", DataType::kFp8}, {"f8E5M2", DataType::kFp8}};
  if (const auto found = meaning_of(kTypes, type.element)) return *found;
  diagnostics.fail(type.place, joined("tiles of ", type.element, " have no cost"));
}

Element element_of(const Type& type, const Diagnostics& diagnostics) {
  std::string e = type.element;
  if (e.rfind("si", 0) == 0) e.erase(0, 1);  // si8 is i8
  if (e == "i1") return Element::kU8;
  if (e == "index" || e == "ui64") return Element::kI64;
  if (e.rfind("f8", 0) == 0) return Element::kFp8;
  for (unsigned i = 0; i < cluster::kElementCount; ++i)
    if (e == to_string(static_cast<Element>(i))) return static_cast<Element>(i);
  diagnostics.fail(type.place, joined("elements of ", e, " are not modelled"));
}

Location location_of(const Type& tile, const Diagnostics& diagnostics) {
  constexpr Word<Location> kLocations[] = {
      {"vec", Location::kUb},           {"mat", Location::kL1},  {"left", Location::kL0a},
      {"right", Location::kL0b},        {"acc", Location::kL0c}, {"bias", Location::kBias},
      {"scaling", Location::kFixBuffer}};
  return require_word(kLocations, tile.location, tile.place,
                      "a tile in vec, mat, left, right, acc, bias or scaling", diagnostics);
}

}  // namespace tessera::pto
