#include "platforms/vp/place_names.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "frontends/text/cursor.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::vp {

namespace {

using host::ChannelField;
using host::IrqBit;
using host::Register;
using host::SlotField;

struct Named {
  const char* name;
  std::uint32_t value;
};

template <class Field>
constexpr Named named(const char* name, Field field) {
  return {name, static_cast<std::uint32_t>(field)};
}

const std::vector<Named> kRegisters = {
    named("id", Register::kId),
    named("version", Register::kVersion),
    named("kind", Register::kKind),
    named("capabilities", Register::kCapabilities),
    named("width", Register::kWidth),
    named("height", Register::kHeight),
    named("tile_bytes", Register::kTileBytes),
    named("edges", Register::kEdges),
    named("functions", Register::kFunctions),
    named("counters", Register::kCounters),
    named("stream_depth", Register::kStreamDepth),
    named("period_ps", Register::kPeriodPs),
    named("arrays", Register::kArrays),
    named("control", Register::kControl),
    named("status", Register::kStatus),
    named("irq_enable", Register::kIrqEnable),
    named("irq_pending", Register::kIrqPending),
    named("irq_clear", Register::kIrqClear),
    named("scratch", Register::kScratch),
    named("open_launches", Register::kOpenLaunches),
    named("missing", Register::kMissing),
    named("refused", Register::kRefused),
    named("cycle_low", Register::kCycleLow),
    named("cycle_high", Register::kCycleHigh),
};
const std::vector<Named> kSlotFields = {
    named("function", SlotField::kFunction),
    named("arguments", SlotField::kArgumentCount),
    named("x", SlotField::kX),
    named("y", SlotField::kY),
    named("width", SlotField::kWidth),
    named("height", SlotField::kHeight),
    named("arg0", SlotField::kArgument0),
    {"arg1", 0x24},
    {"arg2", 0x28},
    {"arg3", 0x2C},
};
const std::vector<Named> kArrayFields = {
    named("name", host::ArrayField::kName),
    named("bytes", host::ArrayField::kBytes),
};
const std::vector<Named> kChannelFields = {
    named("data", ChannelField::kData),       named("control_data", ChannelField::kControlData),
    named("waiting", ChannelField::kWaiting), named("room", ChannelField::kRoom),
    named("level", ChannelField::kLevel),     named("is_control", ChannelField::kIsControl),
    named("expect", ChannelField::kExpect),
};
const std::vector<Named> kBits = {
    named("launch_done", host::kLaunchDone),
    named("stream_done", host::kStreamDone),
    named("at_rest", host::kAtRest),
    named("running", host::kRunning),
    named("launched", host::kLaunched),
    named("expecting", host::kExpecting),
    named("reset", host::kReset),
};
const std::vector<std::string> kKinds = {"memory",  "port", "slot",   "doorbell",
                                         "counter", "tile", "stream", "array"};

}  // namespace

/// Reads one word of a script from left to right.
class PlaceNames::Reader {
 public:
  Reader(const PlaceNames& names, const Token& token, const text::Diagnostics& diagnostics)
      : names_(names), info_(names.info_), token_(token), text_(token.text),
        diagnostics_(diagnostics) {}

  Address place() {
    const Address address = starts_with_digit() ? number() : named_place();
    if (at_ < text_.size())
      fail("expected the end of the place, found '" + text_.substr(at_) + "'");
    return address;
  }
  std::uint32_t value() {
    if (text_.rfind("fn.", 0) == 0) {
      at_ = 3;
      return function();
    }
    if (!starts_with_digit() && text_[0] != '-' && text_[0] != '.') {
      const std::uint32_t bit = look_up(kBits, "value");
      return at_ == text_.size() ? bit : bit | more_bits();
    }
    if (text_.find('.') != std::string::npos) return f32();
    return integer();
  }

