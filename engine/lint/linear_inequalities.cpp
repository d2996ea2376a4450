#include "engine/lint/linear_inequalities.hpp"

#include <algorithm>
#include <cmath>

namespace irrewrite {

namespace {

constexpr double epsilon = 1e-9;
constexpr int most_pivots = 20'000, most_scale = 5040;

// maximize c·x where Ax <= b, x >= 0, b >= 0: a dictionary, one row for each inequality, the last for the objective.
class Simplex {
  public:
    Simplex(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), table_((rows + 1) * (columns + 1)), basis_(rows), free_(columns) {
        for (std::size_t i = 0; i < columns; ++i) free_[i] = i;
        for (std::size_t i = 0; i < rows; ++i) basis_[i] = columns + i;
    }
    double& at(std::size_t row, std::size_t column) { return table_[row * (columns_ + 1) + column]; }
    double& bound(std::size_t row) { return at(row, columns_); }
    double& gain(std::size_t column) { return at(rows_, column); }

    bool maximize() {
        for (int pivots = 0; pivots < most_pivots; ++pivots) {
            auto column = entering();
            if (!column) return true;
            auto row = leaving(*column);
            if (!row) return false;
            pivot(*row, *column);
        }
        return false;
    }
    double value(std::size_t variable) {
        for (std::size_t i = 0; i < rows_; ++i)
            if (basis_[i] == variable) return bound(i);
        return 0;
    }

  private:
    std::optional<std::size_t> entering() {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < columns_; ++i)
            if (gain(i) > epsilon && (!best || free_[i] < free_[*best])) best = i;
        return best;
    }
    std::optional<std::size_t> leaving(std::size_t column) {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < rows_; ++i) {
            if (at(i, column) <= epsilon) continue;
            double ratio = bound(i) / at(i, column), least = best ? bound(*best) / at(*best, column) : 0;
            if (!best || ratio < least - epsilon || (ratio <= least + epsilon && basis_[i] < basis_[*best])) best = i;
        }
        return best;
    }
    void pivot(std::size_t row, std::size_t column) {
        double by = 1 / at(row, column);
        for (std::size_t k = 0; k <= columns_; ++k) at(row, k) *= by;
        at(row, column) = by;
        for (std::size_t i = 0; i <= rows_; ++i) {
            double factor = at(i, column);
            if (i == row || std::fabs(factor) < epsilon) continue;
            for (std::size_t k = 0; k <= columns_; ++k)
                if (k != column) at(i, k) -= factor * at(row, k);
            at(i, column) = -factor * by;
        }
        std::swap(basis_[row], free_[column]);
    }

    std::size_t rows_, columns_;
    std::vector<double> table_;
    std::vector<std::size_t> basis_, free_; // which variable stands where
};

} // namespace

std::optional<std::vector<std::int64_t>> solve(const std::vector<std::vector<int>>& wholes,
                                               const std::vector<std::vector<int>>& parts, std::size_t variables) {
    // Variables: the slack of each whole above 0, at most 1, then x.
    Simplex simplex(2 * wholes.size() + parts.size(), wholes.size() + variables);
    for (std::size_t i = 0; i < wholes.size(); ++i) {
        for (std::size_t k = 0; k < variables; ++k) simplex.at(i, wholes.size() + k) = -wholes[i][k];
        simplex.at(i, i) = 1;
        simplex.at(wholes.size() + i, i) = 1, simplex.bound(wholes.size() + i) = 1;
        simplex.gain(i) = 1;
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (std::size_t k = 0; k < variables; ++k) simplex.at(2 * wholes.size() + i, wholes.size() + k) = -parts[i][k];
    if (!simplex.maximize()) return std::nullopt;
    for (int scale = 1; scale <= most_scale; ++scale) {
        std::vector<std::int64_t> out;
        bool whole = true;
        for (std::size_t k = 0; k < variables && whole; ++k) {
            double scaled = simplex.value(wholes.size() + k) * scale;
            out.push_back(std::llround(scaled));
            whole = std::fabs(scaled - static_cast<double>(out.back())) < 1e-6 * scale;
        }
        if (whole) return out;
    }
    return std::nullopt;
}

} // namespace irrewrite
