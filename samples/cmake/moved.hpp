#pragma once

#include "kmeans.hpp"

#include <vector>

// How far centres moved in one direction.
double moved(const std::vector<double>& from, const kmeans::array<double>& to);
