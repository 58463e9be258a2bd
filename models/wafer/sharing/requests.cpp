#include "models/wafer/sharing/requests.h"

#include <new>
#include <stdexcept>
#include <string>

#include "models/state/archive.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wafer {

namespace {

enum class FailureKind : std::uint8_t { kNone, kIllegal, kMemory, kInput, kState, kLogic };

}  // namespace

void put_failure(Packet& packet, const std::exception_ptr& failure) {
  const auto put = [&packet](FailureKind kind, const std::string& text,
                             const std::string& id = {}) {
    packet.put(kind);
    packet.put_text(text);
    packet.put_text(id);
  };
  if (failure == nullptr) return put(FailureKind::kNone, "");
  try {
    std::rethrow_exception(failure);
  } catch (const IllegalBehaviour& e) {
    const std::string tail = e.id().empty() ? "" : " [" + e.id() + "]";
    const std::string what = e.what();
    put(FailureKind::kIllegal, what.substr(0, what.size() - tail.size()), e.id());
  } catch (const std::bad_alloc&) {
    put(FailureKind::kMemory, "");
  } catch (const UserError& e) {
    put(FailureKind::kInput, e.what());
  } catch (const state::Mismatch& e) {
    put(FailureKind::kState, e.what());
  } catch (const std::exception& e) {
    put(FailureKind::kLogic, e.what());
  }
}

std::exception_ptr get_failure(Packet& packet) {
  const auto kind = packet.get<FailureKind>();
  const std::string text = packet.get_text();
  const std::string id = packet.get_text();
  switch (kind) {
  case FailureKind::kNone:
    return nullptr;
  case FailureKind::kIllegal:
    return std::make_exception_ptr(IllegalBehaviour(text, id));
  case FailureKind::kMemory:
    return std::make_exception_ptr(std::bad_alloc());
  case FailureKind::kInput:
    return std::make_exception_ptr(UserError("", "", text));
  case FailureKind::kState:
    return std::make_exception_ptr(state::Mismatch(text));
  case FailureKind::kLogic:
    break;
  }
  return std::make_exception_ptr(std::logic_error(text));
}

}  // namespace tessera::wafer
