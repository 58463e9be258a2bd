// One DSD operation as a straight loop over its elements (reference wse.md 5.5 to 5.11): the
// reference of the property test.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tests/models/pe/property_state.h"

namespace tessera::pe::test {

class VectorLoop {
 public:
  /// Reads what the operation reads when it starts. `shared`: another operation works on the other
  /// end of its FIFO, so that it can always go on.
  VectorLoop(const Image& image, State& state, const Instruction& in, Arena arena, bool shared)
      : image_(&image), state_(&state), in_(&in), row_(find_vector_op(in.op)), arena_(arena),
        shared_(shared), at_start_(state.registers), registers_(state.registers),
        carry_(state.flag) {
    merge_config();
    index_ = config_.index ? State::value_of(*config_.index, registers_) & 0xFFFFU : 0;
    const bool filter = in.op == Opcode::kDfilt;
    for (unsigned i = 0; i <= row_->sources(); ++i) {
      make_place(places_[filter ? 1 : i], in.operands[i], row_->bytes(i), !filter && i == 0);
    }
    measure();
  }

  bool pops_fifo() const { return source_fifo() != nullptr; }
  bool async() const { return config_.async; }
  void run() {
    if (single_step_ && exhausted()) {
      state_->flag = false;
      return;
    }
    if (in_->op == Opcode::kDfilt) {
      filter();
    } else {
      while (!ended_ && (endless_ || done_ < length_)) one_element();
      const bool begun = !collected_.empty();
      if (begun && (!single_step_ || places_[0].dsr->remaining == 0)) send(!ended_);
    }
    finish();
  }

 private:
  enum class Kind : std::uint8_t { kNone, kScalar, kPointer, kMemory, kFabric, kFifo };
  struct Place {
    Kind kind = Kind::kNone;
    Operand operand;
    unsigned bytes = 0;
    Descriptor* dsr = nullptr;
    const Dsd* dsd = nullptr;
    std::uint32_t base = 0;
    int stride = 1;
    std::uint32_t first = 0;  ///< element that is its next one
    unsigned packed = 1;
    unsigned least = 1;
    bool half = false;
    std::uint32_t payload = 0;  ///< kFabric: payload of the wavelet being read; kPointer: result
    unsigned held = 0;
  };

  template <class Visit>
  void each_dsr(Visit&& visit) const {  // destination, file src0, file src1
    const unsigned first = in_->op == Opcode::kDfilt ? 0 : 1;
    if (first == 1 && in_->operands[0].is_dsr()) visit(in_->operands[0]);
    for (OperandKind file : {kSrc0, kSrc1}) {
      for (unsigned i = first; i < kMaxOperands; ++i) {
        if (in_->operands[i].kind == file) visit(in_->operands[i]);
      }
    }
  }
  const Dsd* dsd_of(const Operand& o) const {
    const Descriptor& d = state_->descriptor(o);
    return d.dsd < 0 ? nullptr : &image_->dsds[static_cast<unsigned>(d.dsd)];
  }
  static bool is_fabric(const Dsd* dsd) {
    return dsd != nullptr && (dsd->kind == DsdKind::kFabin || dsd->kind == DsdKind::kFabout);
  }

  void merge_config() {
    config_ = in_->config;
    each_dsr([&](const Operand& o) {
      const OpConfig& load = state_->descriptor(o).config;
      single_step_ |= load.single_step;
      if (!is_fabric(dsd_of(o))) return;
      config_.async |= load.async;
      if (!config_.activate && !config_.unblock) {
        config_.activate = load.activate;
        config_.unblock = load.unblock;
      }
      if (config_.on_control != OnControl::kNone) return;
      config_.on_control = load.on_control;
      config_.on_control_target = load.on_control_target;
    });
  }