 private:
  Address named_place() {
    const std::string kind = word();
    if (kind == "memory") return kMemoryOnBus + offset(kPortOnBus);
    if (kind == "port") return port(host::kRegisterBase) + field(kRegisters, "register");
    if (kind == "slot") {
      const std::uint64_t slot = indices(1, {host::kSlots})[0];
      return port(host::kSlotBase + slot * host::kSlotStride) + field(kSlotFields, "field");
    }
    if (kind == "doorbell") return port(host::kDoorbellBase + 4 * indices(1, {host::kSlots})[0]);
    if (kind == "counter") return counter();
    if (kind == "tile") return tile();
    if (kind == "stream") return stream();
    if (kind == "array") return array();
    at_ = 0;
    fail("expected an address or one of " + text::listed(kKinds) + ", found '" + text_ + "'" +
         did_you_mean(kind, kKinds));
  }
  static Address port(Address offset) { return kPortOnBus + offset; }

  Address counter() {
    skip('.');
    const std::size_t begin = at_;
    const std::string name = word();
    const auto found = std::find(info_.counters.begin(), info_.counters.end(), name);
    if (found == info_.counters.end()) {
      at_ = begin;
      fail("the device has no counter '" + name + "'" + did_you_mean(name, info_.counters));
    }
    return port(host::kCounterBase + 8 * static_cast<Address>(found - info_.counters.begin()));
  }
  Address tile() {
    const auto xy = indices(2, {info_.width, info_.height});
    const Address base =
        port(host::kMemoryBase + (xy[1] * info_.width + xy[0]) * host::kTileStride);
    if (at_ == text_.size() || text_[at_] != '.') return base + offset(host::kTileStride);
    ++at_;
    const std::size_t begin = at_;
    const std::string name = word();
    const TileCoord tile{static_cast<int>(xy[0]), static_cast<int>(xy[1])};
    const auto address = names_.find_symbol_(tile, name);
    if (!address) {
      at_ = begin;
      fail("tile " + to_string(tile) + " has no symbol '" + name + "'");
    }
    return base + *address + offset(host::kTileStride);
  }
  Address array() {
    skip('[');
    const std::size_t begin = at_;
    const std::string name = word();
    const auto found = std::find(info_.arrays.begin(), info_.arrays.end(), name);
    if (found == info_.arrays.end()) {
      at_ = begin;
      fail("the device has no array '" + name + "'" + did_you_mean(name, info_.arrays));
    }
    skip(']');
    const auto number = static_cast<Address>(found - info_.arrays.begin());
    if (at_ == text_.size() || text_[at_] != '.')
      return port(host::kMemoryBase + number * host::kArrayStride) + offset(host::kArrayStride);
    return port(host::kArrayBase + number * host::kArrayEntry) + field(kArrayFields, "field");
  }
  Address stream() {
    skip('[');
    const auto x = static_cast<int>(number_below(info_.width));
    skip(',');
    const auto y = static_cast<int>(number_below(info_.height));
    skip(',');
    const std::size_t begin = at_;
    const std::string side = word();
    skip(',');
    const std::uint64_t color = number_below(kColorCount);
    skip(']');
    for (std::size_t e = 0; e < info_.edges.size(); ++e) {
      const host::EdgeInfo& edge = info_.edges[e];
      if (edge.tile.x != x || edge.tile.y != y || side != to_string(edge.side)) continue;
      const Address channel =
          port(host::kStreamBase + e * host::kEdgeStride) + color * host::kChannelStride;
      return at_ == text_.size() ? channel : channel + field(kChannelFields, "field");
    }
    at_ = begin;
    fail("no stream of the layout uses the " + side + " side of tile " +
         to_string(TileCoord{x, y}));
  }
  std::uint32_t function() {
    const std::string name = text_.substr(at_);
    const auto found = std::find(info_.functions.begin(), info_.functions.end(), name);
    if (found != info_.functions.end())
      return static_cast<std::uint32_t>(found - info_.functions.begin());
    fail("the device has no function '" + name + "'" + did_you_mean(name, info_.functions));
  }
  std::uint32_t more_bits() {
    std::uint32_t bits = 0;
    while (at_ < text_.size()) {
      skip('|');
      bits |= look_up(kBits, "value");
    }
    return bits;
  }
  std::uint32_t field(const std::vector<Named>& names, const char* what) {
    skip('.');
    return look_up(names, what);
  }
  std::uint32_t look_up(const std::vector<Named>& names, const char* what) {
    const std::size_t begin = at_;
    const std::string name = word();
    std::vector<std::string> known;
    for (const Named& n : names) {
      if (name == n.name) return n.value;
      known.emplace_back(n.name);
    }
    at_ = begin;
    fail(std::string("there is no ") + what + " '" + name + "'" + did_you_mean(name, known));
  }

