// Draws one DSD operation for the property test: an opcode and a form of it, operands of all kinds,
// lengths by each rule of reference wse.md 5.8, options (wse.md 5.5 to 5.7).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tests/models/pe/property_plan.h"

namespace tessera::pe::test {

/// What operations that are still in progress hold, as bits.
struct Busy {
  unsigned inputs = 0;
  unsigned outputs = 0;
  unsigned threads = 0;
  unsigned pushed = 0;  // FIFOs
  unsigned popped = 0;
  unsigned tasks = 0;  // targets of activate and unblock
};

/// What the caller asks of an operation.
struct Wish {
  bool async = false;
  bool single_step = false;
  std::optional<unsigned> pushes;  ///< this FIFO
  std::optional<unsigned> pops;
  bool shared_fifo = false;  ///< another operation works at its other end at the same time
  std::uint32_t length = 0;  ///< 0: any
};

class Drawer {
 public:
  Drawer(Random& random, const Image& image, State& state, const Busy& busy)
      : random_(random), image_(image), state_(state), busy_(busy) {}

  /// False: what was drawn does not go together; draw again.
  bool draw(Plan& p, const Wish& wish, const Arena& arena) {
    wish_ = &wish;
    p = Plan();
    p.async = wish.async;
    p.single_step = wish.single_step;
    p.shared_fifo = wish.shared_fifo;
    p.arena = arena;
    p.row = &kVectorOps[random_.below(std::size(kVectorOps))];
    if (!p.has_destination() && (!p.async || p.shared_fifo)) return false;
    p.rounds = p.async || p.shared_fifo || random_.chance(70) ? 1 : 2 + random_.below(2);
    const std::string form = draw_form(p.row->form, random_);
    p.slot_count = static_cast<unsigned>(form.size());
    for (unsigned i = 0; i < p.slot_count; ++i) {
      if (!draw_slot(p, i, form[i])) return false;
    }
    if (!kinds_go_together(p)) return false;
    draw_registers(p);
    draw_index(p);
    draw_lengths(p);
    if (!draw_end(p)) return false;
    for (unsigned i = 0; i < p.slot_count; ++i) {
      if (!place_slot(p, p.slots[i])) return false;
    }
    return draw_config(p);
  }

 private:
  static std::optional<unsigned> thread_of(Plan& p) {
    if (p.config.ut) return p.config.ut->value();
    if (p.has_destination() && p.slots[0].kind == Slot::Kind::kFabric)
      return p.slots[0].dsd.queue.value();
    for (const Slot* slot : p.by_length_rule()) {
      if (slot->kind == Slot::Kind::kFabric) return slot->dsd.queue.value();
    }
    return std::nullopt;
  }
  bool is_wse2() const { return image_.generation == Generation::kWse2; }

  bool draw_slot(Plan& p, unsigned i, char role) {
    Slot& slot = p.slots[i];
    slot.type = p.row->types[i];
    slot.bytes = p.row->bytes(i);
    const bool destination = role == 'D';
    if (role == 'v' || role == 'p') {
      draw_scalar(p, slot, role == 'p');
      return true;
    }
    if (!p.has_destination()) return draw_fabric(slot, false);
    const bool fifo_place = destination || p.row->sources() == 1 || i == 2;
    const auto& wanted = destination ? wish_->pushes : wish_->pops;
    if (wanted && fifo_place) {
      slot.kind = Slot::Kind::kFifo;
      slot.fifo = *wanted;
      return true;
    }
    const unsigned kind = random_.below(100);
    if (kind < 25) return draw_fabric(slot, destination);
    if (kind < 47 && fifo_place && !p.shared_fifo && !p.single_step) return draw_fifo(p, slot);
    slot.kind = Slot::Kind::kMemory;
    return true;
  }

  void draw_scalar(Plan& p, Slot& slot, bool destination) {
    slot.kind = Slot::Kind::kScalar;
    slot.in_register = destination || random_.chance(60);
    if (destination && random_.chance(50)) {
      slot.kind = Slot::Kind::kPointer;
      slot.value = p.arena.begin + 2 * random_.below((p.arena.end - p.arena.begin - 4) / 2);
      slot.in_register = random_.chance(50);
    } else {
      slot.value = random_.value(slot.type, image_.half);
    }
    // Few registers, so that a source often is the destination, or half of it.
    const unsigned reg = random_.below(4);
    slot.operand = !slot.in_register ? imm(static_cast<std::int32_t>(slot.value))
                   : slot.bytes == 2 ? reg16(reg)
                                     : reg32(reg / 2 * 2);
    if (slot.kind == Slot::Kind::kPointer) {
      slot.operand = slot.in_register ? at(14, 2 * random_.between(-10, 10))
                                      : at_address(static_cast<std::int32_t>(slot.value));
    }
  }

