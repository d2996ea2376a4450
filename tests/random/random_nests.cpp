#include "tests/random/random_nests.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace irrewrite {

namespace {

// `$A` and its like are fresh names. `$f` is an operator, `$less` a relation, `$op` is associative from `$z`.
const Nest of_arrays[] = {
    {"map($xs) { |$A| map($ys) { |$B| $f($A, $B) } }", 2, false, true},
    {"map($xs) { |$A| reduce(map($ys) { |$B| $f($A, $B) }, $z) $op }", 1, false, true},
    {"map($xs) { |$A| scan(map($ys) { |$B| $f($A, $B) }, $z) $op }", 2, false, true},
    {"map($xs) { |$A| len(filter($ys) { |$B| $less($B, $A) }) }", 1, true, true},
    {"flatmap($xs) { |$A| map(filter($ys) { |$B| $less($B, $A) }) { |$C| $f($A, $C) } }", 1, false, false},
    {"reduce(map($xs) { |$A| reduce(map($ys) { |$B| $f($A, $B) }, $z) $op }, $z) $op", 0, false, false},
    {"foldl($xs, $ys) { |$A, $B| map($A) { |$C| $f($C, $B) } }", 1, false, false},
    {"foldl($xs, $ys) { |$A, $B| concat($A, [$B]) }", 1, false, false},
    {"foldl(map($xs) { |$A| $f($A, $A) }, [$z]) { |$B, $C| if(lt(len($B), 3)) { concat($B, [$C]) } else { filter($B) { "
     "|$D| $less($D, $C) } } }",
     1, false, false},
    {"for(3, $xs) { |$I, $A| concat(filter($A) { |$B| $less($z, $B) }, [$z]) }", 1, false, false},
    {"map(scan(map($xs) { |$A| [$A, $z] }, []) {concat}) { |$B| reduce($B, $z) $op }", 1, false, true},
    {"generate(max(sub(len($xs), 2), 0)) { |$I| reduce(slice($xs, $I, add($I, 3)), $z) $op }", 1, false, false},
    {"generate(max(sub(len($xs), 2), 0)) { |$I| reduce(generate(3) { |$J| at($xs, add($I, $J)) }, $z) $op }", 1, false,
     false},
    {"generate(len($xs)) { |$I| reduce(generate($I) { |$J| $f(at($xs, $J), at($xs, $I)) }, $z) $op }", 1, false, true},
    {"generate(len($xs)) { |$I| at($xs, sub(sub(len($xs), 1), $I)) }", 1, false, true},
    {"map($xs) { |$A|\n$E = map($ys) { |$B| $f($A, $B) }\n$T = reduce($E, $z) $op\nmap($E) { |$C| $f($C, $T) } }", 2,
     false, true},
    {"map($xs) { |$A|\n$E = scan(map($ys) { |$B| $f($A, $B) }, $z) $op\nlen(filter($E) { |$B| $less($B, reduce($E, $z) "
     "$op) }) }",
     1, true, true},
    {"reduce(map($xs) { |$A|\n$E = map($ys) { |$B| $f($A, $B) }\nreduce(map($E) { |$C| $f($C, reduce($E, $z) $op) }, "
     "$z) $op }, $z) $op",
     0, false, false},
    {"generate(len($xs)) { |$I| generate(len($ys)) { |$J| $f(at($xs, $I), at($ys, $J)) } }", 2, false, true},
};
const Nest of_matrix[] = {
    {"generate($columns) { |$J| reduce(map($m) { |$A| at($A, $J) }, $z) $op }", 1, false, false},
    {"generate($columns) { |$J| len(filter(map($m) { |$A| at($A, $J) }) { |$B| $less($B, $z) }) }", 1, true, false},
    {"generate($columns) { |$J| generate(len($m)) { |$I| at($m, $I, $J) } }", 2, false, false},
    {"generate($columns) { |$J| map($m) { |$A| len(filter($A) { |$B| eq($B, at($A, $J)) }) } }", 2, true, false},
    {"map($m) { |$A| map($m) { |$B| reduce(map($A, $B) { |$C, $D| $f($C, $D) }, $z) $op } }", 2, false, true},
    {"map($m) { |$A| map($A) { |$B| reduce(map($A) { |$C| $f($B, $C) }, $z) $op } }", 2, false, true},
    {"map($m) { |$A| scan($A, $z) $op }", 2, false, true},
    {"map($m) { |$A| reverse($A) }", 2, false, true},
    {"map(scan($m, []) {concat}) { |$A| len($A) }", 1, true, true},
    {"map($m) { |$A| len(foldl($A, [$z]) { |$B, $C| if($less($C, $z)) { [$C] } else { concat($B, [$C]) } }) }", 1, true,
     true},
    {"map($m) { |$A|\n$E = map($A) { |$B| $f($B, $B) }\n$T = reduce($E, $z) $op\nmap($E) { |$C| $f($C, $T) } }", 2,
     false, true},
    {"map($m) { |$A|\n$E = scan($A, $z) $op\nmap($A) { |$C| len(filter($E) { |$B| $less($B, $C) }) } }", 2, true, true},
    {"map($m) { |$A| map($A) { |$B|\n$E = map($A) { |$C| $f($B, $C) }\nreduce(map($E) { |$D| $f($D, reduce($E, $z) "
     "$op) }, $z) $op } }",
     2, false, true},
    {"filter(map($m) { |$A|\n$E = map($A) { |$B| $f($B, $B) }\nreduce(map($E) { |$C| $f($C, reduce($E, $z) $op) }, $z) "
     "$op }) { |$D| $less($z, $D) }",
     1, false, false},
    {"reduce(map($m) { |$A| reduce($A, $z) $op }, $z) $op", 0, false, false},
    {"flatmap($m) { |$A| filter($A) { |$B| $less($z, $B) } }", 1, false, false},
};

void replace_all(std::string& text, std::string_view what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
}

} // namespace

Nest random_nest(const NestParts& parts, const std::function<unsigned(unsigned)>& pick,
                 const std::function<std::string()>& fresh) {
    const std::span<const Nest> shapes = parts.matrix.empty() ? std::span<const Nest>(of_arrays) : of_matrix;
    Nest nest = shapes[pick(static_cast<unsigned>(shapes.size()))];
    const std::vector<std::string> operators =
        parts.booleans ? std::vector<std::string>{"and", "xor"} : std::vector<std::string>{"add", "mul", "max", "sub"};
    const std::string op = operators[pick(static_cast<unsigned>(operators.size()))];
    const std::pair<std::string_view, std::string> named[] = {
        {"$xs", parts.xs},
        {"$ys", parts.ys},
        {"$columns", parts.columns},
        {"$m", parts.matrix},
        {"$op", parts.associative},
        {"$f", op},
        {"$less", parts.booleans ? "xor" : "lt"},
        {"$z", parts.neutral},
    };
    for (const auto& [what, by] : named) replace_all(nest.text, what, by);
    for (std::string_view name : {"$A", "$B", "$C", "$D", "$E", "$T", "$I", "$J"})
        replace_all(nest.text, name, fresh());
    return nest;
}

} // namespace irrewrite
