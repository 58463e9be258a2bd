" CSL (docs/csl.md)
if exists("b:current_syntax") | finish | endif
syntax keyword cslKeyword    and anytype asm break comptime const continue else enum export extern fn for if inline noinline or param return struct switch task undefined union var while
syntax keyword cslBoolean    true false
syntax keyword cslType       bool void i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 cb16 f32 comptime_int comptime_float comptime_string comptime_struct color type direction
syntax match   cslBuiltin    /@[A-Za-z_][A-Za-z0-9_]*/
syntax match   cslNumber     /\<\(0x[0-9A-Fa-f]\+\|0b[01]\+\|\d\+\(\.\d\+\)\?\([eE][+-]\?\d\+\)\?\)\>/
syntax region  cslString     start=/"/ skip=/\\./ end=/"/ oneline
syntax match   cslCharacter  /'\(\\.\|[^'\\]\)\+'/
syntax match   cslComment    /\/\/.*$/
highlight default link cslKeyword   Keyword
highlight default link cslBoolean   Boolean
highlight default link cslType      Type
highlight default link cslBuiltin   Function
highlight default link cslNumber    Number
highlight default link cslString    String
highlight default link cslCharacter Character
highlight default link cslComment   Comment
setlocal commentstring=//%s
let b:current_syntax = "csl"
