#include "models/pe/memory_checks.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "models/pe/engine_state.h"
#include "models/pe/merging_loads.h"
#include "models/pe/operation.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pe {

// --- words

const WordSet::Page* WordSet::find(std::uint32_t page) const {
  const auto at =
      std::lower_bound(pages_.begin(), pages_.end(), page,
                       [](const Page& one, std::uint32_t number) { return one.number < number; });
  return at != pages_.end() && at->number == page ? &*at : nullptr;
}

void WordSet::add(std::uint32_t address, std::uint32_t count) {
  const std::uint32_t end = std::min(address + count, kSramBytes);
  for (std::uint32_t at = address / 2 * 2; at < end; at += 2) {
    const std::uint32_t number = at / kPageBytes;
    Page* page = const_cast<Page*>(find(number));
    if (page == nullptr) {
      const auto behind =
          std::upper_bound(pages_.begin(), pages_.end(), number,
                           [](std::uint32_t value, const Page& one) { return value < one.number; });
      page = &*pages_.insert(behind, Page{number});
    }
    const std::uint32_t word = at % kPageBytes / 2;
    page->words[word / kBits] |= std::uint64_t{1} << word % kBits;
  }
}

bool WordSet::has(std::uint32_t address, std::uint32_t count) const {
  for (std::uint32_t at = address / 2 * 2; at < address + count; at += 2) {
    const Page* const page = find(at / kPageBytes);
    const std::uint32_t word = at % kPageBytes / 2;
    if (page == nullptr || (page->words[word / kBits] >> word % kBits & 1U) == 0) return false;
  }
  return true;
}

// --- objects

namespace {

/// Bytes of SRAM that belong together.
struct Object {
  std::string name;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  unsigned element = 2;  ///< bytes

  bool has(std::int64_t address, unsigned bytes) const {
    return address >= begin && address + bytes <= end;
  }
  /// "y[16]".
  std::string element_at(std::int64_t address) const {
    const std::int64_t offset = address - begin;
    const std::int64_t number =
        offset >= 0 ? offset / element : -((-offset + element - 1) / element);
    return name + "[" + std::to_string(number) + "]";
  }
};

}  // namespace

struct MemoryChecks::Objects {
  std::vector<Object> sorted;
  WordSet initial;
  std::uint32_t data_begin = 0;

  explicit Objects(const DecodedImage& decoded) : data_begin(decoded.data_begin()) {
    const Image& image = decoded.image();
    for (const Symbol& symbol : image.symbols) {
      const std::uint32_t bytes = symbol.count * bytes_of(symbol.type);
      sorted.push_back(
          {symbol.name, symbol.address, symbol.address + bytes, bytes_of(symbol.type)});
      if (!symbol.init.empty()) initial.add(symbol.address, bytes);
    }
    for (const Fifo& fifo : image.fifos) {
      const auto is_there = [&fifo](const Object& object) { return object.has(fifo.base, 1); };
      if (std::none_of(sorted.begin(), sorted.end(), is_there))
        sorted.push_back({fifo.name, fifo.base, std::uint32_t{fifo.base} + fifo.bytes, 2});
      initial.add(fifo.base, fifo.bytes);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const Object& a, const Object& b) { return a.begin < b.begin; });
  }
  /// The object that has the byte; nullptr: none.
  const Object* at(std::int64_t address) const {
    const auto behind = std::upper_bound(
        sorted.begin(), sorted.end(), address,
        [](std::int64_t value, const Object& object) { return value < object.begin; });
    if (behind == sorted.begin()) return nullptr;
    const Object& object = *std::prev(behind);
    return object.has(address, 1) ? &object : nullptr;
  }
  /// "there lies x[2]".
  std::string what_lies_at(std::int64_t address) const {
    if (const Object* const hit = at(address)) return "there lies " + hit->element_at(address);
    if (address >= 0 && address < data_begin) return "there lie the task table and the code";
    return "there lies no data";
  }
};

struct MemoryChecks::Place {
  WordSet written;
  const Image* image = nullptr;
  const Objects* objects = nullptr;
  /// Where the object of a DSR begins that the program has given another one, by number of the operand.
  std::unordered_map<std::uint32_t, std::uint32_t> origins;
  std::set<std::uint64_t> told;
};

MemoryChecks::MemoryChecks(std::size_t places, Mode mode) : mode_(mode), places_(places) {}
MemoryChecks::~MemoryChecks() = default;

void MemoryChecks::add(const DecodedImage& image) {
  std::unique_ptr<Objects>& objects = objects_[&image.image()];
  if (objects == nullptr) objects = std::make_unique<Objects>(image);
}

void MemoryChecks::wrote(std::uint32_t place, std::uint32_t address, std::uint32_t count) {
  if (place < places_.size()) places_[place].written.add(address, count);
}

void MemoryChecks::reset() {
  for (Place& place : places_) place = Place();
}

// --- checks

