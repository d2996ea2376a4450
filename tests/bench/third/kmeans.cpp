// One step of k-means: the nearest center of every point, and the centers moved to the mean of their points.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Matrix<double> points, centers;
    explicit Work(std::int64_t n) : points(n, 4), centers(10, 4) {
        points.fill([](auto i) { return unit(i); });
        centers.fill([](auto i) { return unit(1000000007ull + i); });
    }
};
using Result = std::tuple<Fresh<std::int64_t>, Fresh<double>>;
Result run(const Work& w) {
    constexpr int lanes = 8; // the distances of eight points at a time
    const std::int64_t n = w.points.rows, d = w.points.columns, k = w.centers.rows;
    const double *points = w.points.data.data(), *centers = w.centers.data.data();
    Result result{Fresh<std::int64_t>(n), Fresh<double>(k * d)};
    std::int64_t* nearest = std::get<0>(result).data();
    double* moved = std::get<1>(result).data();
    std::vector<double> sums(std::size_t(k * d));
    std::vector<std::int64_t> counts(static_cast<std::size_t>(k));
#pragma omp parallel num_threads(threads_for(n))
    {
        std::vector<double> own_sums(std::size_t(k * d)), turned(std::size_t(d * lanes));
        std::vector<std::int64_t> own_counts(static_cast<std::size_t>(k));
        double *own = own_sums.data(), *columns = turned.data();
#pragma omp for schedule(static) nowait
        for (std::int64_t b = 0; b < n; b += lanes) {
            const int m = int(std::min<std::int64_t>(lanes, n - b));
            for (int l = 0; l < m; l++)
                for (std::int64_t c = 0; c < d; c++) columns[c * lanes + l] = points[(b + l) * d + c];
            double best[lanes];
            std::int64_t index[lanes];
            for (int l = 0; l < lanes; l++) best[l] = infinity, index[l] = k;
            for (std::int64_t j = 0; j < k; j++) {
                double distance[lanes] = {};
                for (std::int64_t c = 0; c < d; c++) {
                    const double center = centers[j * d + c];
#pragma omp simd
                    for (int l = 0; l < lanes; l++) {
                        const double e = columns[c * lanes + l] - center;
                        distance[l] += e * e;
                    }
                }
#pragma omp simd
                for (int l = 0; l < lanes; l++) {
                    const bool keep = j > 0 && best[l] <= distance[l];
                    best[l] = keep ? best[l] : distance[l];
                    index[l] = keep ? index[l] : j;
                }
            }
            for (int l = 0; l < m; l++) {
                const std::int64_t j = index[l];
                nearest[b + l] = j;
                if (j == k) continue; // no centers
                own_counts[std::size_t(j)]++;
                for (std::int64_t c = 0; c < d; c++) own[j * d + c] += points[(b + l) * d + c];
            }
        }
#pragma omp critical
        {
            for (std::int64_t i = 0; i < k * d; i++) sums[std::size_t(i)] += own[i];
            for (std::int64_t j = 0; j < k; j++) counts[std::size_t(j)] += own_counts[std::size_t(j)];
        }
    }
    for (std::int64_t j = 0; j < k; j++)
        for (std::int64_t c = 0; c < d; c++) {
            const std::int64_t i = j * d + c, count = counts[std::size_t(j)];
            moved[i] = count > 0 ? sums[std::size_t(i)] / double(count) : centers[i];
        }
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::kmeans(w.points, w.centers); },
        [](const hand::Work& w) { return unfused::kmeans(w.points, w.centers); });
}
