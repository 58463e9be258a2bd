// TPRINT (public library).
#pragma once

#include "pto/comm.h"

namespace pto {

/// Prints a tile of UB or a tensor, as floats or whole numbers: text of the simulator, for debugging.
template <PrintFormat Format = PrintFormat::Width8_Precision4, class T, class... More>
TSR_INLINE void TPRINT(const T& what, const More&...) {
  pipe_barrier(PIPE_ALL);
  const auto show = [](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) std::printf(" %lld", static_cast<long long>(value));
    else if constexpr (tsr::is_real<decltype(value)>) std::printf(" %g", static_cast<double>(static_cast<float>(value)));
    else std::printf(" 0x%02x", static_cast<unsigned>(value.bits));
  };
  if constexpr (is_global_data_v<T>) {
    std::printf("TPRINT tensor:");
    tsr_detail::for_all(what, [&](std::int64_t n) {
      show(static_cast<typename T::RawDType>(what.data()[n]));
      return true;
    });
    std::printf("\n");
  } else {
    static_assert(T::Loc == TileType::Vec && !T::isBoxedLayout, "TPRINT: the simulator prints tensors, and tiles in UB without boxes");
    for (int r = 0; r < what.valid_rows; ++r) {
      std::printf("TPRINT row %d:", r);
      for (int c = 0; c < what.valid_columns; ++c) show(what.GetValue(static_cast<std::int64_t>(r) * T::RowStride + static_cast<std::int64_t>(c) * T::ColStride));
      std::printf("\n");
    }
  }
}
}  // namespace pto
