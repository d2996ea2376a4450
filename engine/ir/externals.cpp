#include "engine/ir/externals.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace irrewrite {

namespace {

// clang-format off
constexpr External externals[] = {
    {"hypot",     2, [](const double* x) { return std::hypot(x[0], x[1]); }},
    {"atan2",     2, [](const double* x) { return std::atan2(x[0], x[1]); }},
    {"copysign",  2, [](const double* x) { return std::copysign(x[0], x[1]); }},
    {"fmod",      2, [](const double* x) { return std::fmod(x[0], x[1]); }},
    {"remainder", 2, [](const double* x) { return std::remainder(x[0], x[1]); }},
    {"fdim",      2, [](const double* x) { return std::fdim(x[0], x[1]); }},
    {"fmin",      2, [](const double* x) { return std::fmin(x[0], x[1]); }},
    {"fmax",      2, [](const double* x) { return std::fmax(x[0], x[1]); }},
    {"pow",       2, [](const double* x) { return std::pow(x[0], x[1]); }},
    {"fma",       3, [](const double* x) { return std::fma(x[0], x[1], x[2]); }},
    {"acos",      1, [](const double* x) { return std::acos(x[0]); }},
    {"acosh",     1, [](const double* x) { return std::acosh(x[0]); }},
    {"asin",      1, [](const double* x) { return std::asin(x[0]); }},
    {"asinh",     1, [](const double* x) { return std::asinh(x[0]); }},
    {"atan",      1, [](const double* x) { return std::atan(x[0]); }},
    {"atanh",     1, [](const double* x) { return std::atanh(x[0]); }},
    {"cbrt",      1, [](const double* x) { return std::cbrt(x[0]); }},
    {"cosh",      1, [](const double* x) { return std::cosh(x[0]); }},
    {"sinh",      1, [](const double* x) { return std::sinh(x[0]); }},
    {"erf",       1, [](const double* x) { return std::erf(x[0]); }},
    {"erfc",      1, [](const double* x) { return std::erfc(x[0]); }},
    {"exp2",      1, [](const double* x) { return std::exp2(x[0]); }},
    {"expm1",     1, [](const double* x) { return std::expm1(x[0]); }},
    {"log2",      1, [](const double* x) { return std::log2(x[0]); }},
    {"log10",     1, [](const double* x) { return std::log10(x[0]); }},
    {"log1p",     1, [](const double* x) { return std::log1p(x[0]); }},
    {"round",     1, [](const double* x) { return std::round(x[0]); }},
    {"trunc",     1, [](const double* x) { return std::trunc(x[0]); }},
    {"tgamma",    1, [](const double* x) { return std::tgamma(x[0]); }},
    {"sqrt",      1, [](const double* x) { return std::sqrt(x[0]); }},
    {"exp",       1, [](const double* x) { return std::exp(x[0]); }},
    {"log",       1, [](const double* x) { return std::log(x[0]); }},
    {"sin",       1, [](const double* x) { return std::sin(x[0]); }},
    {"cos",       1, [](const double* x) { return std::cos(x[0]); }},
    {"tan",       1, [](const double* x) { return std::tan(x[0]); }},
    {"tanh",      1, [](const double* x) { return std::tanh(x[0]); }},
    {"fabs",      1, [](const double* x) { return std::fabs(x[0]); }},
    {"floor",     1, [](const double* x) { return std::floor(x[0]); }},
    {"ceil",      1, [](const double* x) { return std::ceil(x[0]); }},
};
// clang-format on

} // namespace

const External* find_external(std::string_view name) {
    auto found = std::ranges::find(externals, name, &External::name);
    return found == std::end(externals) ? nullptr : found;
}

} // namespace irrewrite
