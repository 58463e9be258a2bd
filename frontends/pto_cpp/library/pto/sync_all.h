// SYNCALL (public library; ascend.md 2.8, ascend_2.md 5.1).
#pragma once

#include "pto/comm.h"
#include "pto/pipes.h"

// What marks a kernel as one of the MIX type for the device's loader. A run says it with launch.mix=yes.
#define PTO_SYNCALL_AIV_KERNEL_META(NAME)
#define PTO_SYNCALL_AIC_KERNEL_META(NAME)
#define PTO_SYNCALL_MIX_AIC_KERNEL_META(NAME, AICS, AIVS)

namespace pto {
inline constexpr std::uint16_t SYNC_AIC_FLAG = 11, SYNC_AIV_FLAG = 12, SYNC_AIC_AIV_FLAG = 13, SYNC_AIV_ONLY_ALL = 14, SYNC_FLAG_ID_MAX = 16;

/// All cores of a kind meet, or all cores (ascend.md 2.8). A core of another kind goes on.
template <SyncCoreType Cores = SyncCoreType::AIVOnly>
TSR_INLINE void SYNCALL() {
  constexpr const char* kCores[] = {"<aiv_only>", "<aic_only>", "<mix>"};
  tsr_detail::Operands operands;
  operands.option({"core_type", kCores[static_cast<int>(Cores)]});
  operands.call("pto.syncall");
}
/// The soft form counts in the first word of GM, which starts at 0 and need not be cleared (ascend_2.md 5.1).
template <SyncAllMode Mode, SyncCoreType Cores = SyncCoreType::AIVOnly, class G, class = std::enable_if_t<is_global_data_v<G>>>
TSR_INLINE void SYNCALL(const G& counter, std::int32_t cores = 0) {
  static_assert(sizeof(typename G::RawDType) == 4, "SYNCALL: the counter is of int32");
  if constexpr (Mode == SyncAllMode::Hard) return SYNCALL<Cores>();
  if (Cores == (tsr_detail::kIsCube ? SyncCoreType::AIVOnly : SyncCoreType::AICOnly)) return;
  const std::int64_t blocks = tsr_api->special(tsr_api->self, TSR_BLOCK_COUNT), aivs = get_subblockdim();
  const auto all = cores > 0 ? cores : static_cast<std::int32_t>(Cores == SyncCoreType::Mix ? blocks * (1 + aivs) : Cores == SyncCoreType::AICOnly ? blocks : blocks * aivs);
  auto* const word = reinterpret_cast<std::int32_t*>(const_cast<typename G::RawDType*>(counter.data()));
  pipe_barrier(PIPE_ALL);
  const std::int32_t before = ld_dev(word, 0), target = (before / all + 1) * all;
  tsr_detail::signal_word(word, 1, true, true);
  for (int polls = 0; ld_dev(word, 0) < target;)
    if (++polls == tsr_detail::kMostPolls) tsr_api->fail(tsr_api->self, "SYNCALL: the other cores did not come in 100000 polls");
  pipe_barrier(PIPE_ALL);
}

}  // namespace pto
