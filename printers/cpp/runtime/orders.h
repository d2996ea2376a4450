// Helpers of emitted C++: the order of values, sorting, hashes.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= compared
// -1, 0 or 1. NaNs are equal, and behind all numbers; zeros are equal. Arrays, tuples and structs: the first difference decides.
template <class T> constexpr std::int64_t compared(T a, std::type_identity_t<T> b) requires std::is_arithmetic_v<T> {
    if constexpr (std::is_floating_point_v<T>) return a < b ? -1 : b < a ? 1 : (a != a) - (b != b);
    else return a < b ? -1 : b < a ? 1 : 0;
}
template <class... T> constexpr std::int64_t compared(const std::tuple<T...>& a, const std::tuple<T...>& b);
template <class T> constexpr std::int64_t compared(const T& a, const T& b) requires requires { fields(a); };
template <class T, class U> constexpr std::int64_t compared(const T& a, const U& b) requires requires { std::ssize(a); std::ssize(b); } {
    const std::int64_t n = std::min<std::int64_t>(std::ssize(a), std::ssize(b));
    for (std::int64_t i = 0; i < n; ++i)
        if (const std::int64_t order = compared(a[i], b[i])) return order;
    return compared(static_cast<std::int64_t>(std::ssize(a)), std::ssize(b));
}
template <std::size_t I, class T> constexpr std::int64_t compared_parts(const T& a, const T& b) {
    if constexpr (I == std::tuple_size_v<T>) {
        return 0;
    } else {
        const std::int64_t order = compared(std::get<I>(a), std::get<I>(b));
        return order != 0 ? order : compared_parts<I + 1>(a, b);
    }
}
template <class... T> constexpr std::int64_t compared(const std::tuple<T...>& a, const std::tuple<T...>& b) { return compared_parts<0>(a, b); }
template <class T> constexpr std::int64_t compared(const T& a, const T& b) requires requires { fields(a); } {
    const auto x = fields(a), y = fields(b);
    return compared_parts<0>(x, y);
}
//= mixed_hash
constexpr std::uint64_t mixed_hash(std::uint64_t hash, std::uint64_t more) {
    hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}
