// The program of this name, as irrewrite emitted it, on the tables.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    return tpch::query(argc, argv, [](const tpch::Tables& t) {
        return ir::q14(t.l_part, t.l_price, t.l_discount, t.l_ship, t.p_key, t.p_type, 1339, 1369);
    });
}
