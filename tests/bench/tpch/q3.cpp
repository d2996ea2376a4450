// TPC-H beside emitted.cpp, which irrewrite made of the program of this name.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    using namespace ir;
    return tpch::query(
        argc, argv,
        [](const tpch::Tables& t) {
            return q3(tpch::as<Customer>(t.customers), tpch::as<Order>(t.orders), tpch::as<Item>(t.items), 1, 1169);
        },
        [](const auto& result) {
            for (const Row& r : result) tpch::row(r.order, r.revenue, r.date);
        });
}
