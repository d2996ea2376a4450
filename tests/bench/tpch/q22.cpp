// TPC-H beside emitted.cpp, which irrewrite made of the program of this name.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    using namespace ir;
    tpch::Texts codes;
    for (const char* code : {"13", "31", "23", "29", "30", "18", "17"}) codes.add(code);
    return tpch::query(
        argc, argv,
        [&](const tpch::Tables& t) {
            return q22(tpch::as<Customer>(t.customers), t.phones.as<rows<const std::uint8_t>>(),
                       tpch::as<Order>(t.orders), codes.as<rows<const std::uint8_t>>());
        },
        [](const auto& result) {
            for (std::size_t i = 0; i < std::get<0>(result).size(); ++i)
                tpch::row(std::get<0>(result)[i], std::get<1>(result)[i], std::get<2>(result)[i]);
        });
}
