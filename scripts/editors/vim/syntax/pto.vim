" PTO assembly (docs/ascend-platform.md)
if exists("b:current_syntax") | finish | endif
syntax match   ptoOperation  /\<\(pto\|arith\|scf\|func\|memref\|math\|vector\|cf\)\.[a-z_][A-Za-z0-9_.]*/
syntax keyword ptoKeyword    module attributes ins outs iter_args to step else do return
syntax match   ptoType       /![A-Za-z_][A-Za-z0-9_.]*/
syntax match   ptoType       /\<\(index\|i1\|[su]\?i\(4\|8\|16\|32\|64\)\|f16\|bf16\|f32\|f64\)\>/
syntax match   ptoValue      /%[A-Za-z0-9_$.-]\+/
syntax match   ptoSymbol     /@[A-Za-z_][A-Za-z0-9_$.]*/
syntax match   ptoAttribute  /#[A-Za-z_][A-Za-z0-9_.]*/
syntax match   ptoEnum       /<\zs\(PIPE\|EVENT_ID\)_\?[A-Z0-9]*\ze>/
syntax match   ptoNumber     /\<\(0x[0-9A-Fa-f]\+\|\d\+\(\.\d\+\)\?\([eE][+-]\?\d\+\)\?\)\>/
syntax region  ptoString     start=/"/ skip=/\\./ end=/"/ oneline
syntax match   ptoComment    /\/\/.*$/
highlight default link ptoOperation Statement
highlight default link ptoKeyword   Keyword
highlight default link ptoType      Type
highlight default link ptoValue     Identifier
highlight default link ptoSymbol    Function
highlight default link ptoAttribute Special
highlight default link ptoEnum      Constant
highlight default link ptoNumber    Number
highlight default link ptoString    String
highlight default link ptoComment   Comment
setlocal commentstring=//%s
let b:current_syntax = "pto"
