// .npy files as numpy writes them. The headers below are those of numpy 1.24.
#include "platforms/data/npy.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of_text(const std::string& text) {
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// A file of version `major`.0 with this dictionary, padded as numpy does, and this data.
Bytes file_of(const std::string& dictionary, const std::string& data, char major = 1) {
  std::string header = dictionary;
  const std::size_t prefix = major == 1 ? 10 : 12;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += major;
  text += '\0';
  text += static_cast<char>(header.size() & 0xFF);
  text += static_cast<char>(header.size() >> 8);
  if (major != 1) text.append(2, '\0');
  return bytes_of_text(text + header + data);
}

const std::string kCounting("\x00\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00", 12);  // 0..5 as <i2
const std::string kMatrix = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";

std::vector<double> elements(const HostArray& array) {
  std::vector<double> result;
  for (std::size_t i = 0; i < array.size(); ++i) result.push_back(array.at(i));
  return result;
}
std::string problem_of(const Bytes& bytes) {
  try {
    parse_npy(bytes, "A.npy");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}
std::string header_problem(const std::string& dictionary) {
  return problem_of(file_of(dictionary, kCounting));
}

using V = std::vector<double>;

TEST(DataNpy, ReadsCOrder) {
  const HostArray array = parse_npy(file_of(kMatrix, kCounting), "A.npy");
  EXPECT_EQ(array.dtype, DType::kI16);
  EXPECT_EQ(array.shape, (Shape{2, 3}));
  EXPECT_EQ(elements(array), (V{0, 1, 2, 3, 4, 5}));
}
TEST(DataNpy, ReadsFortranOrder) {
  const HostArray array = parse_npy(
      file_of("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }", kCounting), "A.npy");
  EXPECT_EQ(elements(array), (V{0, 2, 4, 1, 3, 5}));
}
TEST(DataNpy, ReadsFortranOrderOfRank3) {
  const HostArray array = parse_npy(
      file_of("{'descr': '<i2', 'fortran_order': True, 'shape': (1, 3, 2), }", kCounting), "A.npy");
  EXPECT_EQ(elements(array), (V{0, 3, 1, 4, 2, 5}));
}
TEST(DataNpy, ReadsLargeArraysInFortranOrder) {
  const Shape shape = {37, 3, 2, 70};  // several blocks of the first and the last index
  HostArray fortran = HostArray::zeros(DType::kI32, shape);
  std::vector<double> expected(fortran.size());
  for (std::size_t a = 0, c_order = 0; a < 37; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t c = 0; c < 2; ++c) {
        for (std::size_t d = 0; d < 70; ++d, ++c_order) {
          expected[c_order] = static_cast<double>(c_order);
          fortran.set(a + 37 * (b + 3 * (c + 2 * d)), expected[c_order]);
        }
      }
    }
  }
  const std::string data(reinterpret_cast<const char*>(fortran.bytes.data()), fortran.bytes.size());
  const HostArray array = parse_npy(
      file_of("{'descr': '<i4', 'fortran_order': True, 'shape': (37, 3, 2, 70), }", data), "A.npy");
  EXPECT_EQ(elements(array), expected);
}
TEST(DataNpy, ReadsVersion2) {
  EXPECT_EQ(elements(parse_npy(file_of(kMatrix, kCounting, 2), "A.npy")), (V{0, 1, 2, 3, 4, 5}));
}
TEST(DataNpy, ReadsScalarsVectorsAndEmptyArrays) {
  EXPECT_EQ(parse_npy(file_of("{'descr': '<i2', 'fortran_order': False, 'shape': (), }",
                              kCounting.substr(2, 2)),
                      "")
                .at(0),
            1);
  EXPECT_EQ(
      parse_npy(file_of("{'descr': '<i2', 'fortran_order': False, 'shape': (6,), }", kCounting), "")
          .shape,
      Shape{6});
  EXPECT_EQ(
      parse_npy(file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7), }", ""), "")
          .size(),
      0U);
}
TEST(DataNpy, ReadsEveryDtype) {
  for (const auto& [descr, dtype] :
       std::vector<std::pair<std::string, DType>>{{"<f2", DType::kF16},
                                                  {"<f4", DType::kF32},
                                                  {"<f8", DType::kF64},
                                                  {"<i2", DType::kI16},
                                                  {"<u2", DType::kU16},
                                                  {"<i4", DType::kI32},
                                                  {"<u4", DType::kU32},
                                                  {"<i8", DType::kI64},
                                                  {"|i1", DType::kI8},
                                                  {"|u1", DType::kU8}}) {
    const std::string header =
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }";
    const HostArray array = parse_npy(file_of(header, std::string(bytes_of(dtype), '\0')), "");
    EXPECT_EQ(array.dtype, dtype);
  }
}
TEST(DataNpy, WritesWhatNumpyWrites) {
  HostArray array{DType::kI16, {2, 3}, bytes_of_text(kCounting)};
  EXPECT_EQ(format_npy(array), file_of(kMatrix, kCounting));
  EXPECT_EQ(format_npy(array).size(), 128U + 12U);  // as numpy.save
}
TEST(DataNpy, WritesF16AsNumpyDoes) {
  HostArray array = HostArray::zeros(DType::kF16, {2, 3});
  for (std::size_t i = 0; i < 6; ++i) array.set(i, static_cast<double>(i));
  const std::string elements("\x00\x00\x00\x3C\x00\x40\x00\x42\x00\x44\x00\x45", 12);
  EXPECT_EQ(format_npy(array),
            file_of("{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }", elements));
}
TEST(DataNpy, ReadsBackWhatItWrites) {
  const tessera::test::TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  HostArray array = HostArray::zeros(DType::kF32, {3, 1, 2});
  for (std::size_t i = 0; i < array.size(); ++i) array.set(i, 0.5 * static_cast<double>(i));
  write_npy(path, array);
  const HostArray again = read_npy(path);
  EXPECT_EQ(again.dtype, array.dtype);
  EXPECT_EQ(again.shape, array.shape);
  EXPECT_EQ(again.bytes, array.bytes);
}

