// The table of types of each machine (frontends/pto/machine_types.h), against what the lowering takes.
#include "frontends/pto/machine_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::machine_types_test {
namespace {

using cluster::Profile;
using E = cluster::Element;
using testing::HasSubstr;

const std::vector<E> kElements = {E::kI8,  E::kU8,  E::kI16, E::kU16,  E::kI32,  E::kU32,
                                  E::kI64, E::kF16, E::kF32, E::kBf16, E::kE4m3, E::kE5m2};

std::string tile(char name, const std::string& shape, E element) {
  return std::string("%") + name + " = pto.alloc_tile : !pto.tile_buf<vec, " + shape + "x" +
         cluster::to_string(element) + ">\n";
}

/// What is said of an operation on tiles `a`, `b` .. of `types`, the last of which is the result: "" if it is taken.
std::string message_of(const std::string& name, const std::vector<E>& types, Profile profile,
                       const std::string& shape = "8x64", bool has_number = false) {
  std::string body, names, kinds, result, kind;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const char letter = static_cast<char>('a' + i);
    body += tile(letter, shape, types[i]);
    const std::string type =
        "!pto.tile_buf<vec, " + shape + "x" + std::string(cluster::to_string(types[i])) + ">";
    if (i + 1 == types.size()) {
      result = std::string("%") + letter, kind = type;
      break;
    }
    names += (i == 0 ? "%" : ", %") + std::string(1, letter);
    kinds += (i == 0 ? "" : ", ") + type;
  }
  if (has_number) {
    const bool real = is_float(types.back());
    const std::string type = real ? "f32" : "i32";
    body += "%n = arith.constant " + std::string(real ? "1.0" : "1") + " : " + type + "\n";
    names += (names.empty() ? "" : ", ") + std::string("%n");
    kinds += (kinds.empty() ? "" : ", ") + type;
  }
  const std::string text =
      "module {\n  func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n" +
      body + name + " ins(" + names + " : " + kinds + ") outs(" + result + " : " + kind +
      ")\n  return }\n}\n";
  LowerOptions options;
  options.profile = profile;
  try {
    lower(parse(text, "k.pto"), options);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

constexpr Profile kProfiles[] = {Profile::kA2A3, Profile::kA5};

TEST(MachineTypes, ATypeIsRefusedIfTheTableLacksIt) {
  struct Form {
    std::vector<const char*> names;
    std::size_t tiles;
    bool has_number;
  };
  const std::vector<Form> forms = {
      {{"pto.tadd", "pto.tsub", "pto.tmul", "pto.tdiv", "pto.tmax", "pto.tmin", "pto.trem",
        "pto.tfmod", "pto.tpow", "pto.tshl", "pto.tshr", "pto.tpartadd", "pto.tpartmul"},
       3,
       false},
      {{"pto.texp", "pto.tsqrt", "pto.tneg", "pto.tabs", "pto.trelu", "pto.tfillpad"}, 2, false},
      {{"pto.tadds", "pto.tmuls", "pto.tmaxs", "pto.tshls", "pto.trems", "pto.tpows"}, 2, true},
      {{"pto.tci", "pto.texpands", "pto.ttri"}, 1, true}};
  for (const Form& form : forms)
    for (const std::string name : form.names)
      for (const Profile profile : kProfiles)
        for (const E e : kElements) {
          const OperationTypes* types = types_of_operation(name);
          ASSERT_NE(types, nullptr) << name;
          const bool taken = (profile == Profile::kA5 ? types->a5 : types->a2a3).has(e);
          const std::string said =
              message_of(name, std::vector<E>(form.tiles, e), profile, "8x64", form.has_number);
          EXPECT_EQ(said.find("works on") == std::string::npos, taken)
              << name << " of " << cluster::to_string(e) << ": " << said;
        }
}

TEST(MachineTypes, TypesOfTwoTilesBelongTogether) {
  const auto said = [](const char* name, const std::vector<E>& types, Profile profile) {
    return message_of(name, types, profile, "1x64");
  };
  for (const Profile profile : kProfiles) {
    EXPECT_EQ(said("pto.tscatter", {E::kF32, E::kI32, E::kF32}, profile), "");
    EXPECT_EQ(said("pto.tscatter", {E::kF16, E::kI16, E::kF16}, profile), "");
    EXPECT_THAT(said("pto.tscatter", {E::kF16, E::kI32, E::kF16}, profile),
                HasSubstr("pto.tscatter of f16 has an index of i16 or ui16"));
    EXPECT_THAT(said("pto.tscatter", {E::kF32, E::kU16, E::kF32}, profile),
                HasSubstr("an index of i32 or ui32"));
    EXPECT_EQ(said("pto.taddreluconv", {E::kF32, E::kF32, E::kF16}, profile), "");
    EXPECT_EQ(said("pto.taddreluconv", {E::kI16, E::kI16, E::kI8}, profile), "");
    EXPECT_THAT(said("pto.taddreluconv", {E::kF32, E::kF32, E::kI8}, profile),
                HasSubstr("a result of f16"));
    EXPECT_THAT(said("pto.tsubreluconv", {E::kI32, E::kI32, E::kI8}, profile),
                HasSubstr("works on i16, f16 or f32"));
    EXPECT_EQ(said("pto.tgather", {E::kF32, E::kI32, E::kI32, E::kF32}, profile), "");
  }
  EXPECT_EQ(said("pto.tcvt", {E::kF32, E::kE4m3}, Profile::kA5), "");
  EXPECT_EQ(said("pto.tcvt", {E::kF16, E::kHif8}, Profile::kA5), "");
  EXPECT_THAT(said("pto.tcvt", {E::kF16, E::kE4m3}, Profile::kA5),
              HasSubstr("pto.tcvt of f16 has a result of"));
  EXPECT_THAT(said("pto.tcvt", {E::kE5m2, E::kF16}, Profile::kA5), HasSubstr("a result of f32"));
  EXPECT_THAT(said("pto.tcvt", {E::kF32, E::kE4m3}, Profile::kA2A3), HasSubstr("on A2/A3"));
  EXPECT_EQ(said("pto.tcvt", {E::kI32, E::kF16}, Profile::kA2A3), "");
  EXPECT_THAT(said("pto.tcvt", {E::kI32, E::kF16}, Profile::kA5),
              HasSubstr("pto.tcvt of i32 has a result of ui8, i16, ui16, i64 or f32 on A5"));
  EXPECT_EQ(said("pto.tcvt", {E::kI8, E::kI32}, Profile::kA5), "");
  EXPECT_THAT(said("pto.tcvt", {E::kI8, E::kI32}, Profile::kA2A3),
              HasSubstr("a result of f16 on A2/A3, found a tile of i32"));
  EXPECT_THAT(said("pto.tcvt", {E::kU16, E::kF32}, Profile::kA5), HasSubstr("works on"));
  EXPECT_EQ(said("pto.tgather", {E::kF32, E::kI16, E::kF32}, Profile::kA5), "");
  EXPECT_THAT(said("pto.tgather", {E::kF32, E::kF32, E::kF32}, Profile::kA5),
              HasSubstr("pto.tgather of f32 has an index of i16, ui16, i32 or ui32"));
  EXPECT_THAT(said("pto.tgather", {E::kI64, E::kI16, E::kI64}, Profile::kA5),
              HasSubstr("an index of i32 or ui32 on A5, found a tile of i16"));
}

TEST(MachineTypes, PowersWithHighPrecisionHaveTypesOfTheirOwn) {
  EXPECT_TRUE(types_of_operation("pto.tpow", true)->a5.has(E::kBf16));
  EXPECT_FALSE(types_of_operation("pto.tpow", true)->a5.has(E::kI32));
  EXPECT_FALSE(types_of_operation("pto.tpow")->a5.has(E::kBf16));
  EXPECT_EQ(types_of_operation("pto.tadd", true), types_of_operation("pto.tadd"));
}

// A tile of one row that the scalar unit counts in has the types of the operation, too.
TEST(MachineTypes, CountsOfOneRow) {
  for (const Profile profile : kProfiles) {
    EXPECT_THAT(message_of("pto.tci", {E::kI64}, profile, "1x64", true), HasSubstr("works on i16"));
    EXPECT_EQ(message_of("pto.tci", {E::kI32}, profile, "1x64", true), "");
  }
}

}  // namespace
}  // namespace tessera::pto::machine_types_test