  void make_place(Place& p, const Operand& o, unsigned bytes, bool destination) {
    p.operand = o;
    p.bytes = bytes;
    if (o.kind == kMem) {
      p.kind = Kind::kPointer;
      p.base = static_cast<std::uint32_t>(o.value) + (o.reg == kNoBase ? 0 : registers_[o.reg]);
      return;
    }
    p.kind = Kind::kScalar;
    if (!o.is_dsr()) return;
    p.dsr = &state_->descriptor(o);
    p.dsd = dsd_of(o);
    if (!state_->whole(*p.dsr)) throw Undefined{"an extended register is lost"};
    if (p.dsr->fifo >= 0) {
      p.kind = Kind::kFifo;
      const SimdMode simd = fifo_of(p).simd;
      const bool wse2 = image_->generation == Generation::kWse2;
      if (wse2 && simd != SimdMode::kMax) p.least = std::max(least_of(simd) * 2 / bytes, 1U);
    } else if (is_fabric(p.dsd)) {
      make_fabric(p, destination);
    } else {
      p.kind = Kind::kMemory;
      p.base = p.dsr->base + (p.dsd->wavelet_index_offset ? 2 * index_ : 0);
      p.stride = p.dsr->stride;
      p.first = p.dsr->step;
      if (p.dsd->kind == DsdKind::kCircbuf && p.dsd->wavelet_index_offset)
        throw Undefined{"circular buffer with an offset"};
    }
  }
  void make_fabric(Place& p, bool destination) {
    p.kind = Kind::kFabric;
    if (p.bytes == 4) return;
    for (const QueueBinding& q : image_->queues) {
      if (q.input != destination && q.id == p.dsd->queue) p.half = q.dense;
    }
    const bool indexed = destination && p.dsd->wavelet_index_offset;
    if (p.half && indexed) throw Undefined{"an index in a half wavelet"};
    if (p.half || indexed || p.dsd->simd == SimdMode::kOff) return;
    p.packed = 2;
    p.least = single_step_ ? 1 : least_of(p.dsd->simd);
    if (!single_step_) return;
    p.held = p.dsr->held;
    p.payload = p.dsr->payload;
    if (destination) collected_ = p.dsr->collected;
  }
  static unsigned least_of(SimdMode mode) {
    return mode == SimdMode::kOff ? 1 : mode == SimdMode::k64 ? 4 : 2;
  }
  const Fifo& fifo_of(const Place& p) const {
    return image_->fifos[static_cast<unsigned>(p.dsr->fifo)];
  }

  void measure() {  // wse.md 5.8
    std::uint32_t length = 0;
    const auto consider = [&](const Operand& o) {
      const Descriptor& d = state_->descriptor(o);
      if (length != 0) return;
      length = d.left != 0 ? d.left : d.extent;
      endless_ = length == kEndless && is_fabric(dsd_of(o));
    };
    const Operand& first = in_->operands[0];
    const bool destination = in_->op != Opcode::kDfilt && first.is_dsr();
    each_dsr([&](const Operand& o) {
      if (!destination || &o != &first) consider(o);
    });
    if (destination) consider(first);
    if (single_step_) endless_ = false;
    length_ = single_step_ ? 1 : std::max(length, 1U);
    for (const Place& p : places_) {
      if (p.kind == Kind::kFabric) least_ = std::max(least_, p.packed);
    }
  }

  bool exhausted() {
    bool none = false;
    const auto endless = [&](const Operand& o) {
      return state_->descriptor(o).extent == kEndless && is_fabric(dsd_of(o));
    };
    each_dsr(
        [&](const Operand& o) { none |= state_->descriptor(o).remaining == 0 && !endless(o); });
    if (none) return true;
    std::array<Descriptor*, kMaxOperands> moved{};
    each_dsr([&](const Operand& o) {
      Descriptor* d = &state_->descriptor(o);
      auto* const end = std::find(moved.begin(), moved.end(), nullptr);
      if (std::find(moved.begin(), end, d) != end) return;  // source and destination in one
      *end = d;
      ++d->step;
      if (!endless(o)) --d->remaining;
    });
    return false;
  }

  const Place* source_fifo() const {
    for (unsigned i = 1; i < kMaxOperands; ++i) {
      if (places_[i].kind == Kind::kFifo) return &places_[i];
    }
    return nullptr;
  }
  bool uses_fifo() const { return source_fifo() != nullptr || places_[0].kind == Kind::kFifo; }

  const link::Wavelet& head(const Place& p, std::size_t behind = 0) const {
    const unsigned q = p.dsd->queue.value();
    if (state_->taken[q] + behind >= state_->inputs[q].size()) throw Undefined{"no wavelets"};
    return state_->inputs[q][state_->taken[q] + behind];
  }

  /// wse.md 5.7: a control wavelet at the head of a source ends the operation.
  bool meets_control() {
    if (config_.on_control == OnControl::kNone) return false;
    unsigned found = 0;
    for (unsigned i = 1; i < kMaxOperands; ++i) {
      Place& p = places_[i];
      if (p.kind != Kind::kFabric || p.held != 0 || !head(p).control) continue;
      ++state_->taken[p.dsd->queue.value()];
      ++found;
    }
    if (found > 1) throw Undefined{"two control wavelets: which one is taken is a matter of time"};
    if (found == 0) return false;
    if (config_.on_control != OnControl::kTerminate) state_->activate(config_.on_control_target);
    return true;
  }

