// How what the blocks of a cluster send each other is saved and restored (models/state/archive.h).
#pragma once

#include "models/state/archive.h"
#include "tlm_ifaces/sync/signal.h"
#include "tlm_ifaces/transfer/transfer.h"

namespace tessera::state {

inline void visit_state(Archive& archive, sync::CoreId& core) {
  archive(core.cluster, core.unit);
}
inline void visit_state(Archive& archive, sync::Request& request) {
  archive(request.operation, request.mode, request.pipe, request.id, request.core, request.tag);
}
inline void visit_state(Archive& archive, sync::Answer& answer) {
  archive(answer.verdict, answer.reason, answer.request);
}
inline void visit_state(Archive& archive, transfer::Place& place) {
  archive(place.first, place.stride, place.rows, place.row_bytes);
}
inline void visit_state(Archive& archive, transfer::Transfer& t) {
  archive(t.core, t.pipe, t.bytes, t.gm_bytes, t.gm_bytes_cold, t.place, t.rate_limit, t.latency,
          t.device, t.link, t.access, t.address, t.value);
}
inline void visit_state(Archive& archive, transfer::Done& done) {
  archive(done.core, done.pipe, done.value, done.hit_bytes, done.late);
}

}  // namespace tessera::state
