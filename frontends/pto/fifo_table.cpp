#include "frontends/pto/fifo_table.h"

#include <algorithm>

namespace tessera::pto {

using cluster::Location;

namespace {

constexpr std::int64_t kMostSlots = 1024;

/// The first push, pop or free of the pipe that `opens` opens.
const Operation* first_user(const Region& region, const Operation& opens) {
  const auto id_of = [](const Operation& op) {
    const std::string id = text_of(op, "id");
    return id.empty() ? "0" : id.substr(0, id.find(':'));
  };
  for (const Operation& op : region.operations) {
    const Meaning meaning = operation_info(op.name).meaning;
    if (meaning == Meaning::kPush || meaning == Meaning::kPop || meaning == Meaning::kFree) {
      const auto names = [&](const Argument& a) { return a.text == opens.results[0].name; };
      const bool same = opens.results.empty()
                            ? op.name.find('_') != std::string::npos && id_of(op) == id_of(opens)
                            : std::any_of(op.arguments.begin(), op.arguments.end(), names);
      if (same) return &op;
    }
    for (const Region& inner : op.regions)
      if (const Operation* found = first_user(inner, opens)) return found;
  }
  return nullptr;
}

/// How many free slots one signal stands for: a divisor of the ring, half of it at most.
std::int64_t period_of(std::int64_t slots) {
  if (slots <= 2) return slots;
  std::int64_t period = slots / 2;
  while (slots % period != 0) --period;
  return period;
}

}  // namespace

std::int64_t FifoTable::positive(const Operation& op, const char* key, std::int64_t otherwise,
                                 std::int64_t most) const {
  const std::int64_t n = number_of(op, key, otherwise, diagnostics_);
  if (n < 1 || n > most) fail(op.place, key, " is ", n, ", expected 1..", most);
  return n;
}

Fifo& FifoTable::add(const Operation& op, std::int64_t id, bool through_gm) {
  Fifo fifo;
  fifo.id = id;
  fifo.directions = number_of(op, "dir_mask", 1, diagnostics_);
  if (fifo.directions < 1 || fifo.directions > 3)
    fail(op.place, "expected dir_mask 1 (cube to vector), 2 (vector to cube) or 3, found ",
         fifo.directions);
  const bool both = fifo.directions == 3;
  fifo.slots = positive(op, "slot_num", both ? 4 : 8, kMostSlots);
  fifo.slot_bytes = positive(op, "slot_size", 0, std::int64_t{1} << 30);
  fifo.local_slots =
      positive(op, "local_slot_num", std::min<std::int64_t>(2, fifo.slots), fifo.slots);
  fifo.period = period_of(fifo.slots);
  fifo.through_gm = through_gm;
  if (!through_gm && !is_a5()) fail(op, "A2/A3 have no direct path, expected a buffer in GM");
  const std::int64_t flags = both ? 4 : 2;
  fifo.flag = number_of(op, "flag_base", next_flag_, diagnostics_);
  if (fifo.flag < 0 || fifo.flag + flags > kAiv1Flag)
    fail(op.place, op.name, " takes the flags ", fifo.flag, "..", fifo.flag + flags - 1,
         ", expected 0..15");
  next_flag_ = std::max(next_flag_, fifo.flag + flags);
  note_split(fifo, op);
  fifos_.push_back(std::move(fifo));
  return fifos_.back();
}

// Whether both AIVs carry data is a property of the pipe: the attribute nosplit decides, or the split
// of its first operation.
void FifoTable::note_split(Fifo& fifo, const Operation& op) const {
  const Attribute* nosplit = find(op.attributes, "nosplit");
  const Operation* user = first_user(scope_.function().body, op);
  fifo.nosplit = nosplit != nullptr
                     ? nosplit->value != "false"
                     : user != nullptr && number_of(*user, "split", 0, diagnostics_) == 0;
  fifo.split_is_known = nosplit != nullptr || user != nullptr;
}

void FifoTable::open_ends(Fifo& fifo, const Operation& op, const Value* gm, const Value& to_aiv,
                          const Value& to_aic) {
  PipeEnd noted;
  noted.place = op.place;
  noted.is_handle = fifo.is_handle;
  noted.id = fifo.id;
  noted.directions = fifo.directions;
  noted.slots = fifo.slots;
  noted.slot_bytes = fifo.slot_bytes;
  noted.flag = fifo.flag;
  noted.through_gm = fifo.through_gm;
  if (fifo.split_is_known) noted.nosplit = fifo.nosplit;
  noted.buffers = {to_aiv.scalar, to_aic.scalar};
  pipe_ends_.push_back(std::move(noted));
  if (gm != nullptr) fifo.gm = gm->place;
  for (const bool is_to_aiv : {true, false}) {
    if ((fifo.directions & (is_to_aiv ? 1 : 2)) == 0) continue;
    FifoEnd& end = is_to_aiv ? fifo.to_aiv : fifo.to_aic;
    const Value& buffer = is_to_aiv ? to_aiv : to_aic;
    const bool is_second = !is_to_aiv && fifo.directions == 3;
    end.open = true;
    end.produces = is_to_aiv == is_cube();
    end.flag = fifo.flag + (is_second ? 2 : 0);
    end.buffer = buffer.scalar;
    end.first_byte = is_second ? fifo.slots * fifo.slot_bytes : 0;
    end.writer = is_to_aiv ? Pipe::kFix : Pipe::kMte3;
    end.reader = fifo.through_gm ? Pipe::kMte2 : is_to_aiv ? Pipe::kV : Pipe::kMte1;
    if (fifo.has_buffer && !end.produces) check_ring(fifo, op, buffer, is_to_aiv);
  }
}

bool FifoTable::has_id(std::int64_t id) const {
  return std::any_of(fifos_.begin(), fifos_.end(),
                     [id](const Fifo& fifo) { return fifo.id == id && !fifo.is_handle; });
}

Fifo& FifoTable::of(const Operation& op) {
  for (const Argument& a : op.arguments) {
    const Value* v = scope_.find(a.text);
    if (v != nullptr && v->kind == Value::Kind::kPipe) return fifos_[v->pipe];
  }
  const std::int64_t id = number_of(op, "id", 0, diagnostics_);
  for (Fifo& fifo : fifos_)
    if (fifo.id == id && !fifo.is_handle) return fifo;
  fail(op, "pipe ", id, " has not been initialized on this core");
}

FifoEnd& FifoTable::end_of(Fifo& fifo, const Operation& op, bool produces) {
  const bool to_aiv = produces == is_cube();
  FifoEnd& end = to_aiv ? fifo.to_aiv : fifo.to_aic;
  if (!end.open)
    fail(op, "the dir_mask of the pipe is ", fifo.directions, ", which has no way ",
         to_aiv ? "from the cube to vector" : "from vector to the cube");
  fifo.split = number_of(op, "split", 0, diagnostics_);
  const bool fits = fifo.nosplit ? fifo.split == 0 : fifo.split == 1 || fifo.split == 2;
  if (!fits)
    fail(op, "split ", fifo.split, ", expected ",
         fifo.nosplit ? "0: the pipe is nosplit" : "1 or 2: the pipe is divided");
  return end;
}

void FifoTable::check_ring(const Fifo& fifo, const Operation& op, const Value& buffer,
                           bool to_aiv) const {
  const std::int64_t slots = fifo.through_gm ? fifo.local_slots : fifo.slots;
  const std::int64_t bytes = slots * fifo.slot_bytes;
  const std::string ring = std::to_string(slots) + " slots of " + std::to_string(fifo.slot_bytes) +
                           " bytes need " + std::to_string(bytes);
  const Location location = to_aiv ? Location::kUb : Location::kL1;
  if (const ReservedBuffers::Buffer* reserved = buffer.reserved) {
    const std::string name =
        "the buffer " + reserved->name + " of line " + std::to_string(reserved->place.line);
    if (reserved->location != location)
      fail(op, name, " lies in ", to_string(reserved->location), ", the consumer's ring in ",
           to_string(location), "; reserve it with location ", to_aiv ? "vec" : "mat");
    if (reserved->bytes < bytes)
      fail(op, ring, ", and ", name, " has ", reserved->bytes, "; reserve as many");
    return;
  }
  if (buffer.scalar.is_register) return;
  const std::int64_t first = buffer.scalar.value;
  const cluster::Profile profile = context_.options.profile;
  const std::int64_t room = cluster::capacities_of(profile)[static_cast<unsigned>(location)];
  if (first >= 0 && bytes <= room && first <= room - bytes) return;
  fail(op, ring, " from byte ", first, " on; ", to_string(location), " of ",
       cluster::to_string(profile), " has ", room);
}

// A slot holds the tile of the AIC. An AIV pushes half of it if the pipe is divided.
void FifoTable::note_tile(const Fifo& fifo, const Operation& op, const Type& type, bool pushes) {
  const std::int64_t parts = !is_cube() && fifo.split != 0 ? 2 : 1;
  const std::int64_t bytes = extent_of(type, bits_of(type.element)) * parts;
  if (bytes > fifo.slot_bytes)
    fail(op, "the tile takes ", bytes, " bytes of a slot",
         parts > 1 ? " with that of the other AIV" : "", ", which has ", fifo.slot_bytes,
         " (slot_size of line ", pipe_ends_[index_of(fifo)].place.line, ")");
  note_entry(fifo, op, type, pushes);
}

void FifoTable::note_entry(const Fifo& fifo, const Operation& op, const Type& type, bool pushes) {
  PipeEnd& end = pipe_ends_[index_of(fifo)];
  const auto direction = pushes == is_cube() ? FifoDirection::kToAiv : FifoDirection::kToAic;
  (pushes ? end.pushed : end.popped).push_back({op.place, direction, type, fifo.split});
}

}  // namespace tessera::pto
