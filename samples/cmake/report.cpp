// Calls emitted programs as any other functions of C++.
#include "moved.hpp"
#include "stats.hpp"

#include <iostream>

int main() {
    const std::vector<double> xs{1.0, -2.0, 3.0};
    const auto [squares, positive] = stats::stats(xs);
    std::cout << "sum of squares " << squares << ", " << positive << " above zero\n";

    const std::vector<double> ys{0.0, 0.0, 2.0}, from{0.0, 4.0};
    const auto [cx, cy] = kmeans::step(xs, ys, from, from);
    for (std::size_t k = 0; k < cx.size(); ++k) std::cout << "centre " << cx[k] << ", " << cy[k] << '\n';
    std::cout << "moved by " << moved(from, cx) << '\n';

    try {
        kmeans::step(xs, from, xs, ys);
    } catch (const kmeans::fault& fault) { // a std::runtime_error that names the line of the program
        std::cout << fault.what() << '\n';
    }
}