TEST(DataNpyDiagnostics, ShortFileNamesTheBytes) {
  EXPECT_EQ(problem_of(file_of(kMatrix, kCounting.substr(0, 10))),
            "A.npy: the file is too short: 12 bytes of i16 elements of shape (2, 3) are expected, "
            "but 10 are present");
}
TEST(DataNpyDiagnostics, TrailingData) {
  EXPECT_EQ(problem_of(file_of(kMatrix, kCounting + "xy")),
            "A.npy: data follows the last element: 12 bytes of i16 elements of shape (2, 3) are "
            "expected, but 14 are present");
}
TEST(DataNpyDiagnostics, WrongMagic) {
  EXPECT_EQ(
      problem_of(bytes_of_text("PK\x03\x04 and so on")),
      "A.npy: is not a .npy file; it starts with \"PK?? a\" instead of the magic \"\\x93NUMPY\"");
  EXPECT_EQ(problem_of({}),
            "A.npy: is not a .npy file; it starts with \"\" instead of the magic \"\\x93NUMPY\"");
}
TEST(DataNpyDiagnostics, OnlyTheMagic) {
  EXPECT_EQ(problem_of(bytes_of_text("\x93NUMPY\x01")),
            "A.npy: the file is too short: a .npy file has at least 10 bytes, but 7 are present");
}
TEST(DataNpyDiagnostics, ShortHeader) {
  EXPECT_EQ(problem_of(bytes_of_text(std::string("\x93NUMPY\x01\0\x76\0{", 11))),
            "A.npy: the file is too short: 118 bytes of header are expected, but 1 are present");
}
TEST(DataNpyDiagnostics, UnknownVersion) {
  EXPECT_EQ(problem_of(file_of(kMatrix, kCounting, 3)),
            "A.npy: the .npy format version is 3.0; versions 1.0 and 2.0 are read");
}
const std::string kAllowed = "; little endian dtypes are allowed: <f2 (f16) <f4 (f32) <f8 (f64) "
                             "<i2 (i16) <u2 (u16) <i4 (i32) <u4 (u32) <i8 (i64) |i1 (i8) |u1 (u8) <u8 (u64)";
