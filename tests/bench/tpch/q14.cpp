// TPC-H beside emitted.cpp, which irrewrite made of the program of this name.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    using namespace ir;
    return tpch::query(
        argc, argv,
        [](const tpch::Tables& t) {
            return q14(tpch::as<Item>(t.items), tpch::as<Part>(t.parts), t.types.as<rows<const std::uint8_t>>(), 1339,
                       1369);
        },
        [](const auto& result) { tpch::row(std::get<0>(result), std::get<1>(result)); });
}
