// What the pictures (SVG) have in common: numbers and text of the format, and colors that mean the same
// in every picture.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::observe::svg {

/// A position or length in pixels, short.
inline std::string px(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2f", value);
  std::string text = buffer;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Text between two tags.
inline std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&'   ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

/// What goes in a direction; the colors of charts (scripts/validation/chart.py) in the same order.
inline const char* color_of(Direction d) {
  constexpr std::array<const char*, kDirectionCount> kColors = {
      "#d1495b", "#1f6fb4", "#8a5a9e", "#3a8f5c", "#c98a1b"};  // W, E, S, N, RAMP
  return kColors[index(d)];
}
/// What goes in several directions.
inline constexpr const char* kSeveral = "#4a4a4a";

}  // namespace tessera::observe::svg
