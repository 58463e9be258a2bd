#include "frontends/csl/lower/dsr_plan.h"

#include <algorithm>
#include <vector>

namespace tessera::csl {
namespace {

std::uint16_t file_of(const std::string& dsr) {
  if (dsr == "dsr_dest" || dsr == "dsr_fifo_dest") return pe::kDest;
  if (dsr == "dsr_src0") return pe::kSrc0;
  if (dsr == "dsr_src1" || dsr == "dsr_fifo_src1") return pe::kSrc1;
  return pe::kNoOperand;
}

}  // namespace

DsrPlan::DsrPlan(const Tile& tile) : named_(tile.dsr_ids), fifos_(tile.fifos.size()), tile_(tile) {
  choose_extended();
  constexpr std::uint16_t kFiles[] = {pe::kDest, pe::kSrc0, pe::kSrc1};
  for (unsigned slot = 0; slot < 3; ++slot) {
    const bool has_fifos = slot != 1;
    std::vector<std::uint8_t> free;
    for (std::uint8_t n = 1; n <= pe::kDsrsPerFile; ++n) {
      const std::uint8_t number = n % pe::kDsrsPerFile;
      if (!is_named(kFiles[slot], number) && !(has_fifos && is_of_fifo(number)))
        free.push_back(number);
    }
    if (free.empty()) continue;
    choice_.synchronous[slot] = free.front();
    choose_asynchronous(slot, free);
  }
}

// Microthread n uses DSR 8 + n. If that is taken, it gets the first free DSR below 8.
void DsrPlan::choose_asynchronous(unsigned slot, const std::vector<std::uint8_t>& free) {
  std::vector<std::uint8_t> rest(free.begin() + (free.size() > 1 ? 1 : 0), free.end());
  for (unsigned ut = 0; ut < choice_.asynchronous[slot].size(); ++ut) {
    const auto usual = static_cast<std::uint8_t>(8 + ut);
    if (std::find(free.begin(), free.end(), usual) != free.end()) {
      choice_.asynchronous[slot][ut] = usual;
      continue;
    }
    const auto low = std::find_if(rest.begin(), rest.end(), [](std::uint8_t n) { return n < 8; });
    const auto other = low != rest.end() ? low : rest.begin();
    if (other == rest.end()) continue;
    choice_.asynchronous[slot][ut] = *other;
    if (rest.size() > 1) rest.erase(other);
  }
}

bool DsrPlan::is_named(std::uint16_t file, unsigned number) const {
  return std::any_of(named_.begin(), named_.end(), [&](const auto& named) {
    return file_of(named.first) == file && named.second == number;
  });
}

bool DsrPlan::is_of_fifo(unsigned number) const {
  for (std::size_t fifo = 0; fifo < fifos_; ++fifo) {
    const auto registers = fifo_registers(fifo);
    if (registers && registers->first == number) return true;
  }
  return false;
}

std::optional<std::pair<unsigned, unsigned>> DsrPlan::fifo_registers(std::size_t of) const {
  if (tile_.fifos[of].registers) return tile_.fifos[of].registers;
  std::size_t fifo = 0;  // its number among those whose registers are chosen here
  for (std::size_t i = 0; i < of; ++i) fifo += tile_.fifos[i].registers ? 0 : 1;
  // FIFOs keep their registers: they get those that no microthread of a queue usually has.
  constexpr unsigned kOrder[] = {7, 6, 5, 4, 3, 2, 15, 14, 13, 12, 11, 10, 9, 8};
  std::optional<unsigned> dsr, extended;
  std::size_t nth = 0;
  for (const unsigned number : kOrder) {
    if (is_free_pair(number) && nth++ == fifo) dsr = number;
  }
  nth = 0;
  for (unsigned number = pe::kXdsrCount; number-- > 0;) {
    if (named_.count({"xdsr", number}) == 0 && nth++ == fifo) extended = number;
  }
  if (!dsr || !extended) return std::nullopt;
  return std::pair{*dsr, *extended};
}

bool DsrPlan::is_free_pair(unsigned number) const {
  return !is_named(pe::kDest, number) && !is_named(pe::kSrc1, number);
}

std::string DsrPlan::why_no_fifo() const {
  constexpr unsigned kFirstOfFifos = 2;
  unsigned pairs = 0;
  for (unsigned number = kFirstOfFifos; number < pe::kDsrsPerFile; ++number)
    pairs += is_free_pair(number) ? 1 : 0;
  if (pairs >= fifos_) return owners();
  return text::joined(
      "A FIFO needs a DSR of the destinations and one of the first sources with one number from ",
      kFirstOfFifos, " on, and the program names all but ", pairs, " of them");
}

std::string DsrPlan::owners() const {
  std::string text = text::joined("The ", pe::kXdsrCount, " extended registers belong to");
  const char* separator = " ";
  for (unsigned number = 0; number < pe::kXdsrCount; ++number) {
    std::string owner;
    if (named_.count({"xdsr", number}) != 0) owner = text::joined("@get_xdsr(", number, ")");
    for (std::size_t fifo = 0; fifo < tile_.fifos.size(); ++fifo) {
      const auto registers = fifo_registers(fifo);
      if (registers && registers->second == number)
        owner = "the FIFO of " + text::in_quotes(tile_.fifos[fifo].buffer->name);
    }
    if (owner.empty()) continue;
    text += separator + owner;
    separator = ", ";
  }
  return text;
}

/// Operands that are mem4d or circular take the lowest extended registers that nobody keeps and the program does not name.
void DsrPlan::choose_extended() {
  std::set<unsigned> kept;
  for (const auto& [kind, number] : named_)
    if (kind == "xdsr") kept.insert(number);
  for (std::size_t fifo = 0; fifo < fifos_; ++fifo) {
    if (const auto registers = fifo_registers(fifo)) kept.insert(registers->second);
  }
  unsigned next = 0;
  for (auto& extended : choice_.extended) {
    while (next < pe::kXdsrCount && kept.count(next) != 0) ++next;
    if (next < pe::kXdsrCount)
      extended = static_cast<std::uint8_t>(next++);
    else
      extended.reset();
  }
  choice_.owners = owners();
}

std::optional<std::uint8_t> DsrPlan::lasting_extended(const pe::Dsd& dsd) const {
  std::set<unsigned> taken;
  for (const auto& [loops, number] : lasting_) {
    if (loops.has_loops_of(dsd)) return number;
    taken.insert(number);
  }
  for (std::size_t fifo = 0; fifo < fifos_; ++fifo) {
    if (const auto registers = fifo_registers(fifo)) taken.insert(registers->second);
  }
  for (const auto& extended : choice_.extended)
    if (extended) taken.insert(*extended);
  for (unsigned number = pe::kXdsrCount; number-- > 0;) {
    if (taken.count(number) != 0 || named_.count({"xdsr", number}) != 0) continue;
    lasting_.emplace_back(dsd, static_cast<std::uint8_t>(number));
    return lasting_.back().second;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> DsrPlan::unused(std::uint16_t file, unsigned nth) const {
  const unsigned slot = file == pe::kDest ? 0 : 2;
  unsigned found = 0;
  for (std::uint8_t number = 2; number < pe::kDsrsPerFile; ++number) {
    const bool is_taken =
        is_named(file, number) || is_of_fifo(number) || number == choice_.synchronous[slot];
    if (!is_taken && found++ == nth) return number;
  }
  return std::nullopt;
}

}  // namespace tessera::csl
