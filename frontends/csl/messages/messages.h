// The ids of the messages of the CSL compiler. docs/csl-errors.md has a section for each, with a wrong and a right program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::csl {

/// What kind of mistake a message is about. A number never changes, and that of a kind that is gone is not used again: scripts
/// and pages refer to it. The hundreds are subjects: text, names, types, compile time, builtins, layouts, exports, tasks, queues,
/// descriptors, operations, registers and memory.
enum class Id : std::uint16_t {
  kCommandLine = 1,
  kSystem = 2,

  kSyntax = 101,
  kToken = 102,
  kNesting = 103,
  kMisplaced = 104,

  kUnknownName = 201,
  kDeclaredTwice = 202,
  kSelfReference = 203,
  kNoValue = 204,
  kNoInitialValue = 205,
  kNoFile = 206,
  kNoMember = 207,
  kMemberTwice = 208,
  kExtern = 209,
  kExportedType = 210,
  kVersions = 211,
  kNotTaken = 212,
  kUnknownParameter = 213,

  kConversion = 301,
  kOperands = 302,
  kNotBool = 303,
  kNotInteger = 304,
  kNotAType = 305,
  kOutOfRange = 306,
  kArithmetic = 307,
  kUndefined = 308,
  kNotAFunction = 309,
  kArgumentCount = 310,
  kIndexCount = 311,
  kIndexOutside = 312,
  kConstant = 313,
  kNoAddress = 314,
  kOtherView = 315,
  kTypeForm = 316,
  kFieldType = 317,
  kFloatFormat = 318,
  kFunctionPointer = 319,

  kNotKnown = 401,
  kComptimeOnly = 402,
  kComptimeChange = 403,
  kComptimeArgument = 404,
  kLimit = 405,
  kAssertion = 406,
  kLabel = 407,
  kSwitchArms = 408,
  kRange = 409,
  kBranches = 410,
  kReturn = 411,
  kNoMemory = 412,
  kPackedPart = 413,
  kFrames = 414,
  kWarningOfProgram = 415,
  kUnknownArchitecture = 416,

  kUnknownBuiltin = 501,
  kBuiltinCount = 502,
  kBuiltinPlace = 503,
  kOtherMachine = 504,
  kOperandType = 505,
  kUnknownOption = 506,
  kOptionType = 507,
  kOptionChoice = 508,
  kJson = 509,
  kConfigRange = 510,
  kConfigAtStart = 511,

  kNoLayout = 601,
  kRectangle = 602,
  kTileCode = 603,
  kSetTwice = 604,
  kFabricSize = 605,
  kColorField = 606,
  kRoute = 607,
  kSwitchPosition = 608,
  kFilter = 609,
  kStreamColor = 610,
  kRoutesField = 611,
  kMachine = 612,

  kExportName = 701,
  kExportType = 702,

  kNotATask = 801,
  kTaskForm = 802,
  kIdTaken = 803,
  kNoTask = 804,
  kActivatedKind = 805,
  kNoEffect = 806,
  kTaskOfColor = 807,
  kNeverStarts = 808,

  kQueueTwice = 901,
  kQueueOption = 902,
  kNoQueue = 903,
  kQueueColor = 904,
  kQueuesTaken = 905,
  kQueueWithoutColor = 906,

  kElementType = 1001,
  kDescriptorField = 1002,
  kDescriptorShape = 1003,
  kDescriptorBase = 1004,
  kTensorAccess = 1005,
  kCircularBuffer = 1006,
  kSimdMode = 1008,
  kOverrun = 1009,

  kNoDescriptor = 1101,
  kOperandDirection = 1102,
  kOperandForms = 1103,
  kElementWidth = 1104,
  kOneInput = 1105,
  kFifoOrder = 1106,
  kAsynchronous = 1107,
  kPriority = 1108,
  kMap = 1109,
  kControlWithoutInput = 1110,

  kFifoBuffer = 1201,
  kFifoRegisters = 1202,
  kRegistersTaken = 1203,
  kStrideRegisters = 1204,
  kLoadOptions = 1205,
  kMemoryFull = 1206,
  kDsrAddress = 1207,
};

struct MessageRow {
  Id id;
  std::string_view name;   ///< the title of its section
  std::string_view about;  ///< the first sentence of its section
};

/// All of them, by number.
const std::vector<MessageRow>& message_rows();
/// Whether the message is about what the compiler does not have or does not do and the running program may: its values, its
/// variables, numbers that wrap around, reads of what has no value, assertions that stop the PE, work without end.
bool may_become_code(Id id);
/// "csl-0201"
std::string to_string(Id id);
/// " [csl-0201]", which ends the first line of a message.
std::string tag(Id id);
/// Whether the first line of a message ends with an id.
bool has_tag(std::string_view message);
/// The section of "csl-0201" or "201" as the page has it. Throws UserError if there is no such id.
std::string explanation(const std::string& id);

}  // namespace tessera::csl
