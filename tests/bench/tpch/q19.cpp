// TPC-H beside emitted.cpp, which irrewrite made of the program of this name.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    using namespace ir;
    return tpch::query(
        argc, argv,
        [](const tpch::Tables& t) { return q19(tpch::as<Item>(t.items), tpch::as<Part>(t.parts), 11, 22, 3); },
        [](const auto& result) { tpch::row(result); });
}
