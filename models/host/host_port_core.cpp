#include "models/host/host_port_core.h"

#include <algorithm>
#include <stdexcept>

namespace tessera::host {

namespace {

constexpr std::uint32_t kRegistersEnd = 0x88;

// Registers, slot fields and channel fields that exist, one bit a word.
constexpr std::uint64_t bit_of(std::uint32_t offset) {
  return std::uint64_t{1} << offset / 4;
}
template <class... Fields>
constexpr std::uint64_t bits_of(Fields... fields) {
  return (bit_of(offset_of(fields)) | ...);
}
// kId to kPrograms: what does not change before another program is loaded.
constexpr std::uint64_t kConstantRegisters = 2 * bits_of(Register::kPrograms) - 1;
constexpr std::uint64_t kReadableRegisters =
    kConstantRegisters | bits_of(Register::kStatus, Register::kIrqEnable, Register::kIrqPending,
                                 Register::kScratch, Register::kOpenLaunches, Register::kMissing,
                                 Register::kRefused, Register::kCycleLow, Register::kCycleHigh,
                                 Register::kWindow, Register::kTile, Register::kTileProgram,
                                 Register::kProgram);
constexpr std::uint64_t kWritableRegisters =
    bits_of(Register::kControl, Register::kIrqEnable, Register::kIrqClear, Register::kScratch,
            Register::kWindow, Register::kTile, Register::kProgram);
// What no cycle changes by itself.
constexpr std::uint64_t kQuietRegisters =
    kConstantRegisters |
    bits_of(Register::kScratch, Register::kWindow, Register::kTile, Register::kTileProgram);
constexpr std::uint64_t kSlotWords =
    bits_of(SlotField::kFunction, SlotField::kArgumentCount, SlotField::kX, SlotField::kY,
            SlotField::kWidth, SlotField::kHeight, SlotField::kArgument0) |
    bit_of(0x24) | bit_of(0x28) | bit_of(0x2C);
constexpr std::uint64_t kReadableFields =
    bits_of(ChannelField::kWaiting, ChannelField::kRoom, ChannelField::kLevel,
            ChannelField::kIsControl, ChannelField::kExpect);
constexpr std::uint64_t kWritableFields =
    bits_of(ChannelField::kControlData, ChannelField::kExpect, ChannelField::kCancel);

bool has(std::uint64_t words, std::uint32_t offset) {
  return offset < 256 && (words >> offset / 4 & 1U) != 0;
}

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("host port: ") + what);
}

template <class List>
std::uint32_t count_of(const List& list) {
  return static_cast<std::uint32_t>(list.size());
}

std::uint32_t capabilities_of(const DeviceInfo& info) {
  std::uint32_t found = 0;
  if (info.tile_bytes > 0 || !info.arrays.empty()) found |= kHasMemory | kHasDmi;
  if (!info.arrays.empty()) found |= kHasArrays;
  if (!info.edges.empty()) found |= kHasStreams;
  return found;
}

}  // namespace

HostPortCore::HostPortCore(Device& device, std::uint32_t stream_depth)
    : device_(device), stream_depth_(stream_depth),
      channels_(device.info().edges.size() * kColorCount) {
  require(stream_depth > 0, "a stream depth of 0");
  describe();
}

void HostPortCore::describe() {
  const DeviceInfo& info = device_.info();
  require(info.tile_bytes <= kTileStride, "the memory of a tile is larger than its window");
  require(info.functions.size() <= kMaxFunctions, "more functions than there are numbers");
  require(info.counters.size() <= kMaxCounters, "more counters than there are places");
  require(info.arrays.size() <= kMaxArrays, "more arrays than there are windows");
  require(info.arrays.empty() || info.tile_bytes == 0, "arrays beside memory of tiles");
  require(kStreamBase + info.edges.size() * kEdgeStride <= kWindowBase, "too many edges");
  constants_ = {kIdValue,
                kMapVersion,
                static_cast<std::uint32_t>(info.kind),
                capabilities_of(info),
                info.width,
                info.height,
                info.tile_bytes,
                count_of(info.edges),
                count_of(info.functions),
                count_of(info.counters),
                stream_depth_,
                static_cast<std::uint32_t>(info.period_ps),
                count_of(info.arrays),
                std::min(count_of(info.symbols), kMaxSymbols),
                info.programs};
}

