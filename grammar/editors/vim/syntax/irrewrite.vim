" Programs (.ir) and rule files (.rules) of irrewrite: one grammar, since the sides of a rule are program text.
if exists('b:current_syntax')
  finish
endif

syntax match  irComment   "//.*$" contains=irTodo,@Spell
syntax keyword irTodo     contained TODO FIXME XXX
syntax region irString    start=+"+ skip=+\\.+ end=+"+ oneline contains=irEscape
syntax match  irEscape    contained "\\\(x\x\x\|.\)"
syntax match  irByte      "'\(\\x\x\x\|\\.\|[^'\\]\)'"
syntax match  irNumber    "\<\d[0-9_]*\(\.\d[0-9_]*\)\?\([eE][+-]\?\d\+\)\?\([iu]\(8\|16\|32\|64\)\|f\(32\|64\)\)\?\>"
syntax match  irNumber    "\<0[xX]\x[0-9a-fA-F_]*\([iu]\(8\|16\|32\|64\)\)\?\>"
syntax match  irNumber    "\<\(inf\|nan\)\(f32\|f64\)\?\>"
syntax keyword irBoolean  true false
syntax match  irFunction  "@[A-Za-z_][A-Za-z0-9_.]*"
syntax match  irValue     "%[A-Za-z0-9_]\+"
syntax match  irMeta      "[?#][A-Za-z_][A-Za-z0-9_]*"
syntax match  irOperation "\<[A-Za-z_][A-Za-z0-9_.]*\ze[[(]"
syntax match  irType      "\<[A-Za-z_][A-Za-z0-9_.]*\ze\[[^][()|\"]*\]\((\)\@!"
syntax match  irRule      "^\s*\zs[A-Za-z_][A-Za-z0-9_.-]*\ze:\s"
syntax keyword irType     bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 unit ref mut
syntax keyword irControl  if else while do for return then fold
syntax keyword irKeyword  func local extern struct pure
syntax keyword irKeyword  import type class op rules fact normalize phase strategy test target syntax model cost analysis
syntax keyword irKeyword  where at after in of as ordered inexact ends costs prints rec not or
syntax keyword irTrait    total partial commutative associative idempotent approximate io allocates hot cold combines optional
syntax keyword irTrait    infix prefix cpp cuda carries tests indexes counts invariant agrees
syntax match  irTrait     "\<\(reads\|writes\|overwrites\|element\|aliases\|contains\|extracts\|copies\|guards\|identity\)\ze([0-9a-z., -]*)\(\s\|$\)"
syntax match  irTrait     "\<length\ze\(\s\|$\)"
syntax match  irArrow     "=>\|->\|<+\|\.\.\."

highlight default link irComment   Comment
highlight default link irTodo      Todo
highlight default link irString    String
highlight default link irEscape    SpecialChar
highlight default link irByte      Character
highlight default link irNumber    Number
highlight default link irBoolean   Boolean
highlight default link irFunction  Function
highlight default link irValue     Identifier
highlight default link irMeta      Special
highlight default link irOperation Function
highlight default link irRule      Label
highlight default link irType      Type
highlight default link irControl   Conditional
highlight default link irKeyword   Keyword
highlight default link irTrait     StorageClass
highlight default link irArrow     Operator

let b:current_syntax = 'irrewrite'
