#include "platforms/vp/place_names.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "frontends/text/cursor.h"
#include "platforms/vp/dma.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::vp {

namespace {

using host::ArrayField;
using host::ChannelField;
using host::SlotField;

using R = host::Register;
const std::vector<Named> kRegisters = {{"id", R::kId},
                                       {"version", R::kVersion},
                                       {"kind", R::kKind},
                                       {"capabilities", R::kCapabilities},
                                       {"width", R::kWidth},
                                       {"height", R::kHeight},
                                       {"tile_bytes", R::kTileBytes},
                                       {"edges", R::kEdges},
                                       {"functions", R::kFunctions},
                                       {"counters", R::kCounters},
                                       {"stream_depth", R::kStreamDepth},
                                       {"period_ps", R::kPeriodPs},
                                       {"arrays", R::kArrays},
                                       {"symbols", R::kSymbols},
                                       {"programs", R::kPrograms},
                                       {"control", R::kControl},
                                       {"status", R::kStatus},
                                       {"irq_enable", R::kIrqEnable},
                                       {"irq_pending", R::kIrqPending},
                                       {"irq_clear", R::kIrqClear},
                                       {"scratch", R::kScratch},
                                       {"open_launches", R::kOpenLaunches},
                                       {"missing", R::kMissing},
                                       {"refused", R::kRefused},
                                       {"cycle_low", R::kCycleLow},
                                       {"cycle_high", R::kCycleHigh},
                                       {"window", R::kWindow},
                                       {"tile", R::kTile},
                                       {"tile_program", R::kTileProgram},
                                       {"program", R::kProgram}};
const std::vector<Named> kSlotFields = {{"function", SlotField::kFunction},
                                        {"arguments", SlotField::kArgumentCount},
                                        {"x", SlotField::kX},
                                        {"y", SlotField::kY},
                                        {"width", SlotField::kWidth},
                                        {"height", SlotField::kHeight},
                                        {"arg0", SlotField::kArgument0},
                                        {"arg1", 0x24},
                                        {"arg2", 0x28},
                                        {"arg3", 0x2C}};
const std::vector<Named> kArrayFields = {{"name", ArrayField::kName},
                                         {"bytes", ArrayField::kBytes}};
const std::vector<Named> kChannelFields = {
    {"data", ChannelField::kData},       {"control_data", ChannelField::kControlData},
    {"waiting", ChannelField::kWaiting}, {"room", ChannelField::kRoom},
    {"level", ChannelField::kLevel},     {"is_control", ChannelField::kIsControl},
    {"expect", ChannelField::kExpect},   {"cancel", ChannelField::kCancel}};
const std::vector<Named> kDmaFields = {
    {"source", 0x00}, {"destination", 0x08}, {"bytes", 0x10}, {"control", 0x14}, {"status", 0x18}};
const std::vector<Named> kBits = {{"launch_done", host::kLaunchDone},
                                  {"stream_done", host::kStreamDone},
                                  {"at_rest", host::kAtRest},
                                  {"failure", host::kFailure},
                                  {"running", host::kRunning},
                                  {"launched", host::kLaunched},
                                  {"expecting", host::kExpecting},
                                  {"failed", host::kFailed},
                                  {"reset", host::kReset},
                                  {"reset_machine", host::kResetMachine},
                                  {"keep_memory", host::kKeepMemory},
                                  {"start", kDmaStart},
                                  {"to_stream", kDmaToStream},
                                  {"clear", kDmaClear},
                                  {"busy", kDmaBusy},
                                  {"done", kDmaDone},
                                  {"error", kDmaError}};
const std::vector<std::string> kKinds = {"memory",  "dma",  "port",   "slot", "doorbell",
                                         "counter", "tile", "stream", "array"};

}  // namespace

const std::vector<Named>& named_registers() {
  return kRegisters;
}
const std::vector<Named>& named_slot_fields() {
  return kSlotFields;
}
const std::vector<Named>& named_channel_fields() {
  return kChannelFields;
}
const std::vector<Named>& named_bits() {
  return kBits;
}

/// Reads one word of a script from left to right.
class PlaceNames::Reader {
 public:
  Reader(const PlaceNames& names, const Token& token, const text::Diagnostics& diagnostics)
      : names_(names), info_(names.info_), text_(token.text), begin_(token.place),
        diagnostics_(diagnostics), cursor_(token.text, token.place) {}

