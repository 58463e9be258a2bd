// What a RemotePart and the process that serves it say to each other.
#pragma once

#include <cstdint>
#include <exception>

#include "models/wafer/sharing/packet.h"

namespace tessera::wafer {

/// Begins each request; its arguments follow.
enum class Request : std::uint8_t {
  kBuild,
  kRoomsAt,
  kSetRooms,
  kPortRooms,
  kStart,
  kStep,
  kStage,
  kEndAhead,
  kShuffle,
  kLaunch,
  kHeld,
  kDescribeWaits,
  kCapacity,
  kPut,
  kCredit,
  kTake,
  kRead,
  kWrite,
  kCatchUp,
  kAccountWaits,
  kCollect,
  kCollectWaits,
  kRestore,
  kTakeAnnouncements,
  kGoOn,
  kPutWaits,
  kPutLinkWaits,
  kEnd,
};

/// What a strip has for ports and listeners; at the end of the answers to kStep and kEndAhead.
enum class Told : std::uint8_t { kNothing, kPut, kCredit, kDiagnosis, kPrint, kReady };

/// An exception, or nullptr, as it travels: every answer begins with one.
void put_failure(Packet& packet, const std::exception_ptr& failure);
std::exception_ptr get_failure(Packet& packet);

}  // namespace tessera::wafer
