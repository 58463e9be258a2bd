// How the elements of a host array become wavelets of a stream and back (docs/layout.md).
#include "platforms/wse/host_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

using namespace tessera;
using testing::ElementsAre;
using wse::HostStream;

namespace {

HostStream stream_of(std::size_t elements_per_tile, std::size_t elements_per_wavelet) {
  HostStream stream;
  stream.elements_per_tile = elements_per_tile;
  stream.elements_per_wavelet = elements_per_wavelet;
  return stream;
}

data::HostArray numbered(data::DType dtype, std::size_t count) {
  data::HostArray array = data::HostArray::zeros(dtype, {count});
  for (std::size_t i = 0; i < count; ++i) array.set_bits(i, 0xA000 + i);
  return array;
}

}  // namespace

TEST(WseHostStreams, TheFirstOfTwo16BitElementsIsTheLowHalf) {  // wse.md 5.10
  const data::HostArray array = numbered(data::DType::kF16, 8);
  EXPECT_THAT(wse::pack(stream_of(4, 2), array, 0), ElementsAre(0xA001A000U, 0xA003A002U));
  EXPECT_THAT(wse::pack(stream_of(4, 2), array, 1), ElementsAre(0xA005A004U, 0xA007A006U));
}

TEST(WseHostStreams, AnOddLastElementOfAPieceIsAlone) {
  const data::HostArray array = numbered(data::DType::kU16, 6);
  EXPECT_EQ(stream_of(3, 2).wavelets_per_tile(), 2U);
  EXPECT_THAT(wse::pack(stream_of(3, 2), array, 0), ElementsAre(0xA001A000U, 0xA002U));
  EXPECT_THAT(wse::pack(stream_of(3, 2), array, 1), ElementsAre(0xA004A003U, 0xA005U));
}

TEST(WseHostStreams, OneElementAWaveletIsInTheLowHalf) {
  data::HostArray array = data::HostArray::zeros(data::DType::kI16, {2});
  array.set(0, -1);
  array.set(1, 2);
  EXPECT_THAT(wse::pack(stream_of(2, 1), array, 0), ElementsAre(0xFFFFU, 2U));
}

TEST(WseHostStreams, UnpackPutsElementsWherePackTookThem) {
  for (const std::size_t per_wavelet : {1U, 2U}) {
    const HostStream stream = stream_of(5, per_wavelet);
    const data::HostArray array = numbered(data::DType::kF16, 15);
    data::HostArray back = data::HostArray::zeros(data::DType::kF16, {15});
    for (std::size_t tile = 0; tile < 3; ++tile) {
      const std::vector<std::uint32_t> payloads = wse::pack(stream, array, tile);
      ASSERT_EQ(payloads.size(), stream.wavelets_per_tile());
      for (std::size_t n = 0; n < payloads.size(); ++n) {
        wse::unpack(stream, tile, n, payloads[n], back);
      }
    }
    EXPECT_EQ(back.bytes, array.bytes) << per_wavelet;
  }
}

TEST(WseHostStreams, TheUpperHalfOfAnOddLastWaveletIsIgnored) {
  data::HostArray array = data::HostArray::zeros(data::DType::kU16, {6});
  wse::unpack(stream_of(3, 2), 0, 1, 0x12345678, array);
  EXPECT_EQ(array.at(2), 0x5678);
  EXPECT_EQ(array.at(3), 0);  // belongs to the next tile
}