TEST(DataNpyDiagnostics, BigEndian) {
  EXPECT_EQ(header_problem("{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }"),
            "A.npy: the dtype \">f4\" is big endian" + kAllowed);
}
TEST(DataNpyDiagnostics, UnknownDtype) {
  EXPECT_EQ(header_problem("{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }"),
            "A.npy: unknown dtype \"<c8\"" + kAllowed);
  EXPECT_EQ(header_problem("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }"),
            "A.npy: the dtype is a record with fields" + kAllowed);
}
TEST(DataNpyDiagnostics, HeaderMalformed) {
  EXPECT_EQ(header_problem("{'fortran_order': False, 'shape': (3,), }"),
            "A.npy: the header of the .npy file has no \"descr\"");
  EXPECT_EQ(header_problem("{'descr': '<i2', 'fortran_order': 0, 'shape': (3,), }"),
            "A.npy: the header of the .npy file is malformed at its character 35: fortran_order is "
            "True or False, found \"0, 'shape': (3,), }\"");
  EXPECT_EQ(header_problem("{'descr': '<i2', 'fortran_order': False, 'shape': (-3,), }"),
            "A.npy: the header of the .npy file is malformed at its character 52: a dimension is "
            "expected, found \"-3,), }\"");
  EXPECT_EQ(header_problem("{'descr': '<i2', 'order': 0}"),
            "A.npy: the header of the .npy file is malformed at its character 18: unknown key "
            "\"order\"; descr, fortran_order and shape are allowed");
}
TEST(DataNpyDiagnostics, ShapeBeyondMemory) {
  EXPECT_EQ(header_problem(
                "{'descr': '<i2', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"),
            "A.npy: i16 elements of shape (4294967296, 4294967296) do not fit in memory");
  EXPECT_EQ(header_problem(
                "{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999999999999,), }"),
            "A.npy: the header of the .npy file is malformed at its character 71: a dimension does "
            "not fit in 64 bits");
}
TEST(DataNpyDiagnostics, FilesThatCannotBeOpened) {
  for (const auto& [path, expected] : std::vector<std::pair<std::string, std::string>>{
           {"/nonexistent/a.npy",
            "/nonexistent/a.npy: the .npy file cannot be opened: No such file or directory"},
           {"/", "/: is a folder; a .npy file is expected"}}) {
    try {
      read_npy(path);
      FAIL() << "accepted";
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(), expected);
    }
  }
}

// Whatever the bytes are, reading ends in an array of the size its shape says or in a UserError.
TEST(DataNpyFuzz, OnlyUserErrorsEscape) {
  unsigned accepted = 0;
  const Bytes seeds[] = {
      file_of(kMatrix, kCounting),
      file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 1), }", kCounting, 2)};
  for (unsigned i = 0; i < 40000; ++i) {
    std::mt19937 random(i);
    Bytes bytes = seeds[i % 2];
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      // The first 80 bytes hold everything that is interpreted. Every random number is drawn in a
      // statement of its own: the order of evaluation would be up to the compiler.
      const std::size_t reach = random() % 4 != 0 ? 80 : bytes.size();
      const std::size_t at = random() % std::min(bytes.size(), reach);
      const unsigned kind = random() % 8;
      const auto any = static_cast<std::byte>(random() % 256);
      const auto likely = static_cast<std::byte>("0123456789(),'<>{} fiu"[random() % 22]);
      if (kind == 0) {
        bytes.resize(at + 1);
      } else if (kind == 1) {
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), any);
      } else {
        bytes[at] = kind < 5 ? likely : any;
      }
    }
    try {
      const HostArray array = parse_npy(bytes, "f");
      ASSERT_EQ(array.bytes.size(), element_count(array.shape) * bytes_of(array.dtype));
      ++accepted;
    } catch (const UserError&) {
    } catch (const std::exception& error) {
      FAIL() << "seed " << i << ": " << error.what();
    }
  }
  EXPECT_GT(accepted, 200U);
}

}  // namespace
}  // namespace tessera::data