//= key_hash
// Equal for equal keys, NaNs and zeros included; the number that the tool's own evaluator gives.
template <class T> constexpr std::uint64_t key_hash(T x) requires std::is_arithmetic_v<T> {
    if constexpr (!std::is_floating_point_v<T>) return mixed_hash(0, static_cast<std::uint64_t>(x));
    else if (x != x) return mixed_hash(0, ~std::uint64_t{0});
    else if constexpr (sizeof(T) == 4) return mixed_hash(0, x == 0 ? 0 : std::bit_cast<std::uint32_t>(x));
    else return mixed_hash(0, x == 0 ? 0 : std::bit_cast<std::uint64_t>(x));
}
template <class... T> constexpr std::uint64_t key_hash(const std::tuple<T...>& x);
template <class T> constexpr std::uint64_t key_hash(const T& x) requires requires { fields(x); };
template <class T> constexpr std::uint64_t key_hash(const T& x) requires requires { std::ssize(x); } {
    std::uint64_t hash = 0;
    const std::int64_t n = std::ssize(x);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(x[0])>, std::uint8_t>) { // eight bytes at a time
        for (std::int64_t i = 0; i < n; i += 8) {
            std::uint64_t word = 0;
            for (std::int64_t k = 0; k < 8 && i + k < n; ++k) word |= static_cast<std::uint64_t>(x[i + k]) << 8 * k;
            hash = mixed_hash(hash, word);
        }
    } else {
        for (std::int64_t i = 0; i < n; ++i) hash = mixed_hash(hash, key_hash(x[i]));
    }
    return mixed_hash(hash, static_cast<std::uint64_t>(n));
}
template <class... T> constexpr std::uint64_t key_hash(const std::tuple<T...>& x) {
    return std::apply([](const auto&... part) {
        std::uint64_t hash = 0;
        ((hash = mixed_hash(hash, key_hash(part))), ...);
        return hash;
    }, x);
}
template <class T> constexpr std::uint64_t key_hash(const T& x) requires requires { fields(x); } { return key_hash(fields(x)); }
//= radix_key
// A number, or a tuple of numbers, as an integer of so many bits in the same order.
template <class T> struct radix_bits {
    static constexpr std::size_t value = std::is_arithmetic_v<T> ? 8 * sizeof(T) : 65; // no integer has as many
};
template <class... T> struct radix_bits<std::tuple<T...>> {
    static constexpr std::size_t value = (std::size_t{0} + ... + radix_bits<T>::value);
};
template <class T> constexpr std::uint64_t radix_key(T x) requires std::is_arithmetic_v<T> {
    if constexpr (std::is_same_v<T, bool>) {
        return x ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
        using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        constexpr bits_type top = bits_type{1} << (8 * sizeof(T) - 1);
        if (x != x) return static_cast<bits_type>(~bits_type{0});
        const bits_type bits = x == 0 ? 0 : std::bit_cast<bits_type>(x);
        return bits & top ? static_cast<bits_type>(~bits) : bits | top;
    } else {
        using bits_type = std::make_unsigned_t<T>;
        constexpr auto top = static_cast<bits_type>(std::is_signed_v<T> ? std::uint64_t{1} << (8 * sizeof(T) - 1) : 0);
        return static_cast<bits_type>(static_cast<bits_type>(x) ^ top);
    }
}
template <class... T> constexpr std::uint64_t radix_key(const std::tuple<T...>& x) {
    std::uint64_t key = 0;
    const auto add = [&](auto part) {
        constexpr std::size_t bits = radix_bits<decltype(part)>::value;
        if constexpr (bits == 64) key = radix_key(part);
        else key = key << bits | radix_key(part);
    };
    std::apply([&](const auto&... part) { (add(part), ...); }, x);
    return key;
}
//= stable_order
// Puts items into the order of their keys: byte by byte from the last where there are many (Knuth, The Art of Computer
// Programming, volume 3, section 5.2.5), and each pass keeps the order of equal ones.
template <std::size_t Bits, class Item, class Key> void stable_order(array<Item>& items, Key key) {
    constexpr std::size_t digits = Bits / 8;
    const std::int64_t n = std::ssize(items);
    Item* from = items.data();
    if (n < static_cast<std::int64_t>(128 * digits)) {
        std::stable_sort(from, from + n, [&](const Item& a, const Item& b) { return key(a) < key(b); });
        return;
    }
    std::vector<std::array<std::int64_t, 256>> counts(digits);
    for (std::int64_t i = 0; i < n; ++i) {
        const std::uint64_t bytes = key(from[i]);
        for (std::size_t digit = 0; digit < digits; ++digit) ++counts[digit][bytes >> 8 * digit & 255];
    }
    array<Item> other(n);
    Item* to = other.data();
    for (std::size_t digit = 0; digit < digits; ++digit) {
        std::array<std::int64_t, 256>& ends = counts[digit];
        if (ends[key(from[0]) >> 8 * digit & 255] == n) continue; // one digit for all
        std::int64_t begin = 0;
        for (std::int64_t& end : ends) begin += std::exchange(end, begin);
        for (std::int64_t i = 0; i < n; ++i) to[ends[key(from[i]) >> 8 * digit & 255]++] = from[i];
        std::swap(from, to);
    }
    if (from != std::as_const(items).data()) std::swap(items, other);
}
//= sorted_positions
// The positions of the elements in ascending order, of equal ones in their own.
struct keyed_position {
    std::uint64_t key;
    std::int64_t position;
};
template <class Values> array<std::int64_t> sorted_positions(const Values& values) {
    using value_type = std::remove_cvref_t<decltype(values[0])>;
    const std::int64_t n = std::ssize(values);
    array<std::int64_t> result(n);
    std::int64_t* const positions = result.data();
    if constexpr (radix_bits<value_type>::value <= 64) {
        array<keyed_position> items(n);
        keyed_position* const all = items.data();
        const value_type* const from = values.data();
        for (std::int64_t i = 0; i < n; ++i) all[i] = {radix_key(from[i]), i};
        stable_order<radix_bits<value_type>::value>(items, [](const keyed_position& item) { return item.key; });
        const keyed_position* const ordered = items.data();
        for (std::int64_t i = 0; i < n; ++i) positions[i] = ordered[i].position;
    } else {
        for (std::int64_t i = 0; i < n; ++i) positions[i] = i;
        std::stable_sort(positions, positions + n, [&](std::int64_t a, std::int64_t b) { return compared(values[a], values[b]) < 0; });
    }
    return result;
}
//= sorted_values
// The elements in ascending order, of equal ones in their own.
template <class Values> auto sorted_values(const Values& values) {
    using value_type = std::remove_cvref_t<decltype(values[0])>;
    const std::int64_t n = std::ssize(values);
    array<value_type> result(n);
    value_type* const all = result.data();
    std::copy_n(values.data(), n, all);
    if constexpr (radix_bits<value_type>::value <= 64) stable_order<radix_bits<value_type>::value>(result, [](const value_type& x) { return radix_key(x); });
    else std::stable_sort(all, all + n, [](const value_type& a, const value_type& b) { return compared(a, b) < 0; });
    return result;
}
