" Comments, indentation, formatting and folding of programs and rule files of irrewrite.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s comments=://
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal iskeyword+=-
if executable('irrewrite')
  let &l:formatprg = 'irrewrite -format'
  let &l:makeprg = expand('%:e') ==# 'rules' ? 'irrewrite -color never -lint -rules %' : 'irrewrite -color never -o /dev/null %'
  setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m
endif
let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< iskeyword< formatprg< makeprg< errorformat<'
