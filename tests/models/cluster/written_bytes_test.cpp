// Which clusters write which bytes of an array (written_bytes.h).
#include "models/cluster/memory/written_bytes.h"

#include <gtest/gtest.h>

namespace tessera::cluster {
namespace {

/// Rows of f32 in an array: `columns` of them every `stride` elements, from element `first` on.
ResolvedOperand part(std::int64_t first, std::int64_t rows, std::int64_t columns,
                     std::int64_t stride) {
  ResolvedOperand o;
  o.location = Location::kGm;
  o.element = Element::kF32;
  o.dimensions = 2;
  o.sizes = {rows, columns};
  o.strides = {stride, 1};
  o.address = first * 4;
  return o;
}

TEST(WrittenBytes, PartsSideBySideFillAnArray) {
  WrittenBytes bytes;
  // 8 rows of 15 columns: clusters meet inside blocks of 32 bytes.
  bytes.add(part(0, 8, 7, 15), 0, false);
  EXPECT_EQ(bytes.unwritten(8 * 15 * 4)->bytes, 8 * 8 * 4);
  EXPECT_EQ(bytes.unwritten(8 * 15 * 4)->first, 7 * 4);
  bytes.add(part(7, 8, 8, 15), 1, false);
  EXPECT_FALSE(bytes.unwritten(8 * 15 * 4).has_value());
  EXPECT_FALSE(bytes.shared().has_value());
}

TEST(WrittenBytes, ACoreMayWriteAgain) {
  WrittenBytes bytes;
  for (int i = 0; i < 2; ++i) bytes.add(part(3, 2, 1000, 4096), 5, false);
  EXPECT_FALSE(bytes.shared().has_value());
  EXPECT_EQ(bytes.unwritten(16384)->bytes, 16384 - 4000);
}

TEST(WrittenBytes, SharedBytesDoNotDependOnTheOrder) {
  const unsigned orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  for (const auto& order : orders) {
    WrittenBytes bytes;
    for (const unsigned cluster : order) bytes.add(part(cluster * 4L, 1, 12, 12), cluster, false);
    const auto shared = bytes.shared();
    ASSERT_TRUE(shared.has_value());
    EXPECT_EQ(shared->first, 16);       // clusters 0, 1, 2 write elements 0 to 11, 4 to 15, 8 to 19
    EXPECT_EQ(shared->bytes, 12L * 4);  // elements 4 to 15
    EXPECT_EQ(shared->cluster, 0u);
    EXPECT_EQ(shared->other, 1u);
  }
}

TEST(WrittenBytes, ClustersMayAddToTheSameBytes) {
  WrittenBytes bytes;
  bytes.add(part(0, 1, 64, 64), 0, true);
  bytes.add(part(0, 1, 64, 64), 1, true);
  EXPECT_FALSE(bytes.shared().has_value());
  EXPECT_FALSE(bytes.unwritten(256).has_value());
}

}  // namespace
}  // namespace tessera::cluster