  bool draw_fabric(Slot& slot, bool destination) {
    slot.kind = Slot::Kind::kFabric;
    const unsigned q = random_.below(destination && is_wse2() ? 6 : kMaxQueues);
    if (((destination ? busy_.outputs : busy_.inputs) >> q & 1U) != 0) return false;
    Dsd& dsd = slot.dsd;
    dsd.kind = destination ? DsdKind::kFabout : DsdKind::kFabin;
    dsd.queue = QueueId(q);
    dsd.color = Color(8 + q);
    dsd.control_transform = random_.chance(15);
    const SimdMode modes[] = {SimdMode::kOff, SimdMode::k32, SimdMode::k64, SimdMode::k32Or64};
    dsd.simd = is_wse2()            ? modes[random_.below(4)]
               : random_.chance(25) ? SimdMode::kOff
                                    : SimdMode::kMax;
    if (!is_wse2() && random_.chance(30)) dsd.priority = static_cast<Priority>(random_.below(3));
    if (!destination) return true;
    dsd.control = random_.chance(10);
    dsd.advance_switch = random_.chance(20);
    dsd.wavelet_index_offset = slot.bytes == 2 && random_.chance(20);
    return true;
  }

  bool draw_fifo(const Plan& p, Slot& slot) {
    if (image_.fifos.empty()) return false;
    slot.kind = Slot::Kind::kFifo;
    slot.fifo = random_.below(static_cast<unsigned>(image_.fifos.size()));
    const Fifo& fifo = image_.fifos[slot.fifo];
    const unsigned busy = busy_.pushed | busy_.popped;
    if ((busy >> slot.fifo & 1U) != 0) return false;
    // When the task of a FIFO runs beside an operation, how often it is activated is a matter of
    // time.
    if (p.async && (fifo.activate_push || fifo.activate_pop)) return false;
    slot.sets_length = random_.chance(50);
    return true;
  }

  bool kinds_go_together(Plan& p) {
    unsigned fabric = 0;
    unsigned fifo_sources = 0;
    unsigned queues = 0;
    bool vector = false;
    for (unsigned i = 0; i < p.slot_count; ++i) {
      const Slot& slot = p.slots[i];
      const bool source = i > 0 || !p.has_destination();
      vector |= slot.kind != Slot::Kind::kScalar && slot.kind != Slot::Kind::kPointer;
      if (source && slot.kind == Slot::Kind::kFifo) ++fifo_sources;
      if (!source || slot.kind != Slot::Kind::kFabric) continue;
      ++fabric;
      if ((queues >> slot.dsd.queue.value() & 1U) != 0) return false;
      queues |= 1U << slot.dsd.queue.value();
    }
    if (!vector || fifo_sources > 1 || fabric > (is_wse2() ? 2 : 1)) return false;
    if (wish_->pushes && p.slots[0].kind != Slot::Kind::kFifo) return false;
    if (wish_->pops && fifo_sources == 0) return false;
    if (!p.async) return true;
    const bool may = p.uses(Slot::Kind::kFabric) || (p.uses(Slot::Kind::kFifo) && !is_wse2());
    return may && p.slots[0].kind != Slot::Kind::kScalar;
  }

