#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

struct Segments {
  std::uint64_t tables = 0;
  std::uint64_t code = 0;
  std::uint64_t end = 0;
};

[[noreturn]] void fail_full(const Assembly& a, Place place, const Segments& s) {
  const std::uint64_t data = s.end - s.code - s.tables;
  a.diagnostics.fail(place, "expected a program of at most " + std::to_string(pe::kSramBytes) +
                                " bytes, found one that needs " + std::to_string(s.end) +
                                "; the task table takes " + std::to_string(s.tables) +
                                ", the code " + std::to_string(s.code) + ", the data " +
                                std::to_string(data));
}

std::uint64_t aligned(std::uint64_t address, unsigned bytes) {
  return (address + bytes - 1) / bytes * bytes;
}

std::uint32_t initial_value(const Assembly& a, pe::ElementType type, const Expression& e) {
  if (type == pe::ElementType::kF32) return a.evaluator().f32(e);
  if (type == pe::ElementType::kF16) return a.evaluator().half(e, a.image.half);
  const bool is_signed = type == pe::ElementType::kI16 || type == pe::ElementType::kI32;
  const std::int64_t span = std::int64_t{1} << (8 * pe::bytes_of(type));
  const std::int64_t low = is_signed ? -span / 2 : 0;
  const std::int64_t high = is_signed ? span / 2 - 1 : span - 1;
  const std::string expected = (is_signed ? "an " : "a ") + std::string(to_string(type));
  const std::int64_t value = a.integer(e, expected, low, high);
  return static_cast<std::uint32_t>(value & (span - 1));
}

}  // namespace

void place_data(Assembly& a, const std::vector<Statement>& statements) {
  Segments s;
  s.code = a.instructions.size() * std::uint64_t{pe::kInstructionBytes};
  s.tables = a.image.task_table_bytes();
  s.end = s.tables + s.code;
  const DataStatement* first_outside = nullptr;
  for_each<DataStatement>(statements, [&](const DataStatement& data, std::size_t index) {
    pe::Symbol& symbol = a.image.symbols[index];
    const unsigned bytes = pe::bytes_of(symbol.type);
    s.end = aligned(s.end, symbol.align == 0 ? bytes : symbol.align);
    symbol.address = static_cast<std::uint32_t>(s.end);
    s.end += std::uint64_t{symbol.count} * bytes;
    if (s.end > pe::kSramBytes && first_outside == nullptr) first_outside = &data;
  });
  if (first_outside != nullptr) fail_full(a, first_outside->name.place, s);
  if (s.end > pe::kSramBytes) fail_full(a, a.instructions.back().statement->place, s);
  a.image.data_end = static_cast<std::uint32_t>(s.end);
  a.known = Known::kAddresses;
}

void initialise_data(Assembly& a, const std::vector<Statement>& statements) {
  for_each<DataStatement>(statements, [&](const DataStatement& data, std::size_t index) {
    pe::Symbol& symbol = a.image.symbols[index];
    if (data.init.size() > symbol.count) {
      a.diagnostics.fail(data.init[symbol.count]->place,
                         "expected at most " + std::to_string(symbol.count) + " values for " +
                             quoted(symbol.name) + ", found " + std::to_string(data.init.size()));
    }
    for (const ExpressionPtr& e : data.init)
      symbol.init.push_back(initial_value(a, symbol.type, *e));
  });
}

}  // namespace tessera::tasm
