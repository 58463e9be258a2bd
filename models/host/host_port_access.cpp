// HostPortCore: what an access does.
#include <algorithm>
#include <sstream>

#include "models/host/host_port_core.h"

namespace tessera::host {

namespace {

std::uint32_t load(const std::byte* from) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::to_integer<std::uint32_t>(from[i]) << (8 * i);
  return value;
}

/// Four bytes of a name from `at` on; the last of its `room` bytes stays zero.
std::uint32_t word_of(const std::string& name, std::size_t at, std::size_t room) {
  std::byte bytes[4] = {};
  const std::size_t end = std::min({name.size(), room - 1, at + 4});
  for (std::size_t i = at; i < end; ++i) bytes[i - at] = static_cast<std::byte>(name[i]);
  return load(bytes);
}

std::uint32_t saturated(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, ~std::uint32_t{0}));
}

void store(std::uint32_t value, std::byte* to) {
  for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

}  // namespace

Answer HostPortCore::carry_out(const Access& access, Cycle now) {
  ends_direct_ = false;
  has_reset_ = false;
  if (access.command == Access::Command::kIgnore) return Answer::kOk;
  const Place place = find(access.address);
  Answer answer = Answer::kOk;
  if (place.window == Window::kMemory) {
    answer = move_memory(access, place);
  } else if (place.is_stream_data()) {
    answer = access.is_read() ? read_stream(access, place)
                              : write_stream(place, access.data, access.length / 4, false, now);
  } else {
    answer = carry_out_words(access, place, now);
  }
  if (answer != Answer::kOk) ++refused_;
  return answer;
}

Answer HostPortCore::carry_out_words(const Access& access, const Place& place, Cycle now) {
  Place word = place;
  for (std::uint32_t done = 0; done < access.length; done += 4, word.offset += 4) {
    if (access.is_read()) {
      store(read_word(word, now), access.data + done);
      continue;
    }
    const Answer answer = write_word(word, load(access.data + done), now);
    if (answer != Answer::kOk) return answer;
  }
  return Answer::kOk;
}

const std::string& HostPortCore::note_refusal(const Access& access, const char* why) {
  static constexpr const char* kCommands[] = {"read", "write", "ignore", "unknown command"};
  std::ostringstream text;
  text << kCommands[static_cast<unsigned>(access.command)] << " of " << access.length
       << " bytes at 0x" << std::hex << access.address << ": " << (*why != 0 ? why : why_);
  return refusal_ = text.str();
}

std::uint32_t HostPortCore::memory_bytes(const Place& place) const {
  return device_.info().arrays.empty() ? place.bytes : device_.array_bytes(place.number);
}

Answer HostPortCore::move_memory(const Access& access, const Place& place) {
  if (access.length > memory_bytes(place) - std::min(memory_bytes(place), place.offset))
    return refuse("it goes beyond the present size of the array");
  const auto move = [&](std::uint32_t first, std::uint32_t count) {
    if (access.is_read())
      device_.read_memory(place.number, place.offset + first, count, access.data + first);
    else
      device_.write_memory(place.number, place.offset + first, count, access.data + first);
  };
  if (access.byte_enables == nullptr) move(0, access.length);
  for (std::uint32_t i = 0; access.byte_enables != nullptr && i < access.length; ++i) {
    if (access.byte_enables[i % access.byte_enable_length] != 0) move(i, 1);
  }
  return Answer::kOk;
}

Answer HostPortCore::write_stream(const Place& place, const std::byte* data, std::uint32_t count,
                                  bool control, Cycle now) {
  if (count > room(place)) return refuse("the stream has no room for so many wavelets");
  std::vector<Word> words;
  words.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) words.push_back({load(data + 4 * i), control});
  channels_[place.channel()].written += count;
  device_.send(place.number, place.color, std::move(words), now + 1);
  busy_ = true;
  ends_direct_ = true;
  return Answer::kOk;
}

Answer HostPortCore::read_stream(const Access& access, const Place& place) {
  if (access.length / 4 > level(place)) return refuse("fewer wavelets have come");
  channels_[place.channel()].read += peek_stream(place, access.length, access.data) / 4;
  return Answer::kOk;
}

