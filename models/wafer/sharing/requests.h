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
  kOrder,
  kHeld,
  kDescribeWaits,
  kCapacity,
  kPut,
  kCredit,
  kTake,
  kTakeDirectly,
  kRead,
  kReadMany,
  kWrite,
  kCatchUp,
  kObserve,
  kStateOf,
  kCollect,
  kCollectWaits,
  kSave,
  kSaved,
  kAnnouncements,
  kRestore,
  kTakeAnnouncements,
  kGoOn,
  kPutWaits,
  kPutLinkWaits,
  kEnd,
};

/// What a strip has for ports and listeners; at the end of the answers to kStep and kEndAhead.
enum class Told : std::uint8_t {
  kNothing,
  kPut,
  kCredit,
  kDiagnosis,
  kPrint,
  kReady,
  kTaken,
  kEvents
};

/// How the engines of a machine are observed.
struct ObservedParts {
  bool all_waits = false;  ///< accounts of all tiles, else of those that a trace shows
  bool link_waits = false;
  bool traced_waits = false;  ///< a trace shows waits
  bool stalls = false;        ///< a trace shows what holds threads back
};

/// An exception, or nullptr, as it travels: every answer begins with one.
void put_failure(Packet& packet, const std::exception_ptr& failure);
std::exception_ptr get_failure(Packet& packet);

}  // namespace tessera::wafer
