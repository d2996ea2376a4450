// TPC-H beside emitted.cpp, which irrewrite made of the program of this name.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    using namespace ir;
    return tpch::query(
        argc, argv,
        [](const tpch::Tables& t) { return q18(tpch::as<Order>(t.orders), tpch::as<Item>(t.items), t.pieces); },
        [](const auto& result) {
            for (const Row& r : result) tpch::row(r.customer, r.order, r.price, r.pieces, r.date);
        });
}
