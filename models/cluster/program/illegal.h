// Ids of what programs do that the documents forbid or leave undefined (reference ascend.md 2, 7).
// What can be seen in the text is refused when the program is loaded (UserError); what depends on
// registers or on other cores stops the run at the instruction (IllegalBehaviour).
#pragma once

namespace tessera::cluster {

inline constexpr const char* kProfileId = "/tessera/cluster/profile";            ///< 2.1
inline constexpr const char* kPipeId = "/tessera/cluster/pipe";                  ///< 1.2, 2.6
inline constexpr const char* kPairId = "/tessera/cluster/pair";                  ///< 1.2
inline constexpr const char* kIdRangeId = "/tessera/cluster/id_range";           ///< 2.1
inline constexpr const char* kUnreachableId = "/tessera/cluster/unreachable";    ///< 2.7
inline constexpr const char* kLaunchId = "/tessera/cluster/launch";              ///< 2.6 rule 7
inline constexpr const char* kDoubleSetId = "/tessera/cluster/double_set";       ///< 2.2
inline constexpr const char* kOverflowId = "/tessera/cluster/counter_overflow";  ///< 2.6 rule 4
inline constexpr const char* kBufferLockId = "/tessera/cluster/buffer_lock";     ///< 2.4
inline constexpr const char* kFftsId = "/tessera/cluster/ffts_base";             ///< 2.6 rule 10
inline constexpr const char* kUnitFlagId = "/tessera/cluster/unit_flag";         ///< 2.5
inline constexpr const char* kSizeId = "/tessera/cluster/size";  ///< sizes, modes, registers, jumps
inline constexpr const char* kAccessId = "/tessera/cluster/access";  ///< 1.3
inline constexpr const char* kScalarId = "/tessera/cluster/scalar";  ///< division by zero
inline constexpr const char* kControlId = "/tessera/cluster/control_registers";  ///< 7
inline constexpr const char* kTrapId = "/tessera/cluster/trap";                  ///< kTrap

}  // namespace tessera::cluster
