// The program of this name, as irrewrite emitted it, on the tables.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    return tpch::query(argc, argv, [](const tpch::Tables& t) {
        return ir::q10(t.c_key, t.c_balance, t.c_nation, t.o_key, t.o_customer, t.o_date, t.l_order, t.l_price,
                       t.l_discount, t.l_returned, 639, 731);
    });
}