  Address place() {
    const Address address = text::is_digit(cursor_.peek()) ? number() : named_place();
    if (!cursor_.at_end()) fail("expected the end of the place, found '" + rest() + "'");
    return address;
  }
  std::uint32_t value() {
    if (cursor_.accept("fn."))
      return static_cast<std::uint32_t>(
          index_of(info_.functions, "function", cursor_.place(), rest()));
    if (cursor_.accept("&")) return address_word();
    const char first = cursor_.peek();
    if (text::is_digit(first) || first == '-' || first == '.')
      return text_.find('.') != std::string::npos ? f32() : integer();
    std::uint32_t bits = look_up(kBits, "value");
    while (!cursor_.at_end()) {
      skip('|');
      bits |= look_up(kBits, "value");
    }
    return bits;
  }

 private:
  /// "&low:PLACE" or "&high:PLACE": half of an address, for who takes one as a value.
  std::uint32_t address_word() {
    const bool is_high = cursor_.accept("high:");
    if (!is_high && !cursor_.accept("low:")) fail("expected '&low:PLACE' or '&high:PLACE'");
    const Address address = place();
    return static_cast<std::uint32_t>(is_high ? address >> 32 : address);
  }
  Address named_place() {
    const std::string kind = word();
    if (kind == "memory") return kMemoryOnBus + offset(kPortOnBus);
    if (kind == "dma") return kDmaOnBus + field(kDmaFields, "register");
    if (kind == "port") return port(host::kRegisterBase) + field(kRegisters, "register");
    if (kind == "slot") {
      const std::uint64_t slot = indices({host::kSlots})[0];
      return port(host::kSlotBase + slot * host::kSlotStride) + field(kSlotFields, "field");
    }
    if (kind == "doorbell") return port(host::kDoorbellBase + 4 * indices({host::kSlots})[0]);
    if (kind == "counter") {
      skip('.');
      return port(host::kCounterBase + 8 * index_of_word(info_.counters, "counter"));
    }
    if (kind == "tile") return tile();
    if (kind == "stream") return stream();
    if (kind == "array") return array();
    fail(begin_, "expected an address or one of " + text::listed(kKinds) + ", found '" + text_ +
                     "'" + did_you_mean(kind, kKinds));
  }
  Address port(Address offset) const { return names_.base_ + offset; }

  Address tile() {
    const auto xy = indices({info_.width, info_.height});
    const Address base =
        port(host::kMemoryBase + (xy[1] * info_.width + xy[0]) * host::kTileStride);
    if (!cursor_.accept(".")) return base + offset(host::kTileStride);
    const text::Place at = cursor_.place();
    const std::string name(
        cursor_.take_while([](char c) { return text::is_name_part(c) || c == '.'; }));
    const TileCoord tile{static_cast<int>(xy[0]), static_cast<int>(xy[1])};
    const auto address = names_.find_symbol_(tile, name);
    if (!address) fail(at, "tile " + to_string(tile) + " has no symbol '" + name + "'");
    return base + *address + offset(host::kTileStride);
  }
  Address array() {
    skip('[');
    const Address number = index_of_word(info_.arrays, "array");
    skip(']');
    if (cursor_.peek() == '.')
      return port(host::kArrayBase + number * host::kArrayEntry) + field(kArrayFields, "field");
    return port(host::kMemoryBase + number * host::kArrayStride) + offset(host::kArrayStride);
  }
  Address stream() {
    skip('[');
    const auto x = static_cast<int>(number_below(info_.width));
    skip(',');
    const auto y = static_cast<int>(number_below(info_.height));
    skip(',');
    const text::Place at = cursor_.place();
    const std::string side = word();
    skip(',');
    const std::uint64_t color = number_below(kColorCount);
    skip(']');
    for (std::size_t e = 0; e < info_.edges.size(); ++e) {
      const host::EdgeInfo& edge = info_.edges[e];
      if (edge.tile.x != x || edge.tile.y != y || side != to_string(edge.side)) continue;
      const Address channel =
          port(host::kStreamBase + e * host::kEdgeStride) + color * host::kChannelStride;
      return cursor_.at_end() ? channel : channel + field(kChannelFields, "field");
    }
    fail(at, "no stream of the layout uses the " + side + " side of tile " +
                 to_string(TileCoord{x, y}));
  }