// Returns how many bytes there are to read, at most `count`.
std::uint32_t HostPortCore::peek_stream(const Place& place, std::uint32_t count,
                                        std::byte* to) const {
  const Received* const next = received(place).data() + channels_[place.channel()].read;
  const std::uint32_t words = std::min(count / 4, level(place));
  for (std::uint32_t i = 0; i < words; ++i) store(next[i].wavelet.payload, to + 4 * i);
  return 4 * words;
}

std::uint32_t HostPortCore::waiting(const Place& place) const {
  const std::size_t sent = device_.edge(place.number).sent(place.color);
  return static_cast<std::uint32_t>(channels_[place.channel()].written - sent);
}

std::uint32_t HostPortCore::room(const Place& place) const {
  return stream_depth_ - std::min(stream_depth_, waiting(place));
}

std::uint32_t HostPortCore::level(const Place& place) const {
  return static_cast<std::uint32_t>(received(place).size() - channels_[place.channel()].read);
}

std::uint64_t HostPortCore::missing(const Place& place) const {
  const std::size_t expected = channels_[place.channel()].expected;
  return expected == 0 ? 0 : expected - std::min(expected, received(place).size());
}

std::uint64_t HostPortCore::missing() const {
  std::uint64_t sum = 0;
  for (std::uint32_t edge = 0; edge < device_.info().edges.size(); ++edge) {
    for (unsigned c = 0; c < kColorCount; ++c)
      sum += missing({Window::kChannel, edge, Color(c), 0, 0});
  }
  return sum;
}

void HostPortCore::expect(const Place& place, std::uint32_t count) {
  if (count == 0) return;
  channels_[place.channel()].expected += count;
  device_.expect(place.number, place.color, count);
  expecting_ = true;
  stream_completed();  // all of them may be here already
}

// Nothing is told: the driver that cancels knows that nothing more comes.
void HostPortCore::cancel(const Place& place) {
  std::size_t& expected = channels_[place.channel()].expected;
  expected = std::min(expected, received(place).size());
  device_.cancel(place.number, place.color);
  if (missing() == 0) expecting_ = false;
}

std::uint32_t HostPortCore::read_word(const Place& place, Cycle now) const {
  const DeviceInfo& info = device_.info();
  switch (place.window) {
  case Window::kRegister:
    return read_register(place.offset, now);
  case Window::kSlot:
    return slots_[place.number][place.offset / 4];
  case Window::kCounter:
    return static_cast<std::uint32_t>(device_.counter(place.offset / 8) >>
                                      (place.offset % 8 == 4 ? 32 : 0));
  case Window::kName:
    return word_of(info.functions[place.offset / kNameBytes], place.offset % kNameBytes,
                   kNameBytes);
  case Window::kArray:
    if (place.offset >= kArrayNameBytes) return device_.array_bytes(place.number);
    return word_of(info.arrays[place.number], place.offset, kArrayNameBytes);
  case Window::kText:
    return word_of(place.number == 0 ? refusal_ : failure_, place.offset, kTextBytes);
  case Window::kSymbol:
    return read_symbol(place);
  case Window::kEdge:
    return read_edge(place);
  case Window::kChannel:
    return read_channel(place);
  default:
    return 0;
  }
}

std::uint32_t HostPortCore::read_register(std::uint32_t offset, Cycle now) const {
  if (offset < 4 * constants_.size()) return constants_[offset / 4];
  switch (static_cast<Register>(offset)) {
  case Register::kStatus:
    return (device_.at_rest() ? 0U : kRunning) | (open_launches_ > 0 ? kLaunched : 0U) |
           (expecting_ ? kExpecting : 0U) | (device_.failed() ? kFailed : 0U);
  case Register::kIrqEnable:
    return enabled_;
  case Register::kIrqPending:
    return pending_;
  case Register::kScratch:
    return scratch_;
  case Register::kOpenLaunches:
    return static_cast<std::uint32_t>(open_launches_);
  case Register::kMissing:
    return saturated(missing());
  case Register::kRefused:
    return refused_;
  case Register::kCycleLow:
    return static_cast<std::uint32_t>(now);
  case Register::kCycleHigh:
    return static_cast<std::uint32_t>(now >> 32);
  case Register::kWindow:
    return window_;
  case Register::kTile:
    return tile_;
  case Register::kProgram:
    return device_.program();
  case Register::kTileProgram:
    return tile_ < device_.info().width * device_.info().height ? device_.program_of(tile_)
                                                                : kNoProgram;
  default:
    return 0;
  }
}

