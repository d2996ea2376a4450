autocmd BufNewFile,BufRead *.ir    set filetype=irrewrite
autocmd BufNewFile,BufRead *.rules set filetype=irrewrite