  /// Number of something of the device that a script names.
  std::uint64_t index_of(const std::vector<std::string>& names, const std::string& what,
                         text::Place at, const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::uint64_t>(found - names.begin());
    fail(at, "the device has no " + what + " '" + name + "'" + did_you_mean(name, names));
  }
  std::uint64_t index_of_word(const std::vector<std::string>& names, const std::string& what) {
    const text::Place at = cursor_.place();
    return index_of(names, what, at, word());
  }
  std::uint32_t field(const std::vector<Named>& names, const char* what) {
    skip('.');
    return look_up(names, what);
  }
  std::uint32_t look_up(const std::vector<Named>& names, const char* what) {
    const text::Place at = cursor_.place();
    const std::string name = word();
    std::vector<std::string> known;
    for (const Named& n : names) {
      if (name == n.name) return n.value;
      known.emplace_back(n.name);
    }
    fail(at, std::string("there is no ") + what + " '" + name + "'" + did_you_mean(name, known));
  }

  /// "[1,2]": a number below each of `ends`.
  std::vector<std::uint64_t> indices(const std::vector<std::uint64_t>& ends) {
    std::vector<std::uint64_t> found;
    for (const std::uint64_t end : ends) {
      skip(found.empty() ? '[' : ',');
      found.push_back(number_below(end));
    }
    skip(']');
    return found;
  }
  std::uint64_t number_below(std::uint64_t end) {
    const text::Place at = cursor_.place();
    const std::uint64_t found = number();
    if (found < end) return found;
    fail(at, "expected a number below " + std::to_string(end) + ", found " + std::to_string(found));
  }
  /// Inside a window of `end` bytes.
  Address offset(Address end) {
    if (cursor_.at_end()) return 0;
    skip('+');
    return number_below(end);
  }
  std::string word() { return std::string(cursor_.take_while(text::is_name_part)); }
  std::string rest() const { return std::string(cursor_.rest()); }
  void skip(char c) {
    if (cursor_.accept({&c, 1})) return;
    fail(std::string("expected '") + c + "'" +
         (cursor_.at_end() ? ", found the end of the word" : ", found '" + rest() + "'"));
  }

  std::uint64_t number() {
    const std::string_view digits = cursor_.rest();
    const std::size_t prefix = digits.substr(0, 2) == "0x" ? 2 : 0;
    const char* const end = digits.data() + digits.size();
    std::uint64_t found = 0;
    const auto [stop, error] =
        std::from_chars(digits.data() + prefix, end, found, prefix > 0 ? 16 : 10);
    if (error != std::errc()) fail("expected a number of 64 bits, found '" + rest() + "'");
    cursor_.take(static_cast<std::size_t>(stop - digits.data()));
    return found;
  }
  std::uint32_t integer() {
    const bool negative = cursor_.accept("-");
    const std::uint64_t magnitude = number();
    const std::uint64_t most = negative ? 0x8000'0000U : 0xFFFF'FFFFU;
    if (!cursor_.at_end() || magnitude > most)
      fail(begin_, "expected a word of 32 bits, found '" + text_ + "'");
    return static_cast<std::uint32_t>(negative ? 0 - magnitude : magnitude);
  }
  std::uint32_t f32() {
    float found = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data(), end, found);
    if (error != std::errc() || stop != end || !std::isfinite(found))
      fail(begin_, "expected an f32, found '" + text_ + "'");
    return bit_cast<std::uint32_t>(found);
  }

  [[noreturn]] void fail(const std::string& problem) const { fail(cursor_.place(), problem); }
  [[noreturn]] void fail(text::Place at, const std::string& problem) const {
    diagnostics_.fail(at, problem);
  }

  const PlaceNames& names_;
  const host::DeviceInfo& info_;
  const std::string& text_;
  const text::Place begin_;
  const text::Diagnostics& diagnostics_;
  text::Cursor cursor_;
};

Address PlaceNames::place(const Token& token, const text::Diagnostics& diagnostics) const {
  return Reader(*this, token, diagnostics).place();
}

std::uint32_t PlaceNames::value(const Token& token, const text::Diagnostics& diagnostics) const {
  return Reader(*this, token, diagnostics).value();
}

}  // namespace tessera::vp
