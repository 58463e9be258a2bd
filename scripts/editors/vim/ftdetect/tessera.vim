" Languages of programs that Tessera runs.
autocmd BufNewFile,BufRead *.tasm setfiletype tasm
autocmd BufNewFile,BufRead *.csl  setfiletype csl
autocmd BufNewFile,BufRead *.pto  setfiletype pto
