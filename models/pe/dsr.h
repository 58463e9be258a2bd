// Data structure registers (reference wse.md 5.11): descriptors as DSD operations use them, with
// extended DSRs, stride registers and FIFOs.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/pe/address_walk.h"
#include "models/pe/program.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

class DecodedImage;

/// The state of a FIFO in SRAM (wse.md 5.6): a ring of 16-bit words, so that pushes and pops may have
/// elements of different sizes. It remembers the last push or pop that found too little.
class FifoState {
 public:
  explicit FifoState(const Fifo& fifo) : fifo_(&fifo) {}

  const Fifo& fifo() const { return *fifo_; }
  std::uint32_t bytes_held() const { return held_; }
  std::uint32_t bytes_free() const { return fifo_->bytes - held_; }

  /// Takes two bytes at the end, or gives back the two at the front. Returns their byte address.
  std::uint32_t push_word() {
    const std::uint32_t offset = (head_ + held_) % fifo_->bytes;
    held_ += 2;
    return fifo_->base + offset;
  }
  std::uint32_t pop_word() {
    const std::uint32_t offset = head_;
    head_ = (head_ + 2) % fifo_->bytes;
    held_ -= 2;
    return fifo_->base + offset;
  }

  // Edges (wse.md 5.6): an operation found no room, or no data, for the bytes of its next group.
  void hit_full(std::uint32_t bytes) { wanted_room_ = bytes; }
  void hit_empty(std::uint32_t bytes) { wanted_data_ = bytes; }
  /// To be asked after a pop: whether a push that found no room would now find it. Answers true once.
  bool room_came() { return came(wanted_room_, bytes_free()); }
  /// To be asked after a push: the same for a pop that found no data.
  bool data_came() { return came(wanted_data_, bytes_held()); }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(head_, held_, wanted_room_, wanted_data_);
  }

 private:
  static bool came(std::uint32_t& wanted, std::uint32_t have) {
    if (wanted == 0 || have < wanted) return false;
    wanted = 0;
    return true;
  }

  const Fifo* fifo_;
  std::uint32_t head_ = 0;  // byte offset of the oldest word
  std::uint32_t held_ = 0;
  std::uint32_t wanted_room_ = 0;  // 0: no hit
  std::uint32_t wanted_data_ = 0;
};

/// More state of a DSR that was loaded with single_step, xdsr or sr.
struct DsrExtension {
  // single_step: the next element and how many elements are left.
  AddressWalk walk;
  std::uint32_t remaining = 0;
  std::uint8_t held = 0;      ///< Cursor::held of a wavelet that an earlier step began
  std::uint32_t wavelet = 0;  ///< its payload (Cursor::value)
  // Tickets (DsrFiles::Extras) of the loads of its XDSR and stride registers; 0: it has none.
  std::uint32_t xdsr_ticket = 0;
  std::array<std::uint32_t, 3> sr_tickets{};

  template <class Archive>
  void visit(Archive& archive) {
    archive(walk, remaining, held, wavelet, xdsr_ticket, sr_tickets);
  }
};

struct Dsr {
  const Dsd* dsd = nullptr;          ///< descriptor loaded, or that of a FIFO; nullptr: empty
  const OpConfig* config = nullptr;  ///< options of the load; nullptr: FIFO or empty
  std::unique_ptr<DsrExtension> extension;
  Cycle ready_at = 0;  ///< load-to-use (wse.md 6.5)
  // The program may change these in place.
  std::uint32_t extent = 0;  ///< elements; of a FIFO the read or write length
  std::uint16_t base = 0;    ///< byte address; of a circbuf the head
  std::int16_t stride = 1;   ///< elements
  /// Elements that a terminated operation on the FIFO left; 0: none.
  std::uint32_t left = 0;
  std::uint32_t load = 0;  ///< counts loads and changes of the address

  /// Takes over a descriptor, but for what its extension has of it.
  void load_from(const Dsd& from, const OpConfig& options) {
    dsd = &from;
    config = &options;
    base = from.base;
    extent = from.extent;
    stride = from.strides[0];
    ++load;
  }
  bool loaded() const { return dsd != nullptr; }
  DsdKind kind() const { return dsd->kind; }
  bool is_fabric() const {
    return loaded() && (kind() == DsdKind::kFabin || kind() == DsdKind::kFabout);
  }
  const std::string& name() const { return dsd->name; }
  bool single_step() const { return config != nullptr && config->single_step; }
  bool endless() const { return extent == kEndless && is_fabric(); }
  std::uint32_t length() const { return left != 0 ? left : extent; }
  /// Address at which the next operation begins. Requires a descriptor of memory.
  std::uint32_t address() const { return single_step() ? extension->walk.position() : base; }
  /// A running operation no longer saves its address into the register.
  void set_address(std::uint32_t address) {
    base = static_cast<std::uint16_t>(address);
    restart_walk(base);
    ++load;
  }
  /// single_step: the walk begins again, at `address`.
  void restart_walk(std::uint32_t address) {
    if (extension) extension->walk = AddressWalk(address, stride);
  }
};

