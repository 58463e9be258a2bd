#include "frontends/pto/reserved.h"

#include <algorithm>
#include <charconv>

#include "frontends/pto/operations.h"

namespace tessera::pto {

using cluster::Location;

std::int64_t number_of(const Operation& op, const char* key, std::int64_t otherwise,
                       const Diagnostics& diagnostics) {
  const Attribute* a = find(op.attributes, key);
  if (a == nullptr) return otherwise;
  const std::size_t length = std::min(a->value.find(':'), a->value.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(a->value.data(), a->value.data() + length, number);
  if (error != std::errc() || end != a->value.data() + length)
    diagnostics.fail(a->place, std::string("expected a whole number for ") + key + ", found " +
                                   tasm::quoted(a->value));
  return number;
}

std::string text_of(const Operation& op, const char* key) {
  const Attribute* a = find(op.attributes, key);
  if (a == nullptr) return "";
  std::string text = a->value;
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '"' || c == '@'; }),
             text.end());
  return text;
}

ReservedBuffers::ReservedBuffers(const Module& module, const cluster::Capacities& capacities)
    : diagnostics_(module.file), room_(capacities) {
  for (const Function& f : module.functions) collect(f, f.body);
}

const ReservedBuffers::Buffer* ReservedBuffers::find(const std::string& function,
                                                     const std::string& name) const {
  const auto entry = buffers_.find({function, name});
  return entry == buffers_.end() ? nullptr : &entry->second;
}

void ReservedBuffers::collect(const Function& function, const Region& region) {
  for (const Operation& op : region.operations) {
    if (operation_info(op.name).meaning == Meaning::kReserveBuffer) reserve(function, op);
    for (const Region& inner : op.regions) collect(function, inner);
  }
}

void ReservedBuffers::reserve(const Function& function, const Operation& op) {
  const std::string name = text_of(op, "name"), where = text_of(op, "location");
  if (name.empty()) diagnostics_.fail(op.place, "pto.reserve_buffer without a name");
  Buffer buffer;
  buffer.bytes = number_of(op, "size", 0, diagnostics_);
  const bool mat = where.find("mat") != std::string::npos;
  if (!mat && where.find("vec") == std::string::npos)
    diagnostics_.fail(op.place, "expected a location vec or mat, found " + tasm::quoted(where));
  buffer.location = mat ? Location::kL1 : Location::kUb;
  const auto memory = static_cast<unsigned>(buffer.location);
  const std::int64_t base = number_of(op, "base", -1, diagnostics_);
  const std::int64_t room = room_[memory];
  if (buffer.bytes <= 0 || buffer.bytes > room || base > room - buffer.bytes)
    diagnostics_.fail(op.place, "the buffer " + name + " needs " + std::to_string(buffer.bytes) +
                                    " bytes of " + to_string(buffer.location) + ", which has " +
                                    std::to_string(room) + " left");
  if (base >= 0) {
    buffer.address = base;
    first_free_[memory] = std::max(first_free_[memory], base + buffer.bytes);
  } else {
    buffer.address = (room - buffer.bytes) / 32 * 32;
    room_[memory] = static_cast<std::uint32_t>(buffer.address);
  }
  if (!buffers_.emplace(std::make_pair(function.name, name), buffer).second)
    diagnostics_.fail(op.place, "@" + function.name + " reserves " + name + " twice");
}

}  // namespace tessera::pto
