#include "frontends/pto/fifo_ends.h"
#include "frontends/pto/words.h"

#include <algorithm>

namespace tessera::pto {

namespace {

std::string line_text(Place place) {
  return "line " + std::to_string(place.line);
}

std::string name_of(const PipeEnd& end) {
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
  EndComparison(const PipeEnd& here, const PipeEnd& there, const Diagnostics& diagnostics)
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
    if (here_.nosplit && there_.nosplit && *here_.nosplit != *there_.nosplit)
      fail(*here_.nosplit ? "is not divided (nosplit, or split 0) here and divided at "
                          : "is divided here and not divided (nosplit, or split 0) at ",
           "; expected the same");
    // In a pipe through GM the producer does not use the ring of the consumer.
    if (!here_.through_gm)
      for (const FifoDirection d : {FifoDirection::kToAiv, FifoDirection::kToAic})
        compare_buffers(d);
    for (const bool pushes : {true, false}) {
      const auto& pushed = pushes ? here_.pushed : there_.pushed;
      const auto& popped = pushes ? there_.popped : here_.popped;
      compare_tiles(pushed, popped);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    diagnostics_.fail(here_.place,
                      joined(name_of(here_), " ", what, line_text(there_.place), hint));
  }
  void require(const char* key, std::int64_t here, std::int64_t there) const {
    if (here == there) return;
    fail("has " + std::string(key) + " " + std::to_string(here) + " here and " +
             std::to_string(there) + " at ",
         "; expected the same at both ends");
  }
  void compare_buffers(FifoDirection direction) const {
    const auto d = static_cast<unsigned>(direction);
    if ((here_.directions & (1 << d)) == 0) return;
    const cluster::Operand &here = here_.buffers[d], &there = there_.buffers[d];
    if (here.is_register || there.is_register || here.value == there.value) return;
    fail("has the consumer's buffer " +
             std::string(direction == FifoDirection::kToAiv ? "(cube to vector)"
                                                            : "(vector to cube)") +
             " at byte " + std::to_string(here.value) + " here and at byte " +
             std::to_string(there.value) + " at ",
         "; import the buffer that the consumer reserves");
  }
  /// Whether a pop takes what a push gives.
  static bool agree(const PipeTile& push, const PipeTile& pop) {
    if (push.type.element != pop.type.element || push.type.kind != pop.type.kind) return false;
    if (push.type.kind == Type::Kind::kTensorView) return push.type.shape == pop.type.shape;
    // The tile of an AIV is half of the tile of the AIC.
    const auto& whole = push.direction == FifoDirection::kToAiv ? push.type : pop.type;
    const auto& half = push.direction == FifoDirection::kToAiv ? pop.type : push.type;
    const std::int64_t down = push.split == 1 ? 2 : 1, across = push.split == 2 ? 2 : 1;
    const auto fits = [](std::int64_t a, std::int64_t b, std::int64_t parts) {
      return a == kDynamic || b == kDynamic || a == b * parts;
    };
    return whole.shape[1] == half.shape[1] * across &&
           fits(whole.valid_rows, half.valid_rows, down) &&
           fits(whole.valid_columns, half.valid_columns, across);
  }
  /// Every pop has a push that it takes, and every push a pop.
  void compare_tiles(const std::vector<PipeTile>& pushed,
                     const std::vector<PipeTile>& popped) const {
    const auto first = [](const std::vector<PipeTile>& tiles, FifoDirection direction) {
      const auto of = [direction](const PipeTile& t) { return t.direction == direction; };
      const auto found = std::find_if(tiles.begin(), tiles.end(), of);
      return found == tiles.end() ? nullptr : &*found;
    };
    for (const FifoDirection direction : {FifoDirection::kToAiv, FifoDirection::kToAic}) {
      const PipeTile* push = first(pushed, direction);
      const PipeTile* pop = first(popped, direction);
      if (push == nullptr || pop == nullptr) continue;
      compare_splits(*push, *pop);
      for (const PipeTile& t : popped)
        if (t.direction == direction && !matches(t, pushed, false)) fail_tiles(*push, t);
      for (const PipeTile& t : pushed)
        if (t.direction == direction && !matches(t, popped, true)) fail_tiles(t, *pop);
    }
  }
  static bool matches(const PipeTile& tile, const std::vector<PipeTile>& others, bool is_push) {
    return std::any_of(others.begin(), others.end(), [&](const PipeTile& other) {
      return other.direction == tile.direction &&
             (is_push ? agree(tile, other) : agree(other, tile));
    });
  }
  void compare_splits(const PipeTile& push, const PipeTile& pop) const {
    if (push.split == pop.split) return;
    diagnostics_.fail(pop.place, joined("a pop of ", name_of(here_), " with split ", pop.split,
                                        ", pushed with split ", push.split, " at ",
                                        line_text(push.place), "; expected the same"));
  }
  [[noreturn]] void fail_tiles(const PipeTile& push, const PipeTile& pop) const {
    const bool tiles = push.type.kind == Type::Kind::kTile;
    const char* parts = !tiles            ? "; expected the same"
                        : push.split == 1 ? "; an AIV has half of the rows"
                        : push.split == 2 ? "; an AIV has half of the columns"
                                          : "; expected the same";
    diagnostics_.fail(pop.place,
                      joined("a pop of ", name_of(here_), " takes ", shape_text(pop.type), ", and ",
                             line_text(push.place), " pushes ", shape_text(push.type), parts));
  }

  const PipeEnd &here_, &there_;
  const Diagnostics& diagnostics_;
};

}  // namespace

std::int64_t extent_of(const Type& tile, unsigned bits) {
  const auto known = [](std::int64_t valid, std::int64_t full) {
    return valid == kDynamic ? full : valid;
  };
  const std::int64_t rows = known(tile.valid_rows, tile.shape[0]);
  const std::int64_t columns = known(tile.valid_columns, tile.shape[1]);
  if (rows == 0 || columns == 0) return 0;
  return ((rows - 1) * tile.shape[1] + columns) * bits / 8;
}

void check_pipe_ends(const std::vector<PipeEnd>& aic, const std::vector<PipeEnd>& aiv,
                     const Diagnostics& diagnostics) {
  const auto is_same = [](const PipeEnd& a, const PipeEnd& b) {
    return a.is_handle == b.is_handle && (a.is_handle ? a.flag == b.flag : a.id == b.id);
  };
  const auto without = [&is_same](const std::vector<PipeEnd>& ends,
                                  const std::vector<PipeEnd>& others) {
    std::vector<const PipeEnd*> list;
    for (const PipeEnd& end : ends)
      if (std::none_of(others.begin(), others.end(),
                       [&](const PipeEnd& other) { return is_same(end, other); }))
        list.push_back(&end);
    return list;
  };
  // Handles without a partner are taken in order as the ends of one pipe, to report their flags.
  const std::vector<const PipeEnd*> lone_aic = without(aic, aiv), lone_aiv = without(aiv, aic);
  for (std::size_t i = 0; i < std::max(lone_aic.size(), lone_aiv.size()); ++i) {
    const PipeEnd* a = i < lone_aic.size() ? lone_aic[i] : nullptr;
    const PipeEnd* v = i < lone_aiv.size() ? lone_aiv[i] : nullptr;
    if (a != nullptr && v != nullptr && a->is_handle && v->is_handle)
      EndComparison(*v, *a, diagnostics).run();
    const PipeEnd& lone = v != nullptr ? *v : *a;
    diagnostics.fail(lone.place, joined(name_of(lone), " has one end only: the function of the ",
                                        v != nullptr ? "AIC" : "AIVs", " opens none with this ",
                                        lone.is_handle ? "flag" : "id"));
  }
  for (const PipeEnd& end : aiv)
    for (const PipeEnd& other : aic)
      if (is_same(end, other)) EndComparison(end, other, diagnostics).run();
}

}  // namespace tessera::pto