std::uint32_t HostPortCore::read_channel(const Place& place) const {
  switch (static_cast<ChannelField>(place.offset)) {
  case ChannelField::kWaiting:
    return waiting(place);
  case ChannelField::kRoom:
    return room(place);
  case ChannelField::kLevel:
    return level(place);
  case ChannelField::kIsControl:
    return level(place) > 0 && received(place)[channels_[place.channel()].read].wavelet.control ? 1
                                                                                                : 0;
  case ChannelField::kExpect:
    return saturated(missing(place));
  default:
    return 0;
  }
}

std::uint32_t HostPortCore::read_symbol(const Place& place) const {
  const SymbolInfo& symbol = device_.info().symbols[place.number];
  if (place.offset < kSymbolNameBytes) return word_of(symbol.name, place.offset, kSymbolNameBytes);
  const std::array<std::uint32_t, 4> fields = {symbol.program, symbol.address, symbol.bytes,
                                               symbol.type};
  return fields[(place.offset - offset_of(SymbolField::kProgram)) / 4];
}

std::uint32_t HostPortCore::read_edge(const Place& place) const {
  const EdgeInfo& edge = device_.info().edges[place.number];
  const std::array<std::uint32_t, 4> fields = {static_cast<std::uint32_t>(edge.tile.x),
                                               static_cast<std::uint32_t>(edge.tile.y),
                                               index(edge.side), edge.colors_out};
  return fields[(place.offset - offset_of(EdgeField::kX)) / 4];
}

Answer HostPortCore::write_word(const Place& place, std::uint32_t value, Cycle now) {
  switch (place.window) {
  case Window::kRegister:
    return write_register(place.offset, value);
  case Window::kSlot:
    slots_[place.number][place.offset / 4] = value;
    return Answer::kOk;
  case Window::kDoorbell:
    return ring(place.number, now);
  case Window::kArray:
    return resize(place.number, value);
  case Window::kChannel: {
    if (place.offset == offset_of(ChannelField::kExpect)) {
      expect(place, value);
      return Answer::kOk;
    }
    if (place.offset == offset_of(ChannelField::kCancel)) {
      cancel(place);
      return Answer::kOk;
    }
    std::byte bytes[4];
    store(value, bytes);
    return write_stream(place, bytes, 1, true, now);
  }
  default:
    return Answer::kOk;
  }
}

Answer HostPortCore::write_register(std::uint32_t offset, std::uint32_t value) {
  switch (static_cast<Register>(offset)) {
  case Register::kControl:
    control(value);
    break;
  case Register::kProgram:
    return load_program(value);
  case Register::kIrqEnable:
    enabled_ = value & kAllIrqs;
    break;
  case Register::kIrqClear:
    pending_ &= ~value;
    break;
  case Register::kScratch:
    scratch_ = value;
    break;
  case Register::kWindow:
    window_ = value;
    break;
  case Register::kTile:
    tile_ = value;
    break;
  default:
    break;
  }
  return Answer::kOk;
}

