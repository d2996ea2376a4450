// Another file of the same program that includes the same header.
#include "moved.hpp"

#include <cmath>

double moved(const std::vector<double>& from, const kmeans::array<double>& to) {
    double sum = 0.0;
    for (std::size_t k = 0; k < from.size(); ++k) sum += std::abs(to[static_cast<std::int64_t>(k)] - from[k]);
    return sum;
}