  // Files, numbers and options of the DSRs.
  void draw_registers(Plan& p) {
    unsigned used[3] = {};
    for (const Fifo& fifo : image_.fifos) {
      used[0] |= 1U << fifo.dsr;
      used[2] |= 1U << fifo.dsr;
    }
    unsigned xdsrs = 0;
    unsigned srs = 0;
    for (unsigned i = p.slot_count; i-- > 0;) {  // sources first
      Slot& slot = p.slots[i];
      if (slot.operand.kind != kNoOperand) continue;
      const bool destination = i == 0 && p.has_destination();
      if (slot.kind == Slot::Kind::kFifo) {
        slot.operand = operand(destination ? kDest : kSrc1, image_.fifos[slot.fifo].dsr, 0);
        continue;
      }
      if (destination && slot.kind == Slot::Kind::kMemory && random_.chance(15) &&
          shares_source(p, slot))
        continue;
      const bool source0 = destination ? slot.kind == Slot::Kind::kMemory && random_.chance(15)
                                       : p.has_destination() && random_.chance(50);
      const OperandKind file = source0 ? kSrc0 : destination ? kDest : kSrc1;
      unsigned& taken = used[file == kDest ? 0 : file == kSrc0 ? 1 : 2];
      unsigned number = random_.below(kDsrsPerFile);
      while ((taken >> number & 1U) != 0) number = random_.below(kDsrsPerFile);
      taken |= 1U << number;
      slot.operand = operand(file, number, 0);
      if (slot.kind == Slot::Kind::kMemory) draw_load(p, slot, xdsrs, srs);
      slot.load.single_step = p.single_step;
    }
  }
  // wse.md 6.5: a source 0 DSR may serve as destination too.
  static bool shares_source(Plan& p, Slot& slot) {
    for (unsigned i = 1; i < p.slot_count; ++i) {
      const Slot& source = p.slots[i];
      if (source.operand.kind != kSrc0 || source.kind != Slot::Kind::kMemory) continue;
      if (source.bytes != slot.bytes) continue;
      slot.operand = source.operand;
      slot.same_as_source = true;
      return true;
    }
    return false;
  }
  void draw_load(const Plan& p, Slot& slot, unsigned& xdsrs, unsigned& srs) {
    slot.load.save_address = !p.single_step && random_.chance(35);
    const auto pick = [this](unsigned& taken, unsigned count) {
      unsigned number = random_.below(count);
      while ((taken >> number & 1U) != 0) number = random_.below(count);
      taken |= 1U << number;
      return static_cast<std::uint8_t>(number);
    };
    if (random_.chance(60)) slot.load.xdsr = pick(xdsrs, 6);
    for (unsigned k = 0; k < 2; ++k) {
      if (random_.chance(30)) slot.load.sr[k] = pick(srs, kStrideRegisterCount);
    }
  }

  void draw_index(Plan& p) {
    for (unsigned i = 0; i < p.slot_count; ++i) {
      if (p.slots[i].kind == Slot::Kind::kMemory)
        p.slots[i].dsd.wavelet_index_offset = random_.chance(10);
    }
    bool needed = false;
    bool memory = false;
    for (unsigned i = 0; i < p.slot_count; ++i) {
      needed |= p.slots[i].dsd.wavelet_index_offset;
      memory |= p.slots[i].kind == Slot::Kind::kMemory && p.slots[i].dsd.wavelet_index_offset;
    }
    if (!p.has_destination() || (!needed && !random_.chance(10))) return;
    p.index = memory ? random_.below(200) : random_.bits() & 0xFFFFU;
    p.index_in_register = random_.chance(50);
    p.config.index = p.index_in_register ? reg16(11) : imm(static_cast<std::int32_t>(p.index));
  }

  // wse.md 5.8: the operands before the one that decides have length 0, those after it any.
  void draw_lengths(Plan& p) {
    const std::vector<Slot*> order = p.by_length_rule();
    const auto count = static_cast<unsigned>(order.size());
    const unsigned decider = random_.chance(6) && wish_->length == 0 ? count : random_.below(count);
    p.length = wish_->length != 0 ? wish_->length
               : p.single_step    ? 1 + random_.below(8)
                                  : random_.length();
    bool known = false;
    for (unsigned k = 0; k < count; ++k) {
      Slot& slot = *order[k];
      if (slot.same_as_source) continue;
      const std::uint32_t any = random_.chance(30)   ? 0
                                : random_.chance(30) ? p.length
                                                     : random_.length();
      std::uint32_t wanted = k == decider ? p.length : k < decider && !p.single_step ? 0 : any;
      if (p.single_step) wanted = random_.chance(5) ? 0 : p.length + random_.below(4);
      const std::uint32_t length = set_length(slot, wanted);
      if (!known && length != 0) {
        known = true;
        p.length = length;
      }
      if (p.single_step) p.length = std::min(p.length, length);
    }
    if (!known && !p.single_step) p.length = 1;
    p.elements = p.length;
  }
  std::uint32_t set_length(Slot& slot, std::uint32_t wanted) {
    switch (slot.kind) {
    case Slot::Kind::kMemory:
      do {
        draw_shape(slot.dsd, slot.bytes, wanted, random_);
      } while (wish_->length != 0 && slot.dsd.extent != wanted);
      if (slot.dsd.kind == DsdKind::kCircbuf) slot.dsd.wavelet_index_offset = false;
      return slot.dsd.extent;
    case Slot::Kind::kFabric:
      slot.dsd.extent = wanted;
      return wanted;
    default:
      break;
    }
    const Descriptor& d = state_.descriptor(slot.operand);
    slot.sets_length |= wish_->length != 0;
    slot.new_length = wanted;
    return slot.sets_length ? wanted : d.left != 0 ? d.left : d.extent;
  }

