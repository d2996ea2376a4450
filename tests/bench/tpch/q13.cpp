// TPC-H beside emitted.cpp, which irrewrite made of the program of this name.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    using namespace ir;
    return tpch::query(
        argc, argv,
        [](const tpch::Tables& t) {
            return q13(tpch::as<Customer>(t.customers), tpch::as<Order>(t.orders),
                       t.comments.as<rows<const std::uint8_t>>());
        },
        [](const auto& result) {
            for (std::size_t i = 0; i < std::get<0>(result).size(); ++i)
                tpch::row(std::get<0>(result)[i], std::get<1>(result)[i]);
        });
}
