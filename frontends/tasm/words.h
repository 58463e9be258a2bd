// The values that kinds and options take in words: which are legal in which place of the language
// (the tables, in the order of messages) and how each is written.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "models/pe/program.h"

namespace tessera::tasm {

/// What else than its symbol gives the elements of a descriptor their size.
enum class ElementSize : std::uint8_t { kOperation };
enum class QueueDirection : std::uint8_t { kInput, kOutput };

/// The words for the values of an enumeration, from 0 on; most enumerations are written as everywhere.
template <class T>
inline constexpr std::array<const char*, 0> kWords = {};
template <>
inline constexpr std::array kWords<QueueDirection> = {"input", "output"};
template <>
inline constexpr std::array kWords<ElementSize> = {"operation"};
template <>
inline constexpr std::array kWords<pe::ZeroSource> = {"none", "first", "second"};
template <>
inline constexpr std::array kWords<pe::OnControl> = {"none", "terminate", "activate", "unblock"};
template <>
inline constexpr std::array kWords<pe::Priority> = {"low", "medium", "high"};
template <>
inline constexpr std::array kWords<pe::MainPriority> = {"medium_low", "medium", "medium_high",
                                                        "high"};
template <>
inline constexpr std::array kWords<pe::TaskKind> = {"data", "local", "control"};
template <>
inline constexpr std::array kWords<pe::TaskPriority> = {"low", "high"};

/// How a program writes the value.
template <class T>
std::string_view text_of(T value) {
  if constexpr (kWords<T>.empty()) {
    return to_string(value);
  } else {
    return kWords<T>[static_cast<unsigned>(value)];
  }
}

inline constexpr std::array kQueueDirections = {QueueDirection::kInput, QueueDirection::kOutput};
inline constexpr std::array kElementSizes = {ElementSize::kOperation};
inline constexpr std::array kHalfFormats = {pe::HalfFormat::kF16, pe::HalfFormat::kBf16,
                                            pe::HalfFormat::kCb16};
inline constexpr std::array kElementTypes = {pe::ElementType::kI16, pe::ElementType::kU16,
                                             pe::ElementType::kI32, pe::ElementType::kU32,
                                             pe::ElementType::kF16, pe::ElementType::kF32};
inline constexpr std::array kPackedTypes = {pe::PackedType::kI8, pe::PackedType::kU8,
                                            pe::PackedType::kI64, pe::PackedType::kU64};
inline constexpr std::array kDsdKinds = {pe::DsdKind::kMem1d, pe::DsdKind::kMem4d,
                                         pe::DsdKind::kCircbuf, pe::DsdKind::kFabin,
                                         pe::DsdKind::kFabout};
inline constexpr std::array kSimdModes = {pe::SimdMode::kOff, pe::SimdMode::k32, pe::SimdMode::k64,
                                          pe::SimdMode::k32Or64, pe::SimdMode::kMax};
inline constexpr std::array kZeroSources = {pe::ZeroSource::kFirst, pe::ZeroSource::kSecond};
inline constexpr std::array kFifoActions = {pe::FifoAction::kTestOrSuspend,
                                            pe::FifoAction::kTerminate, pe::FifoAction::kSuspend,
                                            pe::FifoAction::kFault};
inline constexpr std::array kOnControls = {pe::OnControl::kTerminate};
inline constexpr std::array kPriorities = {pe::Priority::kHigh, pe::Priority::kMedium,
                                           pe::Priority::kLow};
inline constexpr std::array kMainPriorities = {
    pe::MainPriority::kMediumLow, pe::MainPriority::kMedium, pe::MainPriority::kMediumHigh,
    pe::MainPriority::kHigh};
inline constexpr std::array kTaskKinds = {pe::TaskKind::kData, pe::TaskKind::kLocal,
                                          pe::TaskKind::kControl};
inline constexpr std::array kTaskPriorities = {pe::TaskPriority::kHigh, pe::TaskPriority::kLow};

template <class T, std::size_t N>
std::vector<std::string> texts_of(const std::array<T, N>& values) {
  std::vector<std::string> texts;
  for (const T value : values) texts.emplace_back(text_of(value));
  return texts;
}

}  // namespace tessera::tasm
