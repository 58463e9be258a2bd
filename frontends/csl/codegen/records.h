// Records: variables that hold a descriptor (docs/csl.md).
#pragma once

#include <cstdint>

namespace tessera::csl::codegen {

inline constexpr std::int32_t kRecordWord = 2;  ///< bytes
inline constexpr unsigned kRecordWords = 4;     ///< index of a descriptor, address, extent, stride
enum RecordWord : unsigned { kKind, kPosition, kExtent, kStride };

}  // namespace tessera::csl::codegen
