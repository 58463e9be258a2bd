#include "frontends/layout/suggestion.h"

#include <algorithm>
#include <cstddef>

#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::layout {
namespace {

constexpr std::size_t kMostListed = 16;
constexpr std::size_t kMostShown = 80;

}  // namespace

std::string shown(const std::string& text) {
  std::size_t size = std::min(text.size(), kMostShown);
  // Not in the middle of a character of UTF-8.
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
    --size;
  std::string result = text.substr(0, size);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return size < text.size() ? result + ".." : result;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t count = std::min(names.size(), kMostListed);
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + shown(names[i]);
  if (count < names.size()) text += " and " + std::to_string(names.size() - count) + " more";
  return text.empty() ? "none" : text;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known,
                       const std::string& what) {
  const std::string best = nearest(name, known);
  return (best.empty() ? "; " : " (nearest: \"" + best + "\"); ") + what + ": " + listed(known);
}

}  // namespace tessera::layout
