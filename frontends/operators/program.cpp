#include "frontends/operators/program.h"

#include <algorithm>

namespace tessera::operators {

std::string to_string(const Ratio& ratio) {
  if (ratio.den == 1) return std::to_string(ratio.num);
  return std::to_string(ratio.num) + "/" + std::to_string(ratio.den);
}

const char* to_string(Kind kind) {
  switch (kind) {
  case Kind::kStream:
    return "stream";
  case Kind::kBroadcast:
    return "broadcast";
  case Kind::kShift:
    return "shift";
  case Kind::kCircularShift:
    return "circular_shift";
  case Kind::kReduce:
    return "reduce";
  case Kind::kPrefix:
    return "prefix";
  case Kind::kOnline:
    return "online";
  }
  return "";
}

const char* to_string(Technique technique) {
  switch (technique) {
  case Technique::kAuto:
    return "auto";
  case Technique::kMessage:
    return "message-bound";
  case Technique::kProcessor:
    return "processor-bound";
  case Technique::kMarker:
    return "marker";
  case Technique::kBarrier:
    return "barrier";
  case Technique::kNone:
    return "none";
  }
  return "";
}

std::uint32_t combined(Combine how, std::uint32_t old, std::uint32_t word) {
  const auto a = static_cast<std::int32_t>(old);
  const auto b = static_cast<std::int32_t>(word);
  switch (how) {
  case Combine::kReplace:
    return word;
  case Combine::kAdd:
    return old + word;
  case Combine::kMax:
    return static_cast<std::uint32_t>(std::max(a, b));
  case Combine::kMin:
    return static_cast<std::uint32_t>(std::min(a, b));
  }
  return word;
}

}  // namespace tessera::operators
