#include "frontends/csl/codegen/sections.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "frontends/csl/messages/messages.h"
#include "frontends/text/diagnostics.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::csl::codegen {

void DataSections::add(const std::string& section, std::uint32_t start, ir::VariableId id,
                       pe::Symbol symbol) {
  const std::uint32_t align = std::max(symbol.align, bytes_of(symbol.type));
  const auto end = ends_.emplace(section, start).first;
  const std::uint32_t address = (end->second + align - 1) / align * align;
  const std::uint32_t after = address + symbol.count * bytes_of(symbol.type);
  const auto refuse = [&](const std::string& problem) {
    throw UserError(file_, "",
                    text::joined("the variable ", symbol.name, " of the section ", section,
                                 " would lie at the bytes ", address, " to ", after, ", ", problem,
                                 tag(Id::kMemoryFull)));
  };
  if (after > pe::kSramBytes)
    refuse(text::joined("and the memory of a PE has ", pe::kSramBytes, " bytes"));
  if (address < first_) refuse(text::joined("and task table, code and locals end at ", first_));
  const auto next = placed_.lower_bound(address);
  if (next != placed_.end() && next->first < after)
    refuse("where " + next->second.symbol.name + " lies");
  if (next != placed_.begin()) {
    const Placed& before = std::prev(next)->second;
    if (before.address + before.symbol.count * bytes_of(before.symbol.type) > address)
      refuse("where " + before.symbol.name + " lies");
  }
  end->second = after;
  placed_.emplace(address, Placed{id, std::move(symbol), address});
}

DataSections::Placed DataSections::take() {
  Placed first = std::move(placed_.begin()->second);
  placed_.erase(placed_.begin());
  return first;
}

}  // namespace tessera::csl::codegen
