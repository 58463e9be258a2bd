// What a launch passes is the value that was written, or is refused.
#include "platforms/wse/argument_words.h"

#include <gtest/gtest.h>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {
namespace {

TEST(ArgumentWords, AreTheValuesOfTheirTypes) {
  EXPECT_EQ(argument_word("-3", "i16", "o"), 0xFFFDU);
  EXPECT_EQ(argument_word("65535", "u16", "o"), 0xFFFFU);
  EXPECT_EQ(argument_word("-2147483648", "i32", "o"), 0x80000000U);
  EXPECT_EQ(argument_word("-128", "i8", "o"), 0x80U);
  EXPECT_EQ(argument_word("1", "f16", "o"), 0x3C00U);
  EXPECT_EQ(argument_word("1.5", "bf16", "o"), 0x3FC0U);
  EXPECT_EQ(argument_word("1", "f32", "o"), 0x3F800000U);
  EXPECT_EQ(argument_word("1", "bool", "o"), 1U);
}

TEST(ArgumentWords, NumbersThatLoseSomethingAreRefused) {
  const char* const kMistakes[][2] = {
      {"70000", "i16"}, {"-40000", "i16"},     {"65536", "u16"}, {"-1", "u16"},
      {"2", "bool"},    {"4294967296", "u32"}, {"128", "i8"},    {"1.5", "i16"},
      {"65520", "f16"}, {"2147483648", "i32"}, {"1", "[*]f32"},  {"1e39", "f32"},
      {"4e38", "bf16"}, {"-1e39", "f32"}};
  for (const auto& mistake : kMistakes)
    EXPECT_THROW(argument_word(mistake[0], mistake[1], "o"), UserError)
        << mistake[0] << " as " << mistake[1];
}

TEST(ArgumentWords, WordsHaveTheBitsOfTheirTypes) {
  for (const std::uint32_t word : {0x0U, 0xFFFFU, 0xFFFF8000U, 0xFFFFFFFFU})
    EXPECT_NO_THROW(register_word(word, "i16", "a"));
  for (const std::uint32_t word : {70000U, 0xFFFF7FFFU, 0x3FC00000U})
    EXPECT_THROW(register_word(word, "i16", "a"), UserError);
  EXPECT_THROW(register_word(0xFFFFFFFFU, "u16", "a"), UserError);
  for (const std::uint32_t minus_five : {0xFBU, 0xFFFFFFFBU})
    EXPECT_EQ(register_word(minus_five, "i8", "a") & 0xFFFFU, 0xFFFBU);
  EXPECT_EQ(register_word(0xFB, "u8", "a"), 0xFBU);
  EXPECT_THROW(register_word(0xFFFFFF7FU, "i8", "a"), UserError);
  EXPECT_THROW(register_word(0x3F800000U, "f16", "a"), UserError);
  EXPECT_THROW(register_word(2, "bool", "a"), UserError);
  EXPECT_NO_THROW(register_word(0xFFFFFFFFU, "f32", "a"));
  EXPECT_NO_THROW(register_word(0xFFFFFFFFU, "i32", "a"));
}

}  // namespace
}  // namespace tessera::wse