// A launch that cannot be, or that no tile has a function for, starts nothing.
Answer HostPortCore::ring(std::uint32_t slot, Cycle now) {
  const auto& fields = slots_[slot];
  const auto field = [&fields](SlotField f) { return fields[offset_of(f) / 4]; };
  const DeviceInfo& info = device_.info();
  LaunchRequest request;
  request.function = field(SlotField::kFunction);
  const std::uint32_t arguments = field(SlotField::kArgumentCount);
  if (device_.failed()) return refuse("the machine has stopped at a failure: reset it");
  if (request.function >= info.functions.size()) return refuse("there is no such function");
  if (arguments > kMaxArguments) return refuse("there are more arguments than a launch takes");
  for (std::uint32_t i = 0; i < arguments; ++i)
    request.arguments.push_back(fields[offset_of(SlotField::kArgument0) / 4 + i]);
  std::uint32_t x = field(SlotField::kX), y = field(SlotField::kY);
  request.width = field(SlotField::kWidth);
  request.height = field(SlotField::kHeight);
  if (request.width == 0 || request.height == 0) {
    x = y = 0;
    request.width = info.width;
    request.height = info.height;
  }
  if (x >= info.width || request.width > info.width - x || y >= info.height ||
      request.height > info.height - y) {
    return refuse("its rectangle is not inside the grid");
  }
  request.origin = {static_cast<int>(x), static_cast<int>(y)};
  const std::uint32_t started = device_.launch(request, now + 1);
  if (started == 0)
    return refuse("no tile of the rectangle has the function, or the device is busy with one");
  open_launches_ += started;
  busy_ = true;
  ends_direct_ = true;
  return Answer::kOk;
}

Answer HostPortCore::resize(std::uint32_t array, std::uint32_t bytes) {
  if (bytes > kArrayStride) return refuse("an array of this size does not fit its window");
  if (!device_.resize_array(array, bytes)) return refuse("the machine runs");
  ends_direct_ = true;
  return Answer::kOk;
}

Answer HostPortCore::load_program(std::uint32_t program) {
  if (program >= device_.info().programs) return refuse("there is no such program");
  if (!device_.load(program)) return refuse("the machine does not have what the program needs");
  describe();
  reset_registers();
  forget_machine();
  return Answer::kOk;
}

void HostPortCore::control(std::uint32_t bits) {
  if ((bits & (kReset | kResetMachine)) == 0) return;
  reset_registers();
  if ((bits & kResetMachine) == 0) return;
  device_.reset((bits & kKeepMemory) != 0);
  forget_machine();
}

void HostPortCore::reset_registers() {
  slots_ = {};
  enabled_ = 0;
  pending_ = 0;
  scratch_ = 0;
  refused_ = 0;
  window_ = 0;
  tile_ = 0;
  refusal_.clear();
}

void HostPortCore::forget_machine() {
  std::fill(channels_.begin(), channels_.end(), Channel());
  open_launches_ = 0;
  expecting_ = false;
  busy_ = false;
  failure_.clear();
  ends_direct_ = true;
  has_reset_ = true;
}

std::uint32_t HostPortCore::debug_read(Address address, std::uint32_t count, std::byte* to,
                                       Cycle now) const {
  const Place place = find(address);
  const bool is_memory = place.window == Window::kMemory;
  const std::uint32_t bytes = is_memory ? memory_bytes(place) : place.bytes;
  if (place.window == Window::kNone || place.offset >= bytes) return 0;
  const std::uint32_t possible = std::min(count, bytes - place.offset);
  if (is_memory) {
    device_.read_memory(place.number, place.offset, possible, to);
    return possible;
  }
  if (place.is_stream_data()) return peek_stream(place, possible, to);
  std::uint32_t done = 0;
  Place word = place;
  while (done < possible) {
    word.offset = (place.offset + done) / 4 * 4;
    if (!rights_at(word).read) break;
    std::byte value[4];
    store(read_word(word, now), value);
    const std::uint32_t first = (place.offset + done) % 4;
    const std::uint32_t part = std::min(4 - first, possible - done);
    std::copy_n(value + first, part, to + done);
    done += part;
  }
  return done;
}

std::uint32_t HostPortCore::debug_write(Address address, std::uint32_t count,
                                        const std::byte* from) {
  const Place place = find(address);
  if (place.window != Window::kMemory || place.offset >= memory_bytes(place)) return 0;
  const std::uint32_t possible = std::min(count, memory_bytes(place) - place.offset);
  device_.write_memory(place.number, place.offset, possible, from);
  return possible;
}

}  // namespace tessera::host
