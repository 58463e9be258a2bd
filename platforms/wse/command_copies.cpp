// Copies between the host and arrays of PEs.
#include <algorithm>
#include <utility>

#include "models/pe/host_copy.h"
#include "platforms/report/report.h"
#include "platforms/wse/command_stream.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

/// Before anything is as large as the region.
void check_fits(const Region& region, const std::string& symbol) {
  if (region.elements <= pe::kSramBytes / (region.narrow ? 2 : 4)) return;
  throw UserError("", "",
                  "copy of '" + symbol + "': " + report::plural(region.elements, "element") +
                      " do not fit the memory of a PE");
}

std::uint32_t offset_of(const Region& region, std::size_t element) {
  return static_cast<std::uint32_t>(element * (region.narrow ? 2 : 4));
}

/// Its pointer is not known.
pe::HostCopy host_copy(const Region& region, bool into_pe) {
  return {0, static_cast<std::uint32_t>(region.elements), region.narrow ? 2U : 4U, into_pe};
}

/// "5 elements of 4 bytes"
std::string elements_of(const Region& region) {
  return report::plural(region.elements, "element") + " of " +
         std::to_string(offset_of(region, 1)) + " bytes";
}

}  // namespace

/// A copy under way. The PEs hold it too, so that one that was given up harms nobody.
struct CommandStream::Copy {
  Region region;
  std::vector<std::uint32_t> words;
  std::size_t open = 0;  ///< PEs that have not taken it
  Cycle end = 0;
  Cycle released = 0;   ///< after which no PE is held
  std::string problem;  ///< of the first PE that has one, whichever of several threads comes first
  std::pair<int, int> problem_at;  ///< row and column of that PE

  std::string remark;  ///< the same of what is copied all the same
  std::pair<int, int> remark_at;
  CopyPace pace = {};

  static void keep(int x, int y, const std::string& text, std::string& kept,
                   std::pair<int, int>& kept_at) {
    const std::pair<int, int> at(y, x);
    if (!kept.empty() && kept_at < at) return;
    kept_at = at;
    kept = text;
  }
  void refuse(int x, int y, const std::string& text) { keep(x, y, text, problem, problem_at); }
  void note(int x, int y, const std::string& text) {
    if (!text.empty()) keep(x, y, text, remark, remark_at);
  }
  /// A PE has taken it in cycle `now`. Answers whether it was the last one.
  bool take(Cycle now) {
    end = std::max(end, now + pace.ends);
    released = std::max(released, now + pace.held + 2);  // the command ends in the cycle after them
    return --open == 0;
  }
  /// Moves the words of a PE. A 32-bit word may stand at any 16-bit word of the memory.
  void move(pe::Sram& sram, std::uint32_t address, int x, int y, bool into_pe) {
    const unsigned bytes = offset_of(region, 1);
    for (std::size_t i = 0; i < region.elements; ++i) {
      std::uint32_t& word = words[region.index(x, y, i)];
      const std::uint32_t at = address + offset_of(region, i);
      if (into_pe) {
        sram.write(at, bytes, word);
      } else {
        word = sram.read(at, bytes);
      }
    }
  }
};

void CommandStream::copy_to(const std::string& symbol, const Region& region,
                            const std::vector<std::uint32_t>& words) {
  check_words(region, words.size(), "copy to '" + symbol + "'");
  check_fits(region, symbol);
  copy(symbol, region, std::make_shared<Copy>(Copy{region, words, 0, 0, {}, {}, {}, {}, {}, {}}),
       true);
}

std::vector<std::uint32_t> CommandStream::copy_from(const std::string& symbol,
                                                    const Region& region) {
  check_region(region, "copy from '" + symbol + "'");
  check_fits(region, symbol);
  const auto under_way = std::make_shared<Copy>(
      Copy{region, std::vector<std::uint32_t>(region.word_count()), 0, 0, {}, {}, {}, {}, {}, {}});
  copy(symbol, region, under_way, false);
  return std::move(under_way->words);
}

void CommandStream::copy(const std::string& symbol, const Region& region,
                         const std::shared_ptr<Copy>& copy, bool into_pes) {
  const std::string command = (into_pes ? "copy to '" : "copy from '") + symbol + "'";
  check_region(region, command);
  exported(symbol, false);
  require_copies(region, symbol, command, into_pes);
  copy->open = static_cast<std::size_t>(region.columns()) * static_cast<std::size_t>(region.rows());
  const CopyPace pace =
      timing_.pace(region.elements, static_cast<std::size_t>(region.columns()),
                   static_cast<std::size_t>(region.rows()),
                   static_cast<std::size_t>(program_.rectangle.h), program_.channels, into_pes);
  copy->pace = pace;
  offer(region, timing_.before_copy(), pace, offer_of(symbol, copy, into_pes));
  run_until([&] { return copy->open == 0; }, command + ", " + to_string(region));
  free_from_ = copy->end;
  // The last words are under way still.
  if (std::max(copy->end, copy->released) > control_.limits().max_cycles.value_or(kNever))
    fail(run::Stop::kMaxCycles, command + ", " + to_string(region));
  if (!copy->problem.empty()) throw UserError("", "", command + ": " + copy->problem);
  if (!copy->remark.empty()) {
    const auto [y, x] = copy->remark_at;
    const auto place =
        static_cast<std::uint32_t>(workload_.layout.tile_index(tile_of(region, x, y)));
    observed_.add_diagnosis({now(), place, "/tessera/host/copy_beyond_array",
                             command + ": " + copy->remark + "; what lies after it is copied too"});
  }
  ++completed_;
}

