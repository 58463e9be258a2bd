#include "models/cluster/core/tile_function.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "models/cluster/core/register_pipeline.h"

namespace tessera::cluster {

namespace {

using U = RegisterUnit;
using Register = std::uint32_t;  // number of the step that made it
constexpr unsigned kRegisterBits = 256 * 8;

/// The loops of a function, unrolled.
class Body {
 public:
  explicit Body(bool is_half) : is_half_(is_half) {}

  Register add(U unit, std::initializer_list<Register> sources) {
    return push(make(unit, sources));
  }
  Register load() {
    PipelineStep s = make(U::kLoad, {});
    s.is_load = true;
    return push(std::move(s));
  }
  /// The lowest lane of a register to all lanes.
  Register spread(Register from) {
    PipelineStep s = make(U::kUnary, {from});
    s.is_splat = true;
    return push(std::move(s));
  }
  /// A number to all lanes.
  Register fill() { return add(U::kUnary, {}); }
  Register compare(Register a, Register b) { return add(U::kSelect, {a, b}); }
  Register select(Register a, Register b, Register mask) {
    PipelineStep s = make(U::kSelect, {a, b, mask});
    s.is_selection = true;
    return push(std::move(s));
  }
  void store(Register from) {
    PipelineStep s = make(U::kStore, {from});
    s.is_store = true;
    s.has_result = false;
    steps_.push_back(std::move(s));
  }
  Cycle cycles() const { return pipeline_cycles(steps_); }

 private:
  PipelineStep make(U unit, std::initializer_list<Register> sources) const {
    PipelineStep s;
    s.unit = unit;
    s.is_half = is_half_;
    s.has_result = true;
    s.producers = sources;
    return s;
  }
  Register push(PipelineStep step) {
    const auto number = static_cast<Register>(steps_.size());
    step.name = number;
    steps_.push_back(std::move(step));
    return number;
  }