namespace {

std::uint32_t key_of(const Operand& dsr) {
  return std::uint32_t{dsr.kind} << 8 | dsr.reg;
}

constexpr std::uint32_t kUnknownOrigin = 0xFFFFFFFF;

std::string noun_of(unsigned slot) {
  return slot == 0 ? "the destination" : "source " + std::to_string(slot);
}

}  // namespace

/// What one instruction of one place does.
class MemoryChecks::Check {
 public:
  Check(MemoryChecks& checks, const EngineState& pe, std::uint32_t pc, Cycle now)
      : checks_(checks), pe_(pe), place_(checks.places_[pe.probe.place()]), pc_(pc), now_(now) {
    if (place_.image != &pe.image()) {
      place_.image = &pe.image();
      place_.objects = checks.objects_.at(place_.image).get();
    }
  }

  void load(std::int64_t address, unsigned bytes) {
    if (!pointed("reads", address, bytes)) return;
    if (is_written(address, bytes) || only_merges(pe_.image(), pc_)) return;
    tell_unwritten("the load", 1, address);
  }
  void store(std::int64_t address, unsigned bytes) {
    if (pointed("writes", address, bytes)) mark(address, bytes);
  }
  void remember(const Operand& dsr, std::uint32_t origin) { place_.origins[key_of(dsr)] = origin; }

  void dispatch(const Operation& op) {
    if (op.is_filter() || op.completion.on_control != OnControl::kNone) return mark_all(op);
    for (unsigned slot = 1; slot <= op.sources; ++slot) {
      if (op.cursors[slot].kind == Cursor::Kind::kMemory && !op.endless) source(op, slot);
    }
    const Cursor& to = op.cursors[0];
    if (to.kind == Cursor::Kind::kPointer) store(to.walk.address(), to.bytes);
    if (to.kind == Cursor::Kind::kMemory) {
      if (!op.endless) stays_inside(op, 0);
      mark_all(op);
    }
  }

 private:
  bool is_written(std::int64_t address, unsigned bytes) const {
    const auto at = static_cast<std::uint32_t>(address);
    return place_.written.has(at, bytes) || place_.objects->initial.has(at, bytes);
  }
  void mark(std::int64_t address, unsigned bytes) {
    if (address >= 0 && address < kSramBytes)
      place_.written.add(static_cast<std::uint32_t>(address), bytes);
  }

  // An access through a pointer must lie in some object. False: nothing more is to be said of it.
  bool pointed(const char* does, std::int64_t address, unsigned bytes) {
    if (address < 0 || address + bytes > kSramBytes) return false;  // EngineState refuses it
    const Object* const object = place_.objects->at(address);
    if (object != nullptr && object->has(address, bytes)) return true;
    std::ostringstream text;
    text << "the program " << does << " " << bytes << " bytes at address " << address;
    if (object != nullptr)
      text << ", beyond the end of " << describe(*object) << "; "
           << place_.objects->what_lies_at(object->end);
    else
      text << ", which belong to no data: " << place_.objects->what_lies_at(address);
    tell(kBounds, 0, text.str());
    return false;
  }

  /// The object that an operand is about: that of its descriptor, or where the program has set the address itself.
  const Object* object_of(const Operation& op, unsigned slot) const {
    const Cursor& cursor = op.cursors[slot];
    const Object* const first = place_.objects->at(cursor.walk.address());
    const auto known = place_.origins.find(key_of(op.instruction().operands[slot]));
    const std::uint32_t origin =
        known != place_.origins.end() ? known->second : std::uint32_t{cursor.dsd->base};
    if (origin == kUnknownOrigin) return first;
    const Object* const object = place_.objects->at(origin);
    return object != nullptr ? object : first;
  }

  // Whether no element of an operand lies beyond its object. Tells of the first one that does.
  bool stays_inside(const Operation& op, unsigned slot) {
    const Cursor& cursor = op.cursors[slot];
    const Object* const object = object_of(op, slot);
    if (object != nullptr &&
        cursor.walk.stays_inside(*cursor.dsd, cursor.bytes, op.length, object->begin, object->end))
      return true;
    AddressWalk walk = cursor.walk;
    for (std::uint32_t i = 0; i < op.length; ++i, walk.next(*cursor.dsd, cursor.bytes)) {
      const auto address = static_cast<std::int32_t>(walk.address());
      if (object != nullptr && object->has(address, cursor.bytes)) continue;
      tell_beyond(op, slot, object, i, address);
      return false;
    }
    return true;
  }

  void tell_beyond(const Operation& op, unsigned slot, const Object* object, std::uint32_t i,
                   std::int64_t address) {
    const Dsd& dsd = *op.cursors[slot].dsd;
    std::ostringstream text;
    text << info(op.op).mnemonic << " " << (slot == 0 ? "writes" : "reads") << " "
         << (object == nullptr ? "address " + std::to_string(address) : object->element_at(address))
         << " as element " << i << " of " << noun_of(slot);
    // Compilers name the others.
    if (!dsd.name.empty() && dsd.name.back() != '_') text << " (descriptor " << dsd.name << ")";
    if (object != nullptr)
      text << ", beyond " << describe(*object);
    else
      text << ", which belongs to no data";
    text << "; " << place_.objects->what_lies_at(address);
    tell(kBounds, slot, text.str());
  }