HostPortCore::Place HostPortCore::find(Address address) const {
  const DeviceInfo& info = device_.info();
  if (address >= kMemoryBase) return find_memory(address - kMemoryBase);
  if (address >= kWindowBase) return find_window(address - kWindowBase);
  if (address >= kStreamBase) return find_stream(address - kStreamBase);
  if (address >= kSymbolBase) {
    const auto at = static_cast<std::uint32_t>(address - kSymbolBase);
    const std::uint32_t symbol = at / kSymbolEntry;
    if (symbol >= constants_[offset_of(Register::kSymbols) / 4]) return {};
    return {Window::kSymbol, symbol, {}, at % kSymbolEntry, kSymbolEntry};
  }
  const auto offset = static_cast<std::uint32_t>(address % 0x1000);
  const auto entry = [offset](Window window, std::uint32_t count, std::uint32_t stride,
                              std::uint32_t bytes) {
    return offset / stride < count ? Place{window, offset / stride, {}, offset % stride, bytes}
                                   : Place{};
  };
  const Address page = address - offset;
  if (page == kRegisterBase) return {Window::kRegister, 0, {}, offset, kRegistersEnd};
  if (page == kCounterBase) return {Window::kCounter, 0, {}, offset, 8 * count_of(info.counters)};
  if (page == kDoorbellBase)  // one at a time: each of them may be refused
    return entry(Window::kDoorbell, kSlots, 4, 4);
  if (page == kNameBase)
    return {Window::kName, 0, {}, offset, kNameBytes * count_of(info.functions)};
  if (page == kArrayBase)
    return entry(Window::kArray, count_of(info.arrays), kArrayEntry, kArrayFieldsEnd);
  if (page == kTextBase) return entry(Window::kText, 2, kTextBytes, kTextBytes);
  if (page == kSlotBase) return entry(Window::kSlot, kSlots, kSlotStride, kSlotBytes);
  return {};
}

// An access ends with the window, whatever lies after it.
HostPortCore::Place HostPortCore::find_window(Address offset) const {
  if (offset >= kWindowBytes) return {};
  Place place = find_memory(window_ * kWindowBytes + offset);
  const auto left = static_cast<std::uint32_t>(kWindowBytes - offset);
  place.bytes = std::min(place.bytes, place.offset + left);
  return place;
}

HostPortCore::Place HostPortCore::find_memory(Address offset) const {
  const DeviceInfo& info = device_.info();
  const bool arrays = !info.arrays.empty();
  const Address stride = arrays ? Address{kArrayStride} : kTileStride;
  const Address tiles = Address{info.width} * info.height;
  if (offset / stride >= (arrays ? info.arrays.size() : tiles)) return {};
  const auto number = static_cast<std::uint32_t>(offset / stride);
  const auto in_window = static_cast<std::uint32_t>(offset % stride);
  if (arrays) return {Window::kMemory, number, {}, in_window, kArrayStride};
  if (in_window >= info.tile_bytes || !device_.has_memory(number)) return {};
  return {Window::kMemory, number, {}, in_window, info.tile_bytes};
}

HostPortCore::Place HostPortCore::find_stream(Address offset) const {
  const Address edge = offset / kEdgeStride;
  if (edge >= device_.info().edges.size()) return {};
  const auto number = static_cast<std::uint32_t>(edge);
  const auto in_edge = static_cast<std::uint32_t>(offset % kEdgeStride);
  if (in_edge >= offset_of(EdgeField::kX))
    return {Window::kEdge, number, {}, in_edge, kEdgeFieldsEnd};
  const std::uint32_t color = in_edge / kChannelStride;
  if (color >= kColorCount) return {};
  const std::uint32_t in_channel = in_edge % kChannelStride;
  const std::uint32_t bytes = in_channel < kDataBytes ? kDataBytes : kChannelBytes;
  return {Window::kChannel, number, Color(color), in_channel, bytes};
}

HostPortCore::Checked HostPortCore::check(const Access& access) const {
  const auto refuse = [](Answer answer, const char* why) {
    return Checked{answer, Window::kNone, false, why};
  };
  if (access.command == Access::Command::kOther)
    return refuse(Answer::kCommand, "there is no such command");
  const Place place = find(access.address);
  if (place.window == Window::kNone || place.offset >= place.bytes)
    return refuse(Answer::kAddress,
                  "nothing is there: the address is reserved, beyond a window, or "
                  "memory of a tile without a program");
  if (access.length == 0 || access.streaming_width == 0)
    return refuse(Answer::kBurst, "a length or a streaming width of 0");
  if (place.window == Window::kMemory) {
    if (access.length > place.bytes - place.offset)
      return refuse(Answer::kBurst, "it goes over the end of the memory that it begins in");
    if (access.streaming_width < access.length)
      return refuse(Answer::kBurst, "only stream data can be streamed");
    if (access.byte_enables != nullptr && access.byte_enable_length == 0)
      return refuse(Answer::kByteEnable, "byte enables of length 0");
  } else {
    const Checked words = check_words(access, place);
    if (words.answer != Answer::kOk) return words;
  }
  if (access.command != Access::Command::kIgnore && access.data == nullptr)
    return refuse(Answer::kGeneric, "it has no data pointer");
  return {Answer::kOk, place.window, touches_machine(access, place)};
}

