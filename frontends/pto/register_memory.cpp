// Instructions on registers that read or write UB: where, and which bytes belong to which lanes.
#include <algorithm>
#include <string>

#include "frontends/pto/register_lowering.h"
#include "frontends/pto/words.h"

namespace tessera::pto {

using cluster::kNoRegister;
using cluster::Packing;
using cluster::RegisterOperation;
using cluster::RegisterUnit;
using RF = cluster::RegisterFunction;

namespace {

constexpr std::uint8_t kGroup = 32;  // a block as a group of a Packing

}  // namespace

void RegisterLowering::memory(const Operation& op, const Operands& o, RegisterOperation& r) {
  if (o.pointer == nullptr) fail(op, "expected a pointer to UB");
  const TileOperand& place = o.pointer->place;
  if (place.location != Location::kUb || place.holder != Holder::kSelf)
    fail(op, place.name, " points to ", to_string(place.location),
         ", expected a pointer to UB, which is all that registers reach");
  const bool stores = r.unit == RegisterUnit::kStore || r.function == RF::kScatter;
  const bool gathers =
      r.function == RF::kGather || r.function == RF::kScatter || r.function == RF::kGatherBlocks;
  const bool masks = r.function == RF::kLoadMask || r.function == RF::kStoreMask;
  // With a pointer as result the access is at the pointer, and the index is what it moves by.
  const bool moves = std::any_of(op.result_types.begin(), op.result_types.end(),
                                 [](const Type& t) { return t.kind == Type::Kind::kPointer; });
  r.address = place.address;
  const std::int64_t width = std::max(1U, cluster::bits_of(place.element) / 8);
  if (!moves) r.address.add(o.index, step_of(op, o, width));
  r.operand = code_.operand_of(place.name, stores ? Access::kWrite : Access::kRead);
  if (masks) return mask_memory(op, o, r);
  if (r.function == RF::kStoreSqueezed) {
    r.merges = !o.words.empty() && o.words[0] == "POST_UPDATE";
    return;
  }
  if (r.function == RF::kStoreCounter) return;
  if (gathers) return indices(op, o, r);
  std::string dist = option(op, "dist");
  for (const std::string& word : o.words)
    if (!is_one_of({"POST_UPDATE", "NO_POST_UPDATE"}, word)) dist = word;
  const bool blocks = has_part(op.name, "sldb") || has_part(op.name, "sstb");
  if (blocks && !o.scalars.empty()) {
    r.block_stride = o.scalars[0].scalar;
    // The second stride is where the access begins, or what the pointer moves by.
    if (!moves && o.scalars.size() > 1) r.address.add(o.scalars[1].scalar, kBlockBytes);
  }
  const bool stream = op.name == "pto.vstus";
  if (stream && r.function == RF::kStore) {  // only so many elements are stored
    if (o.scalars.empty()) fail(op, "expected a number of elements");
    r.mask = code_.first_lanes(o.scalars[0], r.lanes, op.place);
  }
  const std::uint32_t groups = groups_of(op);
  if (!blocks && groups > 1 && !o.scalars.empty() && r.lanes % groups == 0) {  // rows of lanes
    r.run = r.lanes / groups;
    r.block_stride = o.scalars[0].scalar;
  }
  if (r.function != RF::kNoValues) distribution(op, dist, r);
  if (r.packing.memory == 0 && has_lane_values(place.element) && r.function != RF::kNoValues &&
      cluster::bits_of(place.element) != cluster::bits_of(r.element)) {
    if (!stores) r.function = RF::kNoValues;
    r.element = place.element;
  }
}

// The index of a gather or scatter is the last register.
void RegisterLowering::indices(const Operation& op, const Operands& o, RegisterOperation& r) const {
  const bool stores = r.function == RF::kScatter;
  if (o.registers.empty() || (stores && o.registers.size() < 2)) fail(op, "expected indices");
  const std::string& index = o.registers.back()->type.element;
  if (!is_one_of({"i16", "ui16", "i32", "ui32"}, index))
    fail(op, "offsets of ", index,
         ", expected whole numbers of 16 or 32 bits, signless or unsigned");
  const Element in_memory = o.pointer->place.element;
  r.sources = {stores ? register_number(*o.registers[0]) : kNoRegister,
               register_number(*o.registers.back()), kNoRegister};
  if (r.function != RF::kGather || cluster::bits_of(in_memory) == cluster::bits_of(r.element))
    return;
  const bool widens = cluster::bits_of(in_memory) == 8 && cluster::bits_of(r.element) == 16 &&
                      !cluster::is_float(r.element);
  if (widens) r.packing.memory = 1;
  if (!widens) r.function = RF::kNoValues;
}

// The bytes of UB that the lanes of a register have.
void RegisterLowering::distribution(const Operation& op, const std::string& dist,
                                    RegisterOperation& r) const {
  const bool stores = r.unit == RegisterUnit::kStore;
  const std::size_t at = dist.rfind("_B");
  const auto bits = at == std::string::npos ? std::nullopt : whole_number(dist.substr(at + 2));
  const auto width = static_cast<std::uint8_t>(bits.value_or(cluster::bits_of(r.element)) / 8);
  const auto half = static_cast<std::uint8_t>(width / 2),
             twice = static_cast<std::uint8_t>(2 * width);
  const bool is_register = std::uint64_t{r.lanes} * cluster::bits_of(r.element) == 2048;
  const auto packed = [&](Packing packing) {
    r.packing = packing;
    if (!is_register || packing.memory == 0) r.function = RF::kNoValues;
  };
  if (r.function == RF::kLoadPair || r.function == RF::kStorePair) {
    const bool known = dist.rfind("DINTLV_B", 0) == 0 || dist.rfind("INTLV_B", 0) == 0;
    packed({dist == "BDINTLV" ? kGroup : known ? width : std::uint8_t{0}, 0});
  } else if (dist.empty() || dist.rfind("NORM", 0) == 0) {
    return;
  } else if (dist == "BRC_BLK") {
    packed({kGroup, kGroup, false, true});
  } else if (dist.rfind("BRC", 0) == 0 || dist.rfind("1PT", 0) == 0 ||
             dist.rfind("ONEPT", 0) == 0) {
    r.every = 0;
    if (stores) r.mask = kNoRegister;  // the first element is stored, whatever the mask says
  } else if (dist.rfind("US_B", 0) == 0) {
    r.every = 2;
  } else if (dist.rfind("DS_B", 0) == 0) {
    r.every = -2;
  } else if (dist == "UNPK4" || dist == "UNPK4_B8") {
    packed({1, 4});
  } else if (dist.rfind("UNPK_B", 0) == 0) {
    packed({width, twice});
  } else if (dist.rfind("E2B_B", 0) == 0) {
    packed({width, kGroup, true});
  } else if (dist.rfind("PK4_B", 0) == 0) {
    packed({static_cast<std::uint8_t>(width / 4), width});
  } else if (dist.rfind("PK_B", 0) == 0) {
    packed({half, width});
  } else {
    r.function = RF::kNoValues;
  }
  if (r.packing.memory != 0 && r.function != RF::kLoadPair && r.function != RF::kStorePair &&
      stores != (dist.rfind("PK", 0) == 0))
    fail(op, dist, " is no distribution of a ", stores ? "store" : "load");
}

/// Bytes that the index counts: an element. Masks and pto.sprsts count bytes, with a constant offset what they move.
std::int64_t RegisterLowering::step_of(const Operation& op, const Operands& o,
                                       std::int64_t width) const {
  if (is_one_of({"pto.plds", "pto.psts", "pto.sprsts"}, op.name)) return 1;
  if (!is_one_of({"pto.pldi", "pto.psti"}, op.name)) return width;
  const bool half = !o.words.empty() && (o.words[0] == "US" || o.words[0] == "PK");
  return kBlockBytes / (half ? 2 : 1);
}

void RegisterLowering::mask_memory(const Operation& op, const Operands& o,
                                   RegisterOperation& r) const {
  const std::string dist = o.words.empty() ? option(op, "dist") : o.words[0];
  r.every = dist == "US" ? 2 : dist == "DS" || dist == "PK" ? -2 : 1;
  const bool stores = r.function == RF::kStoreMask;
  if (!is_one_of({"", "NORM", stores ? "PK" : "US", stores ? "PK" : "DS"}, dist))
    fail(op, dist, " is no distribution of masks");
  if (stores && o.masks.empty()) fail(op, "expected a mask");
  if (stores) r.sources[0] = register_number(*o.masks[0]);
  r.mask = kNoRegister;
}

}  // namespace tessera::pto