  std::vector<std::uint64_t> indices(unsigned count, const std::vector<std::uint64_t>& ends) {
    std::vector<std::uint64_t> found;
    for (unsigned i = 0; i < count; ++i) {
      skip(i == 0 ? '[' : ',');
      found.push_back(number_below(ends[i]));
    }
    skip(']');
    return found;
  }
  std::uint64_t number_below(std::uint64_t end) {
    const std::size_t begin = at_;
    const std::uint64_t found = number();
    if (found < end) return found;
    at_ = begin;
    fail("expected a number below " + std::to_string(end) + ", found " + std::to_string(found));
  }
  /// Inside a window of `end` bytes.
  Address offset(Address end) {
    if (at_ == text_.size()) return 0;
    skip('+');
    return number_below(end);
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text::is_name_part(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void skip(char c) {
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return;
    }
    fail(std::string("expected '") + c + "'" +
         (at_ < text_.size() ? ", found '" + text_.substr(at_) + "'"
                             : ", found the end of the word"));
  }
  bool starts_with_digit() const { return !text_.empty() && text::is_digit(text_[0]); }

  std::uint64_t number() {
    const bool hex = text_.compare(at_, 2, "0x") == 0;
    const char* const begin = text_.data() + at_ + (hex ? 2 : 0);
    const char* const end = text_.data() + text_.size();
    std::uint64_t found = 0;
    const auto [stop, error] = std::from_chars(begin, end, found, hex ? 16 : 10);
    if (error != std::errc())
      fail("expected a number of 64 bits, found '" + text_.substr(at_) + "'");
    at_ = static_cast<std::size_t>(stop - text_.data());
    return found;
  }
  std::uint32_t integer() {
    const bool negative = text_[0] == '-';
    at_ = negative ? 1 : 0;
    const std::uint64_t magnitude = number();
    const std::uint64_t most = negative ? 0x8000'0000U : 0xFFFF'FFFFU;
    if (at_ < text_.size() || magnitude > most) {
      at_ = 0;
      fail("expected a word of 32 bits, found '" + text_ + "'");
    }
    return static_cast<std::uint32_t>(negative ? 0 - magnitude : magnitude);
  }
  std::uint32_t f32() {
    float found = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data(), end, found);
    if (error != std::errc() || stop != end || !std::isfinite(found))
      fail("expected an f32, found '" + text_ + "'");
    return bit_cast<std::uint32_t>(found);
  }

  [[noreturn]] void fail(const std::string& problem) const {
    const auto column = token_.place.column + static_cast<unsigned>(at_);
    diagnostics_.fail({token_.place.line, column}, problem);
  }

  const PlaceNames& names_;
  const host::DeviceInfo& info_;
  const Token& token_;
  const std::string& text_;
  const text::Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

Address PlaceNames::place(const Token& token, const text::Diagnostics& diagnostics) const {
  return Reader(*this, token, diagnostics).place();
}

std::uint32_t PlaceNames::value(const Token& token, const text::Diagnostics& diagnostics) const {
  return Reader(*this, token, diagnostics).value();
}

}  // namespace tessera::vp
