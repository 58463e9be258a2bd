#include "frontends/pto/memory.h"

#include <algorithm>

namespace tessera::pto {

namespace {

constexpr std::int64_t kAlignment = 32;  // bytes; alignment of tiles in UB and L1 (ascend.md 1.3)

std::string bytes_text(const ReservedBuffers::Buffer& buffer) {
  return joined(buffer.address, "..", buffer.address + buffer.bytes - 1);
}

}  // namespace

ReservedBuffers::ReservedBuffers(const Module& module, const cluster::Capacities& capacities)
    : diagnostics_(module.file), capacities_(capacities), room_(capacities) {
  for (const Function& f : module.functions)
    for_each_operation(f.body, [&](const Operation& op) {
      if (operation_info(op.name).meaning == Meaning::kReserveBuffer) reserve(f, op);
    });
  for (const Function& f : module.functions) refuse_mixture(f);
  place_all();
}

const ReservedBuffers::Buffer* ReservedBuffers::find(const std::string& function,
                                                     const std::string& name) const {
  const auto entry = buffers_.find({function, name});
  return entry == buffers_.end() ? nullptr : &entry->second;
}

void ReservedBuffers::reserve(const Function& function, const Operation& op) {
  const std::string name = text_of(op, "name"), where = text_of(op, "location");
  if (name.empty()) diagnostics_.fail(op.place, "pto.reserve_buffer without a name");
  Buffer buffer;
  buffer.place = op.place;
  buffer.name = name;
  buffer.bytes = number_of(op, "size", 0, diagnostics_);
  const bool mat = where.find("mat") != std::string::npos;
  if (!mat && where.find("vec") == std::string::npos)
    diagnostics_.fail(op.place, "expected a location vec or mat, found ", text::in_quotes(where));
  buffer.location = mat ? Location::kL1 : Location::kUb;
  buffer.is_fixed = tessera::pto::find(op.attributes, "base") != nullptr;
  buffer.address = number_of(op, "base", 0, diagnostics_);
  const Attribute* automatic = tessera::pto::find(op.attributes, "auto");
  if (!buffer.is_fixed && automatic != nullptr && automatic->value == "false")
    diagnostics_.fail(op.place, "the buffer ", name,
                      " has auto = false and no base; give base = BYTE or auto = true");
  const std::int64_t room = capacities_[static_cast<unsigned>(buffer.location)];
  if (buffer.bytes <= 0 || buffer.bytes > room || buffer.address < 0 ||
      buffer.address > room - buffer.bytes)
    diagnostics_.fail(op.place, "the buffer ", name, " needs ", buffer.bytes, " bytes",
                      buffer.is_fixed ? joined(" from byte ", buffer.address) : "", " of ",
                      to_string(buffer.location), ", which has ", room);
  const auto [entry, is_new] = buffers_.emplace(std::make_pair(function.name, name), buffer);
  if (!is_new) diagnostics_.fail(op.place, "@", function.name, " reserves ", name, " twice");
  in_order_.push_back(&entry->second);
}

// The assembler places tiles only where it places the reserved buffers too.
void ReservedBuffers::refuse_mixture(const Function& function) const {
  const Operation* fixed = nullptr;
  for_each_operation(function.body, [&](const Operation& op) {
    const Attribute* automatic = tessera::pto::find(op.attributes, "auto");
    if (operation_info(op.name).meaning == Meaning::kReserveBuffer && automatic != nullptr &&
        automatic->value == "false")
      fixed = &op;
  });
  if (fixed == nullptr) return;
  for_each_operation(function.body, [&](const Operation& op) {
    const bool given = std::any_of(op.arguments.begin(), op.arguments.end(),
                                   [](const Argument& a) { return a.role == Role::kAddress; });
    if (operation_info(op.name).meaning == Meaning::kAllocTile && !given)
      diagnostics_.fail(op.place, op.name, " gives the tile no address, and the buffer of line ",
                        fixed->place.line, " has auto = false; give all addresses or none");
  });
}

const ReservedBuffers::Buffer* ReservedBuffers::overlapping(const Buffer& buffer) const {
  const auto shares = [&buffer](const Buffer* other) {
    return other->location == buffer.location && other->address < buffer.address + buffer.bytes &&
           buffer.address < other->address + other->bytes;
  };
  const auto found = std::find_if(placed_.begin(), placed_.end(), shares);
  return found == placed_.end() ? nullptr : *found;
}

void ReservedBuffers::place_all() {
  for (Buffer* buffer : in_order_) {
    if (!buffer->is_fixed) continue;
    const Buffer* other = overlapping(*buffer);
    if (other != nullptr)
      diagnostics_.fail(buffer->place, "the buffer ", buffer->name, " takes the bytes ",
                        bytes_text(*buffer), " of ", to_string(buffer->location), ", and ",
                        other->name, " of line ", other->place.line, " the bytes ",
                        bytes_text(*other), "; give them room of their own");
    placed_.push_back(buffer);
    const auto memory = static_cast<unsigned>(buffer->location);
    first_free_[memory] = std::max(first_free_[memory], buffer->address + buffer->bytes);
  }
  for (Buffer* buffer : in_order_) {
    if (buffer->is_fixed) continue;
    const auto memory = static_cast<unsigned>(buffer->location);
    std::int64_t end = room_[memory];
    const Buffer* other = nullptr;
    do {
      buffer->address = (end - buffer->bytes) / kAlignment * kAlignment;
      other = end < buffer->bytes ? nullptr : overlapping(*buffer);
      if (other != nullptr) end = other->address;
    } while (other != nullptr);
    if (end < buffer->bytes)
      diagnostics_.fail(buffer->place, "the buffer ", buffer->name, " needs ", buffer->bytes,
                        " bytes of ", to_string(buffer->location), ", which has ", end, " left");
    placed_.push_back(buffer);
    room_[memory] = static_cast<std::uint32_t>(buffer->address);
  }
}

// --- tiles ---

std::int64_t bytes_of(const TileOperand& tile) {
  return (tile.full_rows * tile.row_stride * cluster::bits_of(tile.element) + 7) / 8;
}

TileOperand room_of(const TileOperand& tile, const Type& type) {
  TileOperand room = tile;
  if (room_bits_of(type) == 8) room.element = Element::kI8;
  return room;
}

TileMemory::TileMemory(const ReservedBuffers& reserved, Profile profile,
                       const Diagnostics& diagnostics)
    : diagnostics_(diagnostics), profile_(profile), capacities_(reserved.room()) {
  for (unsigned l = 0; l < cluster::kLocationCount; ++l)
    level_[l] = reserved.first_free(static_cast<Location>(l));
}

void TileMemory::plan(const Function& function) {
  std::array<TilePlan::Room, cluster::kLocationCount> rooms;
  for (unsigned l = 0; l < cluster::kLocationCount; ++l) rooms[l] = {level_[l], capacities_[l]};
  plan_.emplace(function, rooms, profile_ == Profile::kA5, diagnostics_);
}

std::int64_t TileMemory::allot(const Operation& op, const TileOperand& tile) {
  if (const auto address = plan_ ? plan_->address_of(op) : std::nullopt) {
    std::int64_t& end = level_[static_cast<unsigned>(tile.location)];
    const std::int64_t room = capacities_[static_cast<unsigned>(tile.location)];
    end = std::max(end, std::min(*address + bytes_of(tile), room));
    return *address;
  }
  std::int64_t& next = level_[static_cast<unsigned>(tile.location)];
  const std::int64_t alignment = cluster::alignment_of(tile.location);
  const std::int64_t address = (next + alignment - 1) / alignment * alignment;
  check_room(op, tile, address);
  next = address + bytes_of(tile);
  return address;
}

void TileMemory::check_room(const Operation& op, const TileOperand& tile,
                            std::int64_t address) const {
  const std::int64_t room = capacities_[static_cast<unsigned>(tile.location)];
  if (address >= 0 && bytes_of(tile) <= room && address <= room - bytes_of(tile)) return;
  diagnostics_.fail(op.place, "the tile ", tile.name, " needs ", bytes_of(tile),
                    " bytes from byte ", address, " on; ", to_string(tile.location), " of ",
                    cluster::to_string(profile_), " has ", room);
}

}  // namespace tessera::pto