// While nothing moves, the pointers stay what they are: a mistake is refused before anything is copied.
void CommandStream::require_copies(const Region& region, const std::string& symbol,
                                   const std::string& command, bool into_pes) const {
  std::vector<wafer::RemotePart::HalfWord> pointers;
  for (int y = 0; y < region.rows(); ++y) {
    for (int x = 0; x < region.columns(); ++x) {
      const TileCoord tile = tile_of(region, x, y);
      pointers.push_back({tile, pointer_of(symbol, tile)});
      if (into_pes && program_.symbols_of(tile).constants.count(symbol) != 0)
        throw UserError("", "",
                        command + ": the symbol leads to constants, of which the code of " +
                            name_of(static_cast<std::uint32_t>(workload_.layout.tile_index(tile))) +
                            " may have copies");
    }
  }
  if (completed_ == 0 || !machine_.domain().idle()) return;
  const std::vector<std::uint16_t> addresses = machine_.read_half_words(pointers);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const std::string problem = why_not_copied(region, pointers[i].tile, addresses[i], into_pes);
    if (!problem.empty()) throw UserError("", "", command + ": " + problem);
  }
}

CommandStream::Offer CommandStream::offer_of(const std::string& symbol,
                                             const std::shared_ptr<Copy>& copy, bool into_pes) {
  const Region region = copy->region;
  timing::ClockDomain& domain = machine_.domain();
  pe::MemoryChecks* const checks = observed_.memory_checks();
  Offer offer;
  offer.act = [=, &domain](int x, int y, pe::Sram& sram, Cycle now) {
    const TileCoord tile = tile_of(region, x, y);
    const std::uint32_t address = sram.read(pointer_of(symbol, tile), 2);
    const std::string problem = why_not_copied(region, tile, address, into_pes);
    if (problem.empty()) {
      copy->move(sram, address, x, y, into_pes);
      if (into_pes && checks != nullptr)
        checks->wrote(static_cast<std::uint32_t>(workload_.layout.tile_index(tile)), address,
                      offset_of(region, region.elements));
      if (!into_pes) copy->note(x, y, beyond_array(region, tile, address));
    } else {
      copy->refuse(x, y, problem);
    }
    if (copy->take(now)) domain.request_pause();
  };
  offer.order = [=](int x, int y) {
    wafer::HostOrder order;
    order.is_copy = true;
    order.copy = host_copy(region, into_pes);
    order.copy.pointer = pointer_of(symbol, tile_of(region, x, y));
    for (std::size_t i = 0; into_pes && i < region.elements; ++i)
      order.words.push_back(copy->words[region.index(x, y, i)]);
    return order;
  };
  offer.taken = [=, &domain](int x, int y, const wafer::OrderTaken& taken) {
    const TileCoord tile = tile_of(region, x, y);
    if (!taken.is_copied) copy->refuse(x, y, why_not_copied(region, tile, taken.address, into_pes));
    for (std::size_t i = 0; i < taken.words.size(); ++i)
      copy->words[region.index(x, y, i)] = taken.words[i];
    if (taken.is_copied && !into_pes) copy->note(x, y, beyond_array(region, tile, taken.address));
    if (copy->take(taken.now)) domain.request_pause();
  };
  return offer;
}

std::string CommandStream::why_not_copied(const Region& region, TileCoord tile,
                                          std::uint32_t address, bool into_pes) const {
  if (!host_copy(region, into_pes).is_in_memory(address))
    return elements_of(region) + " from address " + std::to_string(address) +
           " on do not lie in the memory of the PE";
  return into_pes ? beyond_array(region, tile, address) : std::string();
}

std::string CommandStream::beyond_array(const Region& region, TileCoord tile,
                                        std::uint32_t address) const {
  const pe::Image& image = *workload_.programs.image_of(tile);
  if (!host_copy(region, true).is_beyond_array(image, address)) return {};
  const pe::Symbol* const found = pe::symbol_at(image, address);
  const std::uint32_t end = found->address + found->count * pe::bytes_of(found->type);
  const std::string pe = name_of(static_cast<std::uint32_t>(workload_.layout.tile_index(tile)));
  return "there is no room for " + elements_of(region) + ": the symbol points to '" + found->name +
         "' of " + pe + ", which has " + report::plural(end - address, "byte") +
         (address == found->address ? "" : " from there on");
}

}  // namespace tessera::wse