// Whole words, all in one window; only stream data may be streamed.
HostPortCore::Checked HostPortCore::check_words(const Access& access, const Place& place) const {
  const auto refuse = [](Answer answer, const char* why) {
    return Checked{answer, Window::kNone, false, why};
  };
  const Rights first = rights_at(place);
  if (!first.read && !first.write) return refuse(Answer::kAddress, "nothing is there");
  if (place.offset % 4 != 0 || access.length % 4 != 0 || access.streaming_width % 4 != 0)
    return refuse(Answer::kBurst, "only whole words, at multiples of 4, can be accessed here");
  const std::uint32_t span = std::min(access.length, access.streaming_width);
  if (span > place.bytes - place.offset)
    return refuse(Answer::kBurst, "it goes over the end of its window");
  if (span < access.length && !place.is_stream_data())
    return refuse(Answer::kBurst, "only stream data can be streamed");
  bool allowed = true;
  Place word = place;
  for (std::uint32_t done = 0; done < span; done += 4, word.offset += 4) {
    const Rights rights = rights_at(word);
    if (!rights.read && !rights.write)
      return refuse(Answer::kBurst, "there is a hole after its first word");
    if (access.command != Access::Command::kIgnore)
      allowed = allowed && (access.is_read() ? rights.read : rights.write);
  }
  if (access.byte_enables != nullptr)
    return refuse(Answer::kByteEnable, "words take no byte enables");
  if (allowed) return {Answer::kOk};
  return refuse(Answer::kCommand,
                access.is_read() ? "it can only be written" : "it can only be read");
}

HostPortCore::Rights HostPortCore::rights_at(const Place& place) const {
  const std::uint32_t word = place.offset / 4 * 4;
  switch (place.window) {
  case Window::kRegister:
    return {has(kReadableRegisters, word), has(kWritableRegisters, word)};
  case Window::kSlot:
    return {has(kSlotWords, word), has(kSlotWords, word)};
  case Window::kDoorbell:
    return {false, true};
  case Window::kArray:
    return {true, word == offset_of(ArrayField::kBytes)};
  case Window::kCounter:
  case Window::kName:
  case Window::kText:
  case Window::kSymbol:
  case Window::kEdge:
    return {true, false};
  case Window::kChannel:
    if (word < kDataBytes) return {true, true};
    return {has(kReadableFields, word), has(kWritableFields, word)};
  case Window::kMemory:
    return {true, true};
  case Window::kNone:
    break;
  }
  return {};
}

bool HostPortCore::touches_machine(const Access& access, const Place& place) const {
  if (access.command == Access::Command::kIgnore) return false;
  switch (place.window) {
  case Window::kName:
  case Window::kSymbol:
  case Window::kEdge:
  case Window::kSlot:
    return false;
  case Window::kArray:
    return place.offset + access.length > kArrayNameBytes;
  case Window::kRegister:
    for (std::uint32_t done = 0; done < access.length; done += 4) {
      if (!has(kQuietRegisters, place.offset + done)) return true;
    }
    return false;
  default:
    return true;
  }
}

HostPortCore::Direct HostPortCore::direct(Address address) {
  const Place place = find(address);
  // What stands in the window may change at any time.
  if (place.window != Window::kMemory || address < kMemoryBase) {
    if (address < kMemoryBase) return {nullptr, 0, kMemoryBase - 1};
    return {nullptr, address, address};
  }
  const Address begin = address - place.offset;
  const std::uint32_t bytes = memory_bytes(place);
  if (place.offset >= bytes) return {nullptr, begin + bytes, begin + place.bytes - 1};
  const Address end = begin + bytes - 1;
  return {device_.at_rest() ? device_.direct_memory(place.number) : nullptr, begin, end};
}

void HostPortCore::launch_ended() {
  if (open_launches_ == 0) return;  // not ours: another host launched it
  if (--open_launches_ == 0) pending_ |= kLaunchDone;
}

void HostPortCore::stream_completed() {
  if (!expecting_ || missing() > 0) return;
  expecting_ = false;
  pending_ |= kStreamDone;
}

void HostPortCore::failed(const std::string& why) {
  failure_ = why;
  pending_ |= kFailure;
}

void HostPortCore::came_to_rest() {
  if (!busy_) return;
  busy_ = false;
  pending_ |= kAtRest;
}

}  // namespace tessera::host
