#include "frontends/pto/operation_parser.h"

#include <algorithm>
#include <string>

namespace tessera::pto {

namespace {

using Kind = Token::Kind;
using Role = Argument::Role;
constexpr unsigned kMostRegions = 64;  // inside each other

}  // namespace

Region OperationParser::parse_region() {
  if (++depth_ > kMostRegions)
    cursor_.fail(cursor_.place(),
                 "more than " + std::to_string(kMostRegions) + " regions inside each other");
  Region region;
  cursor_.expect("{");
  if (cursor_.peek().kind == Kind::kBlock) {
    cursor_.take();
    if (cursor_.peek().is("(")) region.parameters = parse_parameters();
    cursor_.expect(":");
  }
  while (!cursor_.accept("}")) region.operations.push_back(parse_operation());
  --depth_;
  return region;
}

Operation OperationParser::parse_operation() {
  Operation op;
  if (cursor_.peek().kind == Kind::kValue) parse_results(op);
  if (cursor_.peek().kind != Kind::kWord) cursor_.fail_expected("an operation or '}'");
  op.place = cursor_.place();
  op.name = cursor_.take().text;
  const OperationInfo* info = find_operation(op.name);
  if (info == nullptr && takes_unknown_ && op.name.find('.') != std::string::npos) {
    parse_unknown(cursor_, op);
    return op;
  }
  if (info == nullptr)
    cursor_.fail(op.place, "unknown operation " + text::quoted(op.name) +
                               nearest_operation(op.name) +
                               "; docs/ascend-platform.md lists what is taken; --pto-unknown=cost:N runs "
                               "what is not as N cycles");
  OperandParser parts{cursor_, types_, op};
  if (!parse_regions(parts, info->form)) parse_form(parts, info->form);
  parts.attributes();
  skip_location();
  check_counts(op, *info);
  return op;
}

void OperationParser::parse_results(Operation& op) {
  do {
    const Token& name = cursor_.expect_kind(Kind::kValue, "a value such as %a");
    Result result{name.place, name.text, 1};
    if (cursor_.accept(":")) {
      const Place place = cursor_.place();
      const std::int64_t count = types_.parse_integer();
      if (count < 1 || count > 64) cursor_.fail(place, "a number of results outside 1..64");
      result.count = static_cast<unsigned>(count);
    }
    op.results.push_back(std::move(result));
  } while (cursor_.accept(","));
  cursor_.expect("=");
}

std::vector<Parameter> OperationParser::parse_parameters() {
  std::vector<Parameter> list;
  cursor_.expect("(");
  if (cursor_.accept(")")) return list;
  do {
    Parameter p;
    p.place = cursor_.place();
    if (cursor_.peek().kind == Kind::kValue) {
      p.name = cursor_.take().text;
      cursor_.expect(":");
    }
    p.type = types_.parse_type();
    std::vector<Attribute> unused;
    if (cursor_.peek().is("{")) types_.parse_attributes(unused);
    skip_location();
    list.push_back(std::move(p));
  } while (cursor_.accept(","));
  cursor_.expect(")");
  return list;
}

void OperationParser::skip_location() {
  if (!cursor_.peek().is_word("loc") || !cursor_.peek(1).is("(")) return;
  cursor_.take();
  unsigned depth = 0;
  do {
    const Token& token = cursor_.take();
    if (token.kind == Kind::kEnd) cursor_.fail_expected("')'");
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
  } while (depth > 0);
}

bool OperationParser::parse_regions(OperandParser& p, Form form) {
  switch (form) {
  case Form::kFor:
    parse_for(p);
    return true;
  case Form::kIf:
    parse_if(p);
    return true;
  case Form::kSection:
    p.op.regions.push_back(parse_region());
    return true;
  case Form::kWhile:
    parse_while(p);
    return true;
  default:
    return false;
  }
}

void OperationParser::parse_for(OperandParser& p) {
  p.value(Role::kInduction);
  cursor_.expect("=");
  p.value(Role::kOperand);
  cursor_.expect_word("to");
  p.value(Role::kOperand);
  cursor_.expect_word("step");
  p.value(Role::kOperand);
  if (cursor_.accept_word("iter_args")) {
    cursor_.expect("(");
    p.carried();
    cursor_.expect(")");
    p.result_types();
  }
  if (cursor_.accept(":")) p.type();  // a { begins the region
  p.op.regions.push_back(parse_region());
}

void OperationParser::parse_if(OperandParser& p) {
  p.value(Role::kOperand);
  p.result_types();
  p.op.regions.push_back(parse_region());
  if (cursor_.accept_word("else")) p.op.regions.push_back(parse_region());
}

void OperationParser::parse_while(OperandParser& p) {
  if (cursor_.accept("(")) {
    p.carried();
    cursor_.expect(")");
  }
  cursor_.expect(":");
  p.type_list();
  p.result_types();
  p.op.regions.push_back(parse_region());
  cursor_.expect_word("do");
  p.op.regions.push_back(parse_region());
}

void OperationParser::check_counts(const Operation& op, const OperationInfo& info) const {
  std::size_t results = 0;
  for (const Result& r : op.results) results += r.count;
  const bool free = info.form == Form::kFor || info.form == Form::kIf ||
                    info.form == Form::kWhile || info.form == Form::kCall;
  if (!free && info.results != kAnyResults && results != info.results)
    cursor_.fail(op.place, op.name + ": expected " + plural(info.results, "result") + ", found " +
                               std::to_string(results));
  if (free || info.form == Form::kYield || info.form == Form::kCondition ||
      info.form == Form::kConstant)
    return;
  const auto counted = [&info](const Argument& a) {
    if (info.form == Form::kTile) return a.role == Role::kIn;
    return a.role == Role::kOperand || (a.role == Role::kId && info.form == Form::kPipeIds);
  };
  const auto count =
      static_cast<std::size_t>(std::count_if(op.arguments.begin(), op.arguments.end(), counted));
  if (info.form == Form::kFlag || (count >= info.least && count <= info.most)) return;
  const std::string range =
      info.least == info.most ? plural(info.least, "operand")
                              : std::to_string(info.least) + " to " + plural(info.most, "operand");
  cursor_.fail(op.place, op.name + ": expected " + range + ", found " + std::to_string(count));
}

}  // namespace tessera::pto
