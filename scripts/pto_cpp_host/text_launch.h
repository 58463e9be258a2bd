// What launchers of PTO texts (pto_golden.py) need to compile for the host: types and words of the device, and arguments as values.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "host.h"

#define __gm__
#define __global__
#define __aicore__
#define AICORE

using half = aclFloat16;
using bfloat16_t = std::uint16_t;
using float8_e4m3_t = std::uint8_t;
using float8_e5m2_t = std::uint8_t;
using float8_e8m0_t = std::uint8_t;
using hifloat8_t = std::uint8_t;
using float4_e2m1x2_t = std::uint8_t;
using float4_e1m2x2_t = std::uint8_t;

namespace tessera_host {

/// What a text takes as a number of 16 bits, a host may hand over as its bits.
struct F16 {
  static double of(std::uint16_t bits) {
    aclFloat16 x;
    x.bits = bits;
    return x;
  }
};
struct Bf16 {
  static double of(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float x = 0;
    std::memcpy(&x, &wide, sizeof x);
    return x;
  }
};

template <class Bits = void, class T>
Value text_value(T x) {
  if constexpr (!std::is_void_v<Bits> && std::is_integral_v<T>)
    return value(Bits::of(x));
  else if constexpr (std::is_pointer_v<T>)
    return value(static_cast<const void*>(x));
  else if constexpr (std::is_floating_point_v<T>)
    return value(static_cast<double>(x));
  else if constexpr (std::is_same_v<T, aclFloat16>)
    return value(x);
  else
    return value(static_cast<std::int64_t>(x));
}

}  // namespace tessera_host
