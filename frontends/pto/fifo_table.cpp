#include "frontends/pto/fifo.h"

#include <algorithm>

namespace tessera::pto {

namespace {

constexpr std::int64_t kMostSlots = 1024;

/// The first push, pop or free of the pipe that `opens` opens.
const Operation* first_user(const Region& region, const Operation& opens) {
  const auto id_of = [](const Operation& op) {
    const std::string id = text_of(op, "id");
    return id.empty() ? "0" : id.substr(0, id.find(':'));
  };
  const Operation* first = nullptr;
  for_each_operation(region, [&](const Operation& op) {
    const Meaning meaning = operation_info(op.name).meaning;
    const bool uses =
        meaning == Meaning::kPush || meaning == Meaning::kPop || meaning == Meaning::kFree;
    if (first != nullptr || !uses) return;
    const auto names = [&](const Argument& a) { return a.text == opens.results[0].name; };
    const bool same = opens.results.empty()
                          ? op.name.find('_') != std::string::npos && id_of(op) == id_of(opens)
                          : std::any_of(op.arguments.begin(), op.arguments.end(), names);
    if (same) first = &op;
  });
  return first;
}

/// What a pipe is known by at both of its ends.
std::int64_t key_of(const Fifo& fifo) {
  return fifo.is_handle ? fifo.flag : fifo.id;
}
bool is_same(const Fifo& a, const Fifo& b) {
  return a.is_handle == b.is_handle && key_of(a) == key_of(b);
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
  fifo.place = op.place;
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
  note_conversion(fifo, op);
  fifos_.push_back(std::move(fifo));
  return fifos_.back();
}

// Whether both AIVs carry data is a property of the pipe: the attribute nosplit decides, or the
// split of its first operation.
void FifoTable::note_split(Fifo& fifo, const Operation& op) const {
  const Attribute* nosplit = pto::find(op.attributes, "nosplit");
  const Operation* user = first_user(scope_.function().body, op);
  fifo.nosplit = nosplit != nullptr
                     ? nosplit->value != "false"
                     : user != nullptr && number_of(*user, "split", 0, diagnostics_) == 0;
  fifo.split_is_known = nosplit != nullptr || user != nullptr;
}

// quant = deqf16_scalar, qf322b8_pre_vec, f32_bf16: the types stand in the name.
void FifoTable::note_conversion(Fifo& fifo, const Operation& op) const {
  const Attribute* epilogue = pto::find(op.attributes, "acc_push_epilogue");
  fifo.relu = epilogue != nullptr && epilogue->value.find("relu=normal_relu") != std::string::npos;
  const std::size_t at = epilogue == nullptr ? std::string::npos : epilogue->value.find("quant=");
  if (at == std::string::npos) return;
  std::string mode = epilogue->value.substr(at + 6);
  mode = mode.substr(0, mode.find_first_of(",>"));
  constexpr Word<const char*> kTypes[] = {{"no_convert", ""},
                                          {"f32_f16", "f16"},
                                          {"f32_bf16", "bf16"},
                                          {"deqf16", "f16"},
                                          {"req8", "i8"},
                                          {"qf322b8_pre", "i8"},
                                          {"qf322f16_pre", "f16"},
                                          {"qf322bf16_pre", "bf16"},
                                          {"qf322f32_pre", "f32"},
                                          {"qf322fp8_pre", "f8E4M3FN"},
                                          {"qf322hif8_pre", "hif8"},
                                          {"qs322bf16_pre", "bf16"}};
  for (const char* by : {"_scalar", "_vec"}) {
    const std::size_t end = mode.rfind(by);
    if (end == std::string::npos) continue;
    fifo.scales = true;
    mode.resize(end);
  }
  const bool from_i32 = mode == "deqf16" || mode == "req8" || mode == "qs322bf16_pre";
  fifo.converts_from = from_i32 ? "i32" : "f32";
  fifo.converts_to = require_word(kTypes, mode, epilogue->place,
                                  "a conversion such as deqf16_scalar", diagnostics_);
}

// A ring has as many slots as the buffer that is reserved for it holds, at most those of the text.
void FifoTable::fit_ring(Fifo& fifo, const Value& buffer) const {
  if (!fifo.has_buffer || buffer.reserved == nullptr) return;
  const std::int64_t fitting = buffer.reserved->bytes / fifo.slot_bytes;
  std::int64_t& slots = fifo.through_gm ? fifo.local_slots : fifo.slots;
  if (fitting < 1 || fitting >= slots) return;
  slots = fitting;
  fifo.period = period_of(fifo.slots);
}

void FifoTable::open_ends(Fifo& fifo, const Operation& op, const Value* gm, const Value& to_aiv,
                          const Value& to_aic) {
  if (gm != nullptr) fifo.gm = gm->place;
  for (const Value* buffer : {&to_aiv, &to_aic}) fit_ring(fifo, *buffer);
  for (const bool is_to_aiv : {true, false}) {
    if ((fifo.directions & (is_to_aiv ? 1 : 2)) == 0) continue;
    FifoEnd& end = fifo.ends[is_to_aiv ? kToAiv : kToAic];
    const Value& buffer = is_to_aiv ? to_aiv : to_aic;
    const bool is_second = !is_to_aiv && fifo.directions == 3;
    end.open = true;
    end.external = context_.external.count({fifo.is_handle, key_of(fifo), is_to_aiv}) > 0;
    end.produces = is_to_aiv == is_cube();
    end.flag = fifo.flag + (is_second ? 2 : 0);
    end.buffer = buffer.scalar;
    end.first_byte = is_second ? fifo.slots * fifo.slot_bytes : 0;
    end.writer = is_to_aiv ? Pipe::kFix : Pipe::kMte3;
    end.reader = fifo.through_gm ? Pipe::kMte2 : is_to_aiv ? Pipe::kV : Pipe::kMte1;
    if (fifo.has_buffer && !end.produces) check_ring(fifo, op, buffer, is_to_aiv);
  }
}

Fifo* FifoTable::find(std::int64_t id) {
  for (Fifo& fifo : fifos_)
    if (fifo.id == id && !fifo.is_handle) return &fifo;
  return nullptr;
}

Fifo& FifoTable::of(const Operation& op) {
  for (const Argument& a : op.arguments) {
    const Value* v = scope_.find(a.text);
    if (v != nullptr && v->kind == Value::Kind::kPipe) return fifos_[v->pipe];
  }
  const std::int64_t id = number_of(op, "id", 0, diagnostics_);
  if (Fifo* fifo = find(id)) return *fifo;
  fail(op, "pipe ", id, " has not been initialized on this core");
}

FifoEnd& FifoTable::end_of(Fifo& fifo, const Operation& op, bool produces) {
  const FifoDirection way = produces == is_cube() ? kToAiv : kToAic;
  FifoEnd& end = fifo.ends[way];
  if (!end.open)
    fail(op, "the dir_mask of the pipe is ", fifo.directions, ", which has no way ",
         way == kToAiv ? "from the cube to vector" : "from vector to the cube");
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
  const std::string ring = joined(slots, " slots of ", fifo.slot_bytes, " bytes need ", bytes);
  const Location location = to_aiv ? Location::kUb : Location::kL1;
  if (const ReservedBuffers::Buffer* reserved = buffer.reserved) {
    const std::string name =
        joined("the buffer ", reserved->name, " of line ", reserved->place.line);
    if (reserved->location != location)
      fail(op, name, " lies in ", to_string(reserved->location), ", the consumer's ring in ",
           to_string(location), "; reserve it with location ", to_aiv ? "vec" : "mat");
    if (reserved->bytes < bytes)
      fail(op, ring, ", and ", name, " has ", reserved->bytes, "; reserve as many");
    return;
  }
  if (buffer.scalar.is_register) return;
  const std::int64_t first = buffer.scalar.value;
  const Profile profile = context_.options.profile;
  const std::int64_t room = cluster::capacities_of(profile)[static_cast<unsigned>(location)];
  if (first >= 0 && bytes <= room && first <= room - bytes) return;
  fail(op, ring, " from byte ", first, " on; ", to_string(location), " of ",
       cluster::to_string(profile), " has ", room);
}

std::int64_t FifoTable::extent_of(const Type& tile) {
  // A size that is ? may be as small as one row or column.
  const std::int64_t rows = std::max<std::int64_t>(tile.valid_rows, tile.valid_rows == kDynamic);
  const std::int64_t columns =
      std::max<std::int64_t>(tile.valid_columns, tile.valid_columns == kDynamic);
  if (rows == 0 || columns == 0) return 0;
  return ((rows - 1) * tile.shape[1] + columns) * bits_of(tile.element) / 8;
}

// A slot holds the tile of the AIC. An AIV pushes half of it if the pipe is divided.
void FifoTable::note_tile(const Fifo& fifo, FifoEnd& end, const Operation& op,
                          const Type& type) const {
  const std::int64_t parts = !is_cube() && fifo.split != 0 ? 2 : 1;
  Type in_slot = type;
  if (is_cube() && end.produces && !fifo.converts_to.empty()) in_slot.element = fifo.converts_to;
  const std::int64_t bytes = extent_of(in_slot) * parts;
  if (bytes > fifo.slot_bytes)
    fail(op, "the tile takes ", bytes, " bytes of a slot",
         parts > 1 ? " with that of the other AIV" : "", ", which has ", fifo.slot_bytes,
         " (slot_size of line ", fifo.place.line, ")");
  end.tiles.push_back({op.place, in_slot, fifo.split});
}

// --- both ends of a pipe ---

namespace {

std::string name_of(const Fifo& end) {
  return end.is_handle ? "the pipe of flag " + std::to_string(end.flag)
                       : "pipe " + std::to_string(end.id);
}

/// The text "a tile of 16 x 48 of 64 f32" means that 48 of 64 columns are valid.
std::string shape_text(const Type& tile) {
  if (tile.kind == Type::Kind::kTensorView) {
    std::string text = "an entry of ";
    for (const std::int64_t size : tile.shape) text += std::to_string(size) + " x ";
    return text.substr(0, text.size() - 2) + tile.element;
  }
  const auto size = [](std::int64_t valid, std::int64_t full) {
    return valid == kDynamic || valid == full
               ? std::to_string(full)
               : std::to_string(valid) + " of " + std::to_string(full);
  };
  return "a tile of " + size(tile.valid_rows, tile.shape[0]) + " x " +
         size(tile.valid_columns, tile.shape[1]) + " " + tile.element;
}

/// Compares the two ends of one pipe.
class EndComparison {
 public:
  EndComparison(const Fifo& aiv, const Fifo& aic, Profile profile, const Diagnostics& diagnostics)
      : here_(aiv), there_(aic),
        halves_whole_(profile == Profile::kA2A3 && aiv.is_handle && aiv.through_gm && aic.nosplit),
        diagnostics_(diagnostics) {}