  /// wse.md 5.6: a FIFO moves as many elements as its SIMD mode asks for, or whole wavelets of the
  /// other operands, or none.
  bool meets_shortage() {
    if (!uses_fifo() || done_ % least_ != 0) return false;
    for (unsigned i = 1; i < kMaxOperands; ++i) {
      const Place& p = places_[i];
      if (p.kind != Kind::kFabric) continue;
      head(p, (left(std::max(p.least, least_)) + p.packed - 1) / p.packed - 1);
    }
    if (const Place* p = source_fifo()) {
      FifoList& fifo = list_of(*p);
      const std::uint32_t wanted = rest_of_chunk(*p) * p->bytes;
      if (2 * fifo.words.size() < wanted) {
        fifo.wanted_data = wanted;
        return act(fifo_of(*p).empty_action);
      }
    }
    const Place& p = places_[0];
    if (p.kind != Kind::kFifo) return false;
    FifoList& fifo = list_of(p);
    const std::uint32_t wanted = rest_of_chunk(p) * p.bytes;
    if (2 * fifo.words.size() + wanted <= fifo_of(p).bytes) return false;
    if (shared_) return false;
    fifo.wanted_room = wanted;
    return act(fifo_of(p).full_action);
  }
  std::uint32_t left(std::uint32_t most) const {
    return endless_ ? most : std::min(most, length_ - done_);
  }
  std::uint32_t rest_of_chunk(const Place& p) const {
    const unsigned chunk = std::max(p.least, least_);
    return left(chunk - done_ % chunk);
  }
  FifoList& list_of(const Place& p) const {
    return state_->fifos[static_cast<unsigned>(p.dsr->fifo)];
  }
  bool act(FifoAction action) {
    const bool stops = action == FifoAction::kTerminate ||
                       (action == FifoAction::kTestOrSuspend && !config_.async);
    if (shared_ || !stops) throw Undefined{"waits for ever at a FIFO, or a matter of time"};
    result_ = action == FifoAction::kTerminate;
    return true;
  }

  void one_element() {
    ended_ = meets_control();
    if (!ended_) ended_ = stopped_ = meets_shortage();
    if (ended_) return;
    const std::uint32_t a = get(places_[1]);
    const std::uint32_t b = get(places_[2]);
    const std::uint32_t c = get(places_[3]);
    const std::uint32_t value = element(*row_, image_->half, a, b, c, carry_);
    ++done_;
    put(value);
  }

  std::uint32_t get(Place& p) {
    switch (p.kind) {
    case Kind::kNone:
      return 0;
    case Kind::kScalar: {
      // A source that is the destination register is its running value; half of its pair is not.
      const bool running = p.operand.kind != kImm && p.operand == places_[0].operand;
      const std::uint32_t value = State::value_of(p.operand, running ? registers_ : at_start_);
      return value & (p.bytes == 2 ? 0xFFFFU : 0xFFFFFFFFU);
    }
    case Kind::kMemory:
      return state_->read(element_address(*p.dsd, p.base, p.stride, p.first + done_), p.bytes,
                          arena_);
    case Kind::kFabric:
      return get_wavelet(p);
    case Kind::kFifo:
      return pop(p);
    case Kind::kPointer:
      break;
    }
    throw Undefined{"a source in memory without a descriptor"};
  }
  std::uint32_t get_wavelet(Place& p) {
    if (p.held == 0) {
      const link::Wavelet& w = head(p);
      if (w.half != p.half) throw Undefined{"half wavelet"};
      p.payload = w.payload;
      if (w.control && p.dsd->control_transform)
        p.payload = (p.payload ^ state_->control_mask << 16) | 0xC0000000U;
      p.held = p.packed;
      ++state_->taken[p.dsd->queue.value()];
    }
    const unsigned shift = 16 * (p.packed - p.held--);
    return p.bytes == 4 ? p.payload : p.payload >> shift & 0xFFFFU;
  }
  std::uint32_t pop(const Place& p) {
    FifoList& fifo = list_of(p);
    std::uint32_t value = 0;
    for (unsigned b = 0; b < p.bytes; b += 2) {
      value |= static_cast<std::uint32_t>(fifo.words.front()) << (8 * b);
      fifo.words.pop_front();
    }
    const std::uint32_t room = fifo_of(p).bytes - 2 * static_cast<std::uint32_t>(fifo.words.size());
    if (fifo.wanted_room != 0 && room >= fifo.wanted_room) {
      fifo.wanted_room = 0;
      if (fifo_of(p).activate_pop) state_->activate(*fifo_of(p).activate_pop);
    }
    return value;
  }

