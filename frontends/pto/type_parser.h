// Types and attributes of PTO text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontends/pto/lexer.h"

namespace tessera::pto {

class TypeParser {
 public:
  explicit TypeParser(TokenCursor& cursor) : cursor_(cursor) {}

  /// `!name = TYPE` at the start of a file.
  void parse_alias();
  Type parse_type();
  /// Whether a word begins a type.
  static bool begins_type(const std::string& word);
  /// One or more types, with commas between.
  std::vector<Type> parse_types();
  /// `(T, T)`, which may be empty.
  std::vector<Type> parse_type_list();
  /// { -> T } or { -> (T, T) }.
  std::vector<Type> parse_results();
  /// `{key = value, key}`, added to `attributes`.
  void parse_attributes(std::vector<Attribute>& attributes);
  /// Words up to a comma or a closing bracket that is not theirs; blanks only between two words.
  std::string parse_raw();
  /// A number with its sign. `token` is for the place.
  std::int64_t parse_integer();

 private:
  static constexpr unsigned kMostPointers = 16;
  Type parse_named(const Token& name);
  Type parse_pointer(const Place& place);  ///< at its <
  Type parse_tile(const Place& place);     ///< at its <
  Type parse_opaque(const Token& name);
  Type parse_register(const Token& name);
  Type parse_shaped(Type::Kind kind, const Place& place);  ///< at its <: <16x?xf32 ..>
  Token shape_token(Token token);
  void make_tile(Type& type);
  void parse_shape(const Token& token, Type& type);
  void parse_tile_entry(Type& type);
  void parse_valid(Type& type);
  std::int64_t parse_size(const std::string& key);
  void parse_option(Type& type);
  void parse_rest(Type& type);

  TokenCursor& cursor_;
  std::map<std::string, Type> aliases_;
  unsigned pointers_ = 0;  // the pointer types around the type that is being parsed
};

}  // namespace tessera::pto