  void run() const {
    require("dir_mask", here_.directions, there_.directions);
    require("slot_size", here_.slot_bytes, there_.slot_bytes);
    require("slot_num", here_.slots, there_.slots);
    if (here_.through_gm != there_.through_gm)
      fail(here_.through_gm ? "goes through GM here and directly at "
                            : "goes directly here and through GM at ",
           "; both ends need gm_slot_buffer or none");
    require("flag_base", here_.flag, there_.flag);
    if (here_.split_is_known && there_.split_is_known && here_.nosplit != there_.nosplit &&
        !halves_whole_)
      fail(here_.nosplit ? "is not divided (nosplit, or split 0) here and divided at "
                         : "is divided here and not divided (nosplit, or split 0) at ",
           "; expected the same");
    // In a pipe through GM the producer does not use the ring of the consumer.
    if (!here_.through_gm)
      for (const FifoDirection d : {kToAiv, kToAic}) compare_buffers(d);
    for (const FifoDirection d : {kToAic, kToAiv}) compare_tiles(d);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    diagnostics_.fail(here_.place, name_of(here_), " ", what, "line ", there_.place.line, hint);
  }
  void require(const char* key, std::int64_t here, std::int64_t there) const {
    if (here == there) return;
    fail(joined("has ", key, " ", here, " here and ", there, " at "),
         "; expected the same at both ends");
  }
  void compare_buffers(FifoDirection d) const {
    if (!here_.ends[d].open) return;
    const Operand &here = here_.ends[d].buffer, &there = there_.ends[d].buffer;
    if (here.is_register || there.is_register || here.value == there.value) return;
    const char* way = d == kToAiv ? "(cube to vector)" : "(vector to cube)";
    fail(joined("has the consumer's buffer ", way, " at byte ", here.value, " here and at byte ",
                there.value, " at "),
         "; import the buffer that the consumer reserves");
  }
  /// Every pop has a push that it takes, and every push a pop.
  void compare_tiles(FifoDirection d) const {
    const bool pushes = here_.ends[d].produces;
    const std::vector<FifoTile>& pushed = (pushes ? here_ : there_).ends[d].tiles;
    const std::vector<FifoTile>& popped = (pushes ? there_ : here_).ends[d].tiles;
    if (pushed.empty() || popped.empty()) return;
    const FifoTile &first_push = pushed.front(), &first_pop = popped.front();
    if (first_push.split != first_pop.split && !(halves_whole_ && d == kToAiv))
      diagnostics_.fail(first_pop.place, "a pop of ", name_of(here_), " with split ",
                        first_pop.split, ", pushed with split ", first_push.split, " at line ",
                        first_push.place.line, "; expected the same");
    for (const FifoTile& pop : popped)
      if (std::none_of(pushed.begin(), pushed.end(),
                       [&](const FifoTile& push) { return agree(push, pop, d); }))
        fail_tiles(first_push, pop);
    for (const FifoTile& push : pushed)
      if (std::none_of(popped.begin(), popped.end(),
                       [&](const FifoTile& pop) { return agree(push, pop, d); }))
        fail_tiles(push, first_pop);
  }
  /// Whether a pop takes what a push gives.
  static bool agree(const FifoTile& push, const FifoTile& pop, FifoDirection d) {
    // FIX gives 8-bit integers with or without sign, and f8 of either kind.
    const bool converted = push.type.element == "i8" || bits_of(push.type.element) == 8;
    if (push.type.kind != pop.type.kind ||
        (converted ? bits_of(push.type.element) != bits_of(pop.type.element)
                   : push.type.element != pop.type.element))
      return false;
    if (push.type.kind == Type::Kind::kTensorView) return push.type.shape == pop.type.shape;
    // The tile of an AIV is half of the tile of the AIC.
    const Type& whole = d == kToAiv ? push.type : pop.type;
    const Type& half = d == kToAiv ? pop.type : push.type;
    const std::int64_t split = push.split == 0 ? pop.split : push.split;
    const std::int64_t down = split == 1 ? 2 : 1, across = split == 2 ? 2 : 1;
    const auto fits = [](std::int64_t a, std::int64_t b, std::int64_t parts) {
      return a == kDynamic || b == kDynamic || a == b * parts;
    };
    return whole.shape[1] == half.shape[1] * across &&
           fits(whole.valid_rows, half.valid_rows, down) &&
           fits(whole.valid_columns, half.valid_columns, across);
  }
  [[noreturn]] void fail_tiles(const FifoTile& push, const FifoTile& pop) const {
    const bool tiles = push.type.kind == Type::Kind::kTile;
    const char* parts = !tiles || push.split == 0 ? "; expected the same"
                        : push.split == 1         ? "; an AIV has half of the rows"
                                                  : "; an AIV has half of the columns";
    diagnostics_.fail(pop.place, "a pop of ", name_of(here_), " takes ", shape_text(pop.type),
                      ", and line ", push.place.line, " pushes ", shape_text(push.type), parts);
  }

