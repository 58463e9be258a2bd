// What memories hold, for checkpoints (models/state/archive.h).
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "models/cluster/memory/cluster_data.h"
#include "models/cluster/memory/gm_core.h"
#include "models/cluster/messages_state.h"

namespace tessera::cluster {

void L2Directory::visit(state::Archive& archive) {
  archive.same(sets_.size(), "the number of sets of L2");
  for (Set& set : sets_) archive(set);
  for (Way& way : ways_) archive(way);
  archive(filled_, dirty_, owes_, owed_);
}

void GmCore::visit(state::Archive& archive) {
  arriving_.sort(by_place);
  archive(arriving_, active_, words_, l2_, now_, changed_, bytes_read_, bytes_written_, behind_,
          behind_rate_);
}

void Memory::visit(state::Archive& archive, Cycle next) {
  if (archive.saving()) settle(next - 1);
  // Zeros at the end are there or not by who has looked. What is restored has room behind the last byte: no element ends early.
  const auto end =
      std::find_if(bytes_.rbegin(), bytes_.rend(), [](std::byte b) { return b != std::byte{0}; });
  const std::size_t size = archive.count(static_cast<std::size_t>(bytes_.rend() - end));
  if (archive.loading()) bytes_.assign(size + sizeof(std::uint64_t), {});
  archive.block(bytes_.data(), size);
  archive(writes_, lost_);
}

void ClusterData::visit(state::Archive& archive, Cycle next) {
  archive.same(gm_.size(), "the number of arrays");
  for (Array& array : gm_) {
    array.memory.visit(archive, next);
    archive(array.is_bound, array.is_written, array.is_read, array.size, array.shape,
            array.written);
  }
  archive.same(buffers_.size(), "the number of buffers");
  for (Memory& buffer : buffers_) buffer.visit(archive, next);
  if (archive.saving()) {
    held_.settle(next);
    printed_ = printed();
  }
  archive(held_, printed_, has_guessed_);
}

}  // namespace tessera::cluster
