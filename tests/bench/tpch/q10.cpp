// TPC-H beside emitted.cpp, which irrewrite made of the program of this name.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    using namespace ir;
    return tpch::query(
        argc, argv,
        [](const tpch::Tables& t) {
            return q10(tpch::as<Customer>(t.customers), tpch::as<Order>(t.orders), tpch::as<Item>(t.items), 639, 731);
        },
        [](const auto& result) {
            for (const Row& r : result) tpch::row(r.customer, r.revenue, r.balance, r.nation);
        });
}