  const Fifo &here_, &there_;
  /// On A2/A3 the AIC writes a whole tile into GM and each AIV may take half of it: the signals are the same.
  const bool halves_whole_;
  const Diagnostics& diagnostics_;
};

}  // namespace

void check_fifo_ends(const std::vector<Fifo>& aic, const std::vector<Fifo>& aiv,
                     const LowerOptions& options, const Diagnostics& diagnostics) {
  const auto without = [](const std::vector<Fifo>& ends, const std::vector<Fifo>& others) {
    std::vector<const Fifo*> list;
    for (const Fifo& end : ends)
      if (std::none_of(others.begin(), others.end(),
                       [&](const Fifo& other) { return is_same(end, other); }))
        list.push_back(&end);
    return list;
  };
  // Handles without a partner are taken in order as the ends of one pipe, to report their flags.
  const std::vector<const Fifo*> lone_aic = without(aic, aiv), lone_aiv = without(aiv, aic);
  const std::size_t lone_ends = std::max(lone_aic.size(), lone_aiv.size());
  for (std::size_t i = 0; i < lone_ends && !options.external_peers; ++i) {
    const Fifo* a = i < lone_aic.size() ? lone_aic[i] : nullptr;
    const Fifo* v = i < lone_aiv.size() ? lone_aiv[i] : nullptr;
    if (a != nullptr && v != nullptr && a->is_handle && v->is_handle)
      EndComparison(*v, *a, options.profile, diagnostics).run();
    const Fifo& lone = v != nullptr ? *v : *a;
    diagnostics.fail(lone.place, name_of(lone), " has one end only: the function of the ",
                     v != nullptr ? "AIC" : "AIVs", " opens none with this ",
                     lone.is_handle ? "flag" : "id");
  }
  for (const Fifo& end : aiv)
    for (const Fifo& other : aic)
      if (is_same(end, other)) EndComparison(end, other, options.profile, diagnostics).run();
}

ExternalEnds external_ends(const std::vector<Fifo>& here, const std::vector<Fifo>& there,
                           std::vector<std::string>& texts) {
  ExternalEnds ends;
  for (const Fifo& fifo : here) {
    for (const FifoDirection d : {kToAiv, kToAic}) {
      const FifoEnd& end = fifo.ends[d];
      const auto uses = [&](const Fifo& other) {
        return is_same(fifo, other) && !other.ends[d].tiles.empty();
      };
      if (end.tiles.empty() || std::any_of(there.begin(), there.end(), uses)) continue;
      ends.insert({fifo.is_handle, key_of(fifo), d == kToAiv});
      texts.push_back(joined("line ", end.tiles.front().place.line, ": no function ",
                             end.produces ? "pops from " : "pushes into ", name_of(fifo),
                             d == kToAiv ? " (cube to vector)" : " (vector to cube)",
                             ": a peer outside of the program does, which is always ready"));
    }
  }
  return ends;
}

}  // namespace tessera::pto
