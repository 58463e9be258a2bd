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

DsrPlan::DsrPlan(const Tile& tile) : named_(tile.dsr_ids), fifos_(tile.fifos.size()) {
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
    if (fifo_registers(fifo).first == number) return true;
  }
  return false;
}

std::pair<unsigned, unsigned> DsrPlan::fifo_registers(std::size_t fifo) const {
  // FIFOs keep their registers: they get those that no microthread of a queue usually has.
  constexpr unsigned kOrder[] = {7, 6, 5, 4, 3, 2, 15, 14, 13, 12};
  std::size_t nth = 0;
  for (const unsigned number : kOrder) {
    const bool is_free = !is_named(pe::kDest, number) && !is_named(pe::kSrc1, number);
    if (is_free && nth++ == fifo)
      return {number, static_cast<unsigned>(pe::kXdsrCount - 1 - fifo % pe::kXdsrCount)};
  }
  return {kOrder[std::size(kOrder) - 1], 0};
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
