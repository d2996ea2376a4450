// The program of this name, as irrewrite emitted it, on the tables.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    return tpch::query(argc, argv, [](const tpch::Tables& t) {
        return ir::q5(t.n_key, t.n_region, t.s_key, t.s_nation, t.c_key, t.c_nation, t.o_key, t.o_customer, t.o_date,
                      t.l_order, t.l_supplier, t.l_price, t.l_discount, 2, 731, 1096);
    });
}
