// Why a target refused an access, in words: an extension of the base protocol that may be ignored. An
// initiator that wants to know attaches one to its payload; a host port that refuses the access fills
// it in.
#pragma once

#include <tlm>

#include <string>

namespace tessera::host {

/// A payload deletes the extensions that are attached to it when it ends. One that stands on the stack,
/// or is a member, therefore names its payload: it attaches itself, gives the payload what it had before
/// when it ends, and the payload does not delete it, also when an exception leaves the initiator.
///
///     tlm::tlm_generic_payload payload;
///     host::Refusal refusal(payload);
///     socket->b_transport(payload, delay);
///
/// One made with `new` belongs to the payload that it is given to with set_extension().
struct Refusal : tlm::tlm_extension<Refusal> {
  std::string text;  ///< "write of 4 bytes at 0x74: it can only be read"; empty: was not refused

  Refusal() = default;
  /// Attaches itself. `payload` must outlive it or delete its extensions when it ends, as all do.
  explicit Refusal(tlm::tlm_generic_payload& payload)
      : payload_(&payload), before_(payload.set_extension(this)) {}
  ~Refusal() override {
    if (payload_ != nullptr && payload_->get_extension<Refusal>() == this)
      payload_->set_extension(before_);
  }
  Refusal& operator=(const Refusal&) = delete;

  /// The copy of a payload gets one of its own.
  tlm::tlm_extension_base* clone() const override {
    auto* const copy = new Refusal;
    copy->text = text;
    return copy;
  }
  void copy_from(const tlm::tlm_extension_base& other) override {
    text = static_cast<const Refusal&>(other).text;
  }
  /// What a payload that ends calls.
  void free() override {
    if (payload_ == nullptr) return tlm::tlm_extension<Refusal>::free();
    payload_ = nullptr;
  }

 private:
  tlm::tlm_generic_payload* payload_ = nullptr;
  Refusal* before_ = nullptr;
};

}  // namespace tessera::host
