" Tile assembly (docs/tile-programs.md, docs/tile-isa.md)
if exists("b:current_syntax") | finish | endif
syntax match   tasmInstruction  /^\s*\zs[a-z][a-z0-9_.]*\>/
syntax match   tasmLabel        /^\s*\zs[A-Za-z_][A-Za-z0-9_]*\ze:/
syntax match   tasmDeclaration  /^\s*\zs\(param\|const\|half\|data\|string\|queue\|dsd\|fifo\|dsr\|control_table\|main_thread\|routing_registers\|control_transform\|microthread\|rotate\|task\|fn\)\>/
syntax match   tasmDirective    /^\s*\zs\(include\|macro\|endmacro\|repeat\|endrepeat\|if\|else\|endif\)\>/
syntax keyword tasmType         i16 u16 i32 u32 f16 f32
syntax match   tasmRegister     /\<\([rd]\d\+\|s0ds\d\+\|s1ds\d\+\|dds\d\+\|ut\d\+\)\>/
syntax match   tasmOption       /\<[a-z_]\+\ze=[^=]/
syntax match   tasmNumber       /\<\(0x[0-9A-Fa-f]\+\|0b[01]\+\|\d\+\(\.\d\+\)\?\([eE][+-]\?\d\+\)\?\)\>/
syntax region  tasmString       start=/"/ skip=/\\./ end=/"/ oneline
syntax match   tasmComment      /;.*$/
highlight default link tasmInstruction Statement
highlight default link tasmLabel       Label
highlight default link tasmDeclaration Keyword
highlight default link tasmDirective   PreProc
highlight default link tasmType        Type
highlight default link tasmRegister    Identifier
highlight default link tasmOption      Special
highlight default link tasmNumber      Number
highlight default link tasmString      String
highlight default link tasmComment     Comment
setlocal commentstring=;%s
let b:current_syntax = "tasm"