  void put(std::uint32_t value) {
    Place& p = places_[0];
    switch (p.kind) {
    case Kind::kScalar:
      State::set(p.operand, value, registers_);
      break;
    case Kind::kPointer:
      p.payload = value;
      break;
    case Kind::kMemory:
      state_->write(element_address(*p.dsd, p.base, p.stride, p.first + done_ - 1), p.bytes, value,
                    arena_);
      break;
    case Kind::kFabric:
      collected_.push_back(value);
      if (collected_.size() == p.packed) send(!endless_ && done_ == length_);
      break;
    case Kind::kFifo:
      push(p, value);
      break;
    case Kind::kNone:
      break;
    }
  }
  void push(const Place& p, std::uint32_t value) {
    FifoList& fifo = list_of(p);
    const Fifo& info = fifo_of(p);
    for (unsigned b = 0; b < p.bytes; b += 2) {
      const auto word = static_cast<std::uint16_t>(value >> (8 * b));
      state_->write(info.base + 2 * fifo.pushed++ % info.bytes, 2, word);
      fifo.words.push_back(word);
    }
    if (fifo.wanted_data != 0 && 2 * fifo.words.size() >= fifo.wanted_data) {
      fifo.wanted_data = 0;
      if (info.activate_push) state_->activate(*info.activate_push);
    }
  }
  void send(bool last) {
    const Place& p = places_[0];
    link::Wavelet w;
    w.payload = collected_[0] | (collected_.size() > 1 ? collected_[1] << 16 : 0);
    if (p.dsd->wavelet_index_offset) w.payload |= index_ << 16;
    w.color = p.dsd->color;
    w.half = p.half;
    w.control = p.dsd->control;
    if (p.dsd->control_transform && w.payload >> 30 == 3) {
      w.control = true;
      w.payload &= 0x3FFFFFFFU;
    }
    const bool whole = !single_step_ || p.dsr->remaining == 0;
    w.local_flip = p.dsd->advance_switch && last && whole;
    state_->sent[p.dsd->queue.value()].push_back(w);
    collected_.clear();
  }

  void filter() {
    while (done_ < length_) {
      if (head(places_[1]).control) ++done_;
      ++state_->taken[places_[1].dsd->queue.value()];
    }
  }

  void finish() {
    state_->ended.push_back({in_->op, done_});
    for (Place& p : places_) {
      if (p.kind == Kind::kFabric && single_step_) {
        p.dsr->held = p.held;
        p.dsr->payload = p.payload;
        if (&p == &places_[0]) p.dsr->collected = collected_;
      }
      if (p.kind == Kind::kFifo) p.dsr->left = stopped_ && !endless_ ? length_ - done_ : 0;
      if (p.kind != Kind::kMemory || single_step_ || !p.dsr->config.save_address) continue;
      const std::uint32_t offset = p.dsd->wavelet_index_offset ? 2 * index_ : 0;
      p.dsr->base = element_address(*p.dsd, p.base - offset, p.stride, p.first + done_) & 0xFFFFU;
    }
    const Place& p = places_[0];
    if (p.kind == Kind::kPointer && done_ > 0 && !stopped_)
      state_->write(p.base, p.bytes, p.payload, arena_);
    if (p.kind == Kind::kScalar && !stopped_) state_->registers = registers_;
    clear();
    if (config_.activate) state_->activate(*config_.activate);
    if (config_.unblock) state_->activate(*config_.unblock);
    if (config_.async) return;
    if (uses_fifo() || single_step_) {
      state_->flag = result_;
    } else if (in_->op == Opcode::kAddc16) {
      state_->flag = carry_;
    }
  }
  void clear() {  // wse.md 5.5 zero
    if (places_[0].kind != Kind::kFabric || places_[0].dsd->zero == ZeroSource::kNone) return;
    const bool second = places_[0].dsd->zero == ZeroSource::kSecond && row_->sources() > 1;
    const Place& p = places_[second ? 2 : 1];
    if (p.kind != Kind::kMemory) throw Undefined{"zero of no vector"};
    for (std::uint32_t k = 0; k < done_; ++k) {
      state_->write(element_address(*p.dsd, p.base, p.stride, p.first + k), p.bytes, 0, arena_);
    }
  }

  const Image* image_;
  State* state_;
  const Instruction* in_;
  const VectorOp* row_;
  Arena arena_;
  bool shared_;
  State::Registers at_start_;
  State::Registers registers_;  // with the destination as it is
  bool carry_;
  OpConfig config_;
  std::uint32_t index_ = 0;
  std::array<Place, kMaxOperands> places_;
  std::vector<std::uint32_t> collected_;  // elements of the next wavelet
  bool single_step_ = false;
  bool endless_ = false;
  bool ended_ = false;    // the operation ended before its length was done
  bool stopped_ = false;  // a FIFO stopped it: the values that it popped are lost (wse.md 5.6)
  bool result_ = true;
  std::uint32_t length_ = 0;
  std::uint32_t done_ = 0;
  unsigned least_ = 1;
};

}  // namespace tessera::pe::test