  void source(const Operation& op, unsigned slot) {
    if (!stays_inside(op, slot)) return;
    const Cursor& cursor = op.cursors[slot];
    AddressWalk walk = cursor.walk;
    for (std::uint32_t i = 0; i < op.length; ++i, walk.next(*cursor.dsd, cursor.bytes)) {
      const std::int64_t address = walk.address();
      if (is_written(address, cursor.bytes) || writes(op, address, i)) continue;
      return tell_unwritten(noun_of(slot) + " of " + std::string(info(op.op).mnemonic), slot,
                            address);
    }
  }

  /// Whether the operation itself has written the element when it comes to its own element `end`.
  static bool writes(const Operation& op, std::int64_t address, std::uint32_t end) {
    const Cursor& to = op.cursors[0];
    if (to.kind == Cursor::Kind::kPointer) return end > 0 && to.walk.address() == address;
    if (to.kind != Cursor::Kind::kMemory) return false;
    AddressWalk walk = to.walk;
    for (std::uint32_t i = 0; i < end; ++i, walk.next(*to.dsd, to.bytes)) {
      const std::int64_t begin = walk.address();
      if (address >= begin && address < begin + to.bytes) return true;
    }
    return false;
  }

  // What an operation that has no known end writes is all of its object.
  void mark_all(const Operation& op) {
    const Cursor& to = op.cursors[0];
    if (to.kind != Cursor::Kind::kMemory) return;
    if (op.endless) {
      if (const Object* const object = object_of(op, 0))
        place_.written.add(object->begin, object->end - object->begin);
      return;
    }
    AddressWalk walk = to.walk;
    for (std::uint32_t i = 0; i < op.length; ++i, walk.next(*to.dsd, to.bytes))
      mark(static_cast<std::int32_t>(walk.address()), to.bytes);
  }

  /// "y (16 elements of 4 bytes)".
  static std::string describe(const Object& object) {
    const std::uint32_t count = (object.end - object.begin) / object.element;
    return object.name + " (" + std::to_string(count) +
           (count == 1 ? " element of " : " elements of ") + std::to_string(object.element) +
           " bytes)";
  }

  void tell_unwritten(const std::string& who, unsigned slot, std::int64_t address) {
    const Object* const object = place_.objects->at(address);
    tell(kUnwritten, slot,
         who + " reads " +
             (object == nullptr ? "address " + std::to_string(address)
                                : object->element_at(address)) +
             ", which nobody has written");
  }

  void tell(const char* rule, unsigned slot, const std::string& what) {
    const std::string text =
        "PE " + to_string(pe_.at) + ", " + pe_.image().place_of(pc_) + ": " + what;
    if (checks_.mode_ == Mode::kStop) throw IllegalBehaviour(text, rule);
    const bool is_bounds = rule == kBounds;
    const std::uint64_t key = std::uint64_t{pc_} << 8 | slot << 1 | (is_bounds ? 1U : 0U);
    if (!place_.told.insert(key).second || pe_.diagnoses == nullptr) return;
    pe_.diagnoses->on_diagnosis({now_, pe_.probe.place(), rule, text});
  }

  MemoryChecks& checks_;
  const EngineState& pe_;
  Place& place_;
  const std::uint32_t pc_;
  const Cycle now_;
};

void MemoryChecks::issue(const EngineState& pe, const DecodedInstruction& in, Cycle now) {
  const auto& operands = in.instruction->operands;
  switch (in.instruction->op) {
  case Opcode::kLd16:
  case Opcode::kLd32:
    return Check(*this, pe, in.pc, now).load(pe.main.address_of(operands[1]), in.bytes[0]);
  case Opcode::kSt16:
  case Opcode::kSt32:
    return Check(*this, pe, in.pc, now).store(pe.main.address_of(operands[0]), in.bytes[1]);
  case Opcode::kSetdsa:
    return Check(*this, pe, in.pc, now).remember(operands[0], pe.main.read(operands[1]) & 0xFFFFU);
  case Opcode::kLddsr:
    // A record in memory may have had its address changed, by an offset or by another one.
    return Check(*this, pe, in.pc, now)
        .remember(operands[0],
                  operands[1].kind == kMem
                      ? kUnknownOrigin
                      : pe.image().dsds[static_cast<std::size_t>(operands[1].value)].base);
  default:
    return;
  }
}

void MemoryChecks::dispatch(const EngineState& pe, const Operation& op, Cycle now) {
  Check(*this, pe, op.pc(), now).dispatch(op);
}

}  // namespace tessera::pe