  // Whether a control wavelet ends the operation, and after how many elements.
  bool draw_end(Plan& p) {
    const Slot* input = p.source(Slot::Kind::kFabric);
    if (input == nullptr || p.single_step || p.shared_fifo || !p.has_destination()) return true;
    if (!random_.chance(30)) return true;
    // simd_64 waits for two wavelets, also when the other source would end the operation (5.10).
    const auto number = static_cast<unsigned>(input - p.slots.data());
    const Slot* second = p.first_of(Slot::Kind::kFabric, number + 1);
    const bool waits = second != nullptr &&
                       (input->dsd.simd == SimdMode::k64 || second->dsd.simd == SimdMode::k64);
    if (waits) return true;
    p.ends_on_control = random_.chance(80);
    const std::vector<Slot*> order = p.by_length_rule();
    if (p.ends_on_control && random_.chance(40)) {
      Slot* first = order.front();
      if (first->kind == Slot::Kind::kFabric) {
        first->dsd.extent = kEndless;
        p.endless = true;
        p.length = 2 + 2 * random_.below(20);
      }
    }
    p.config.on_control = OnControl::kTerminate;
    if (p.ends_on_control) p.elements = random_.below(p.length);
    // The control wavelet stands after a whole wavelet of its own source and must not meet one of
    // another source, which may be late.
    p.elements -= p.elements % packed_of(image_, input->dsd, input->bytes);
    return true;
  }

  bool place_slot(Plan& p, Slot& slot) {
    if (slot.kind != Slot::Kind::kMemory || slot.same_as_source) return true;
    bool save = slot.load.save_address;
    if (!place(slot.dsd, p.elements, p.rounds, save, p.arena, random_)) return false;
    if (!slot.dsd.wavelet_index_offset) return true;
    slot.dsd.base = static_cast<std::uint16_t>(slot.dsd.base - 2 * p.index);
    return true;
  }

  bool draw_config(Plan& p) {
    OpConfig& c = p.config;
    draw_zero(p);
    c.async = p.async;
    if (p.async && !is_wse2() && random_.chance(p.uses(Slot::Kind::kFabric) ? 50 : 100))
      c.ut = MicrothreadId(random_.below(kMicrothreadCount));
    if (is_wse2() && p.async && random_.chance(30))
      c.priority = static_cast<Priority>(random_.below(3));
    if (p.async) p.thread = *thread_of(p);
    if (p.async && (busy_.threads >> p.thread & 1U) != 0) return false;
    unsigned tasks = busy_.tasks;
    const auto take_task = [&](unsigned count) -> std::optional<TaskId> {
      const unsigned task = random_.below(count);
      if ((tasks >> task & 1U) != 0) return std::nullopt;
      tasks |= 1U << task;
      return TaskId(kFirstTask + task);
    };
    if (random_.chance(25)) c.activate = take_task(kPlainTasks);
    const bool unblocks = !c.activate && random_.chance(15);
    if (unblocks && (tasks >> kPlainTasks & 1U) == 0) {
      c.unblock = TaskId(kBlockedTask);
      tasks |= 1U << kPlainTasks;
    }
    if (c.on_control != OnControl::kNone && random_.chance(50)) {
      if (const auto task = take_task(kPlainTasks)) {
        c.on_control = OnControl::kActivate;
        c.on_control_target = *task;
      }
    }
    p.tasks = tasks;
    scatter(p);
    return true;
  }
  void draw_zero(Plan& p) {
    if (!p.has_destination() || p.slots[0].kind != Slot::Kind::kFabric || !random_.chance(25))
      return;
    const bool several = p.slot_count > 2;
    Slot& source = p.slots[several && random_.chance(50) ? 2 : 1];
    if (source.kind != Slot::Kind::kMemory) return;
    const bool first = several && &source == &p.slots[1];
    p.slots[0].dsd.zero = first ? ZeroSource::kFirst : ZeroSource::kSecond;
  }
  // wse.md 5.7: the options may stand in the load of a fabric DSR instead.
  void scatter(Plan& p) {
    Slot* slot = p.first_of(Slot::Kind::kFabric);
    if (slot == nullptr || p.single_step || !random_.chance(30)) return;
    OpConfig& to = slot->load;
    std::swap(to.async, p.config.async);
    std::swap(to.ut, p.config.ut);
    std::swap(to.activate, p.config.activate);
    std::swap(to.unblock, p.config.unblock);
    std::swap(to.on_control, p.config.on_control);
    std::swap(to.on_control_target, p.config.on_control_target);
  }

  Random& random_;
  const Image& image_;
  State& state_;
  const Busy& busy_;
  const Wish* wish_ = nullptr;
};

}  // namespace tessera::pe::test