  bool is_half_;
  std::vector<PipelineStep> steps_;
};

/// Rows and registers of a row, and what combines two registers and the lanes of one.
struct Loop {
  std::uint64_t rows, chunks;
  U map, lanes;
};

void reduce_rows(Body& body, const Loop& l) {
  for (std::uint64_t r = 0; r < l.rows; ++r) {
    Register sum = body.fill();
    for (std::uint64_t c = 0; c < l.chunks; ++c)
      sum = body.add(l.map, {sum, body.add(l.lanes, {body.load()})});
    body.store(sum);
  }
}

// Registers of a row are multiplied; their lanes are, half by half.
void multiply_rows(Body& body, const Loop& l, unsigned lanes) {
  for (std::uint64_t r = 0; r < l.rows; ++r) {
    Register product = body.fill();
    for (std::uint64_t c = 0; c < l.chunks; ++c)
      product = body.add(U::kMultiply, {product, body.load()});
    for (; lanes > 1; lanes /= 2)
      product = body.add(U::kMultiply, {product, body.add(U::kMaximum, {product})});
    body.store(product);
  }
}

void reduce_columns(Body& body, const Loop& l) {
  for (std::uint64_t c = 0; c < l.chunks; ++c) {
    Register sum = body.load();
    std::uint64_t r = 1;
    for (; r + 1 < l.rows; r += 2) {
      const Register a = body.load(), b = body.load();
      sum = body.add(l.map, {sum, body.add(l.map, {a, b})});
    }
    if (r < l.rows) sum = body.add(l.map, {sum, body.load()});
    body.store(sum);
  }
}

void expand_rows(Body& body, const Loop& l) {
  for (std::uint64_t r = 0; r < l.rows; ++r) {
    const Register value = body.spread(body.load());
    for (std::uint64_t c = 0; c < l.chunks; ++c) body.store(value);
  }
}

void expand_columns(Body& body, const Loop& l) {
  for (std::uint64_t c = 0; c < l.chunks; ++c) {
    const Register value = body.load();
    for (std::uint64_t r = 0; r < l.rows; ++r) body.store(value);
  }
}

// The value of a row comes by a load that repeats an element.
void map_rows(Body& body, const Loop& l) {
  for (std::uint64_t r = 0; r < l.rows; ++r) {
    const Register value = body.load();
    for (std::uint64_t c = 0; c < l.chunks; ++c) body.store(body.add(l.map, {body.load(), value}));
  }
}

void map_columns(Body& body, const Loop& l) {
  for (std::uint64_t n = 0; n < l.rows * l.chunks; ++n) {
    const Register value = body.load();
    body.store(body.add(l.map, {body.load(), value}));
  }
}

void find_in_rows(Body& body, const Loop& l) {
  for (std::uint64_t r = 0; r < l.rows; ++r) {
    Register best = body.fill(), at = body.fill(), first = body.fill();
    for (std::uint64_t c = 0; c < l.chunks; ++c) {
      const Register found = body.add(U::kReduceExtreme, {body.load()});
      const Register here = body.add(U::kAdd, {found, first});
      const Register is_better = body.compare(best, found);
      best = body.select(found, best, is_better);
      at = body.select(here, at, is_better);
      first = body.add(U::kAdd, {first});
    }
    body.store(at);
  }
}

void find_in_columns(Body& body, const Loop& l) {
  for (std::uint64_t c = 0; c < l.chunks; ++c) {
    Register at = body.fill(), row = body.fill(), best = body.load();
    for (std::uint64_t r = 1; r < l.rows; ++r) {
      row = body.add(U::kAdd, {row});
      const Register next = body.load(), is_better = body.compare(next, best);
      at = body.select(row, at, is_better);
      best = body.select(next, best, is_better);
    }
    body.store(at);
  }
}

U map_unit(VectorClass kind) {
  switch (kind) {
  case VectorClass::kReduceExtreme:
  case VectorClass::kColumnExtreme:
    return U::kMaximum;
  case VectorClass::kTranscendental:
  case VectorClass::kDivide:
    return U::kDivide;
  case VectorClass::kExp:
    return U::kExp;
  default:
    return U::kAdd;
  }
}

Cycle run(VectorForm form, const Loop& loop, unsigned bits) {
  Body body(bits == 16);
  switch (form) {
  case VectorForm::kRowOneByOne:
    reduce_rows(body, loop);
    break;
  case VectorForm::kRowHalves:
    multiply_rows(body, loop, kRegisterBits / bits);
    break;
  case VectorForm::kColumnPairs:
    reduce_columns(body, loop);
    break;
  case VectorForm::kRowCopies:
    expand_rows(body, loop);
    break;
  case VectorForm::kColumnCopies:
    expand_columns(body, loop);
    break;
  case VectorForm::kRowMapLoads:
    map_rows(body, loop);
    break;
  case VectorForm::kColumnMapLoads:
    map_columns(body, loop);
    break;
  case VectorForm::kRowFind:
    find_in_rows(body, loop);
    break;
  case VectorForm::kColumnFind:
    find_in_columns(body, loop);
    break;
  default:
    return 0;
  }
  return body.cycles();
}

/// Runs with so many rounds of the outer loop at most show how long a further one takes.
constexpr std::uint64_t kShort = 24, kLong = 48, kMostSteps = 4096;

// The loop over rows stands outside for some forms and inside for others; whichever is long is cut.
Cycle run_cut(VectorForm form, Loop loop, unsigned bits) {
  if (loop.rows * loop.chunks <= kMostSteps / 4) return run(form, loop, bits);
  std::uint64_t& cut = loop.rows >= loop.chunks ? loop.rows : loop.chunks;
  const std::uint64_t all = cut;
  if (all <= kLong) return run(form, loop, bits);
  cut = kShort;
  const Cycle first = run_cut(form, loop, bits);
  cut = kLong;
  const Cycle second = run_cut(form, loop, bits);
  return second + (second - first) * (all - kLong) / (kLong - kShort);
}

}  // namespace

Cycle TileFunctions::cycles(VectorForm form, VectorClass kind, const VectorShape& shape) {
  if (!is_function(form) || shape.rows == 0 || shape.columns == 0) return 0;
  const Key key{form, kind, shape.rows, shape.columns, shape.bits};
  const auto [found, is_new] = known_.try_emplace(key, 0);
  if (!is_new) return found->second;
  const std::uint64_t in_register = kRegisterBits / shape.bits;
  const Loop loop{shape.rows, (shape.columns + in_register - 1) / in_register, map_unit(kind),
                  kind == VectorClass::kReduceExtreme ? U::kReduceExtreme : U::kReduceSum};
  return found->second = run_cut(form, loop, shape.bits);
}

}  // namespace tessera::cluster
