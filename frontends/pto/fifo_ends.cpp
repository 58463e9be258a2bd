#include "frontends/pto/fifo.h"

#include <algorithm>

namespace tessera::pto {

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
  EndComparison(const Fifo& here, const Fifo& there, const Diagnostics& diagnostics)
      : here_(here), there_(there), diagnostics_(diagnostics) {}

  void run() const {
    require("dir_mask", here_.directions, there_.directions);
    require("slot_size", here_.slot_bytes, there_.slot_bytes);
    require("slot_num", here_.slots, there_.slots);
    if (here_.through_gm != there_.through_gm)
      fail(here_.through_gm ? "goes through GM here and directly at "
                            : "goes directly here and through GM at ",
           "; both ends need gm_slot_buffer or none");
    require("flag_base", here_.flag, there_.flag);
    if (here_.split_is_known && there_.split_is_known && here_.nosplit != there_.nosplit)
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
    if (first_push.split != first_pop.split)
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
    if (push.type.element != pop.type.element || push.type.kind != pop.type.kind) return false;
    if (push.type.kind == Type::Kind::kTensorView) return push.type.shape == pop.type.shape;
    // The tile of an AIV is half of the tile of the AIC.
    const Type& whole = d == kToAiv ? push.type : pop.type;
    const Type& half = d == kToAiv ? pop.type : push.type;
    const std::int64_t down = push.split == 1 ? 2 : 1, across = push.split == 2 ? 2 : 1;
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
  const Diagnostics& diagnostics_;
};

}  // namespace

void check_fifo_ends(const std::vector<Fifo>& aic, const std::vector<Fifo>& aiv,
                     const Diagnostics& diagnostics) {
  const auto is_same = [](const Fifo& a, const Fifo& b) {
    return a.is_handle == b.is_handle && (a.is_handle ? a.flag == b.flag : a.id == b.id);
  };
  const auto without = [&is_same](const std::vector<Fifo>& ends, const std::vector<Fifo>& others) {
    std::vector<const Fifo*> list;
    for (const Fifo& end : ends)
      if (std::none_of(others.begin(), others.end(),
                       [&](const Fifo& other) { return is_same(end, other); }))
        list.push_back(&end);
    return list;
  };
  // Handles without a partner are taken in order as the ends of one pipe, to report their flags.
  const std::vector<const Fifo*> lone_aic = without(aic, aiv), lone_aiv = without(aiv, aic);
  for (std::size_t i = 0; i < std::max(lone_aic.size(), lone_aiv.size()); ++i) {
    const Fifo* a = i < lone_aic.size() ? lone_aic[i] : nullptr;
    const Fifo* v = i < lone_aiv.size() ? lone_aiv[i] : nullptr;
    if (a != nullptr && v != nullptr && a->is_handle && v->is_handle)
      EndComparison(*v, *a, diagnostics).run();
    const Fifo& lone = v != nullptr ? *v : *a;
    diagnostics.fail(lone.place, name_of(lone), " has one end only: the function of the ",
                     v != nullptr ? "AIC" : "AIVs", " opens none with this ",
                     lone.is_handle ? "flag" : "id");
  }
  for (const Fifo& end : aiv)
    for (const Fifo& other : aic)
      if (is_same(end, other)) EndComparison(end, other, diagnostics).run();
}

}  // namespace tessera::pto
