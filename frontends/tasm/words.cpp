#include "frontends/tasm/words.h"

namespace tessera::tasm {

std::string_view text_of(QueueDirection direction) {
  return direction == QueueDirection::kInput ? "input" : "output";
}

std::string_view text_of(pe::ZeroSource source) {
  constexpr std::array<std::string_view, 3> kTexts = {"none", "first", "second"};
  return kTexts[static_cast<unsigned>(source)];
}

std::string_view text_of(pe::OnControl on_control) {
  constexpr std::array<std::string_view, 4> kTexts = {"none", "terminate", "activate", "unblock"};
  return kTexts[static_cast<unsigned>(on_control)];
}

std::string_view text_of(pe::Priority priority) {
  constexpr std::array<std::string_view, 3> kTexts = {"low", "medium", "high"};
  return kTexts[static_cast<unsigned>(priority)];
}

std::string_view text_of(pe::MainPriority priority) {
  constexpr std::array<std::string_view, 4> kTexts = {"medium_low", "medium", "medium_high",
                                                      "high"};
  return kTexts[static_cast<unsigned>(priority)];
}

std::string_view text_of(pe::TaskKind kind) {
  constexpr std::array<std::string_view, 3> kTexts = {"data", "local", "control"};
  return kTexts[static_cast<unsigned>(kind)];
}

std::string_view text_of(pe::TaskPriority priority) {
  return priority == pe::TaskPriority::kHigh ? "high" : "low";
}

}  // namespace tessera::tasm
