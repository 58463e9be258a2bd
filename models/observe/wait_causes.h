// Why a machine is stuck: the waits of all its places as a graph, from those who need to those who
// give (docs/waits.md#when-nothing-moves).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/observe/wait.h"

namespace tessera::observe {

/// How wavelets of a color come to a place. Sides are those of Direction.
class Flows {
 public:
  virtual ~Flows() = default;
  /// What can leave the router of a place for a color at a side, in any switch position.
  struct Upstream {
    std::vector<Resource> before;  ///< kWavelet: outputs of other routers that lead here
    bool from_pe = false;          ///< its PE has a queue that sends the color here
    bool from_host = false;        ///< a stream of the host may
    bool unknown = false;          ///< it cannot be told
  };
  virtual Upstream upstream(const Resource& wavelet) const = 0;
  /// The input beyond the output `output.side` of the router of a place: kBuffer of a neighbour, or
  /// kInput. kNone: the rim.
  virtual Resource beyond(const Resource& output) const = 0;
};

/// Waits of one kind that have one part in a deadlock.
struct WaitGroup {
  enum class Part : std::uint8_t {
    kNever,    ///< a cause: what it needs can never come
    kRing,     ///< a cause: it waits for itself, by way of others
    kRest,     ///< a cause: those who could give it have nothing left to do
    kFollows,  ///< it waits for others who wait
    kUnread,   ///< wavelets that nobody reads
    kIdle      ///< services, such as data tasks, that lack wavelets
  };
  Part part = Part::kFollows;
  std::uint32_t kind = 0;    ///< index in Waits::kinds()
  std::uint32_t first = 0;   ///< node nearest to a cause
  std::size_t count = 0;     ///< waits
  std::size_t distance = 0;  ///< of `first`, in places
  std::string why;           ///< of a cause, what the words of the wait do not say; may be empty
  std::vector<std::uint32_t> ring;  ///< kRing: its nodes, each of which waits for the next one

  bool is_cause() const { return part <= Part::kRest; }
};

struct WaitCauses {
  std::vector<WaitGroup> groups;  ///< causes first: ends, rings, rests; then others, nearest first
  std::vector<std::uint32_t> order;    ///< all nodes of the waits in this order
  std::size_t causes = 0;              ///< groups that are causes
  std::size_t places_that_follow = 0;  ///< places whose waits follow, without those of causes
  /// Somebody waits whom no further command of a host can help.
  bool is_hopeless = false;
};

/// How those who wait may go on.
enum class Help : std::uint8_t {
  kNone,  ///< nobody comes: a PE at rest stays so
  kHost   ///< a host can give the next command to PEs at rest
};

/// `flows` nullptr: not known. `name_of` names a place in `why`.
WaitCauses find_causes(const Waits& waits, const Flows* flows, Help help,
                       const std::function<std::string(std::uint32_t)>& name_of);

}  // namespace tessera::observe