/// Which DSRs of the three files dest, src0, src1 the program of an image uses, because only these
/// take memory; and descriptors of its FIFOs, which hold their DSRs for the life of the program. All
/// engines share the DSRs that keep what their initial load has put into them.
class DsrLayout {
 public:
  /// `image` must outlive the layout.
  explicit DsrLayout(const Image& image);
  const Image& image() const { return image_; }

  /// How many an engine has for itself.
  unsigned count() const { return count_; }
  /// Place of a DSR among those of an engine; from kShared on: among those that are shared. Requires
  /// operand.is_dsr() and that the operand occurs in the image.
  unsigned index_of(const Operand& operand) const {
    const unsigned index = index_[operand.kind / kDest][operand.reg];
    assert(index != kUnused);
    return index;
  }
  static constexpr std::uint8_t kShared = 0x80;
  bool is_shared(const Operand& operand) const { return index_of(operand) >= kShared; }
  const Dsr& shared(unsigned index) const { return shared_[index - kShared]; }
  /// The descriptors of kind DsdKind::kFifo, as in Image::fifos.
  const std::vector<Dsd>& fifos() const { return fifos_; }
  std::uint8_t fifo_index(const Dsd& fifo) const {
    return static_cast<std::uint8_t>(&fifo - fifos_.data());
  }

 private:
  static constexpr std::uint8_t kUnused = 0xFF;
  static_assert(kSrc0 == 2 * kDest && kSrc1 == 4 * kDest, "bits of neighbouring places");
  /// By register: whether the DSR may change when the program runs.
  using Changes = std::array<std::array<bool, kDsrsPerFile>, kSrc1 / kDest + 1>;
  Changes changes() const;
  void reserve(const Operand& operand, const Changes& changes);

  const Image& image_;
  // By kDest, kSrc0, kSrc1 as multiples of kDest, and register.
  std::array<std::array<std::uint8_t, kDsrsPerFile>, kSrc1 / kDest + 1> index_{};
  std::uint8_t count_ = 0;
  std::vector<Dsr> shared_;
  std::vector<Dsd> fifos_;
};

/// The DSRs of an engine, the states of its FIFOs, and which DSR loaded each XDSR and stride
/// register last.
class DsrFiles {
 public:
  /// The DSRs of FIFOs are loaded from the start. `layout` must outlive the files.
  explicit DsrFiles(const DsrLayout& layout);

  /// As DsrLayout::index_of.
  const Dsr& operator[](const Operand& operand) const {
    const unsigned index = layout_->index_of(operand);
    return index < DsrLayout::kShared ? dsrs_[index] : layout_->shared(index);
  }
  /// One that is not shared.
  Dsr& own(const Operand& operand) {
    assert(!layout_->is_shared(operand));
    return dsrs_[layout_->index_of(operand)];
  }

  /// Puts `dsd` into the register, which is not shared. Returns how many registers that loads (the
  /// DSR, an XDSR, stride registers). `dsd` and `config` must outlive the files.
  unsigned load(const Operand& operand, const Dsd& dsd, const OpConfig& config);
  /// State of FIFO number `index` of Image::fifos.
  FifoState& fifo(unsigned index) { return extras_->fifos[index]; }
  const FifoState& fifo(unsigned index) const { return extras_->fifos[index]; }
  /// Whether the XDSR, or a stride register, of `dsr` has been loaded with something else since.
  bool xdsr_lost(const Dsr& dsr) const;
  bool stride_register_lost(const Dsr& dsr) const;
  /// Saves or restores what changes (models/state/archive.h).
  void visit(state::Archive& archive, const DecodedImage& program);

 private:
  /// State that few programs need.
  struct Extras {
    std::vector<FifoState> fifos;
    // Every load that changes what an XDSR or stride register holds takes the next ticket; these are the last ones.
    std::array<std::uint32_t, kXdsrCount> xdsrs{};
    std::array<std::uint32_t, kStrideRegisterCount> srs{};
    std::array<const Dsd*, kXdsrCount> loops{};
    std::array<std::int16_t, kStrideRegisterCount> strides{};
    std::uint32_t last = 0;
  };
  Extras& extras();
  unsigned take_tickets(DsrExtension& extension, const Dsd& dsd, const OpConfig& config);

  const DsrLayout* layout_;
  std::unique_ptr<Dsr[]> dsrs_;  // by DsrLayout::index_of
  std::unique_ptr<Extras> extras_;
};

}  // namespace tessera::pe
