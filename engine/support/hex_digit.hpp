// Hexadecimal digits of literals, escapes and addresses.
#pragma once

namespace irrewrite {

// Its value, or -1 if it is none.
constexpr int hex_digit(char c) {
    if ('0' <= c && c <= '9') return c - '0';
    if ('a' <= c && c <= 'f') return c - 'a' + 10;
    if ('A' <= c && c <= 'F') return c - 'A' + 10;
    return -1;
}

} // namespace irrewrite
