// The program of this name, as irrewrite emitted it, on the tables.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    return tpch::query(argc, argv, [](const tpch::Tables& t) {
        return ir::q18(t.o_key, t.o_customer, t.o_price, t.o_date, t.l_order, t.l_quantity, t.pieces);
    });
}
