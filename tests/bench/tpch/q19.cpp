// The program of this name, as irrewrite emitted it, on the tables.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    return tpch::query(argc, argv, [](const tpch::Tables& t) {
        return ir::q19(t.l_part, t.l_quantity, t.l_price, t.l_discount, t.l_mode, t.l_instruction, t.p_key, t.p_brand,
                       t.p_container, t.p_size, 11, 22, 3);
    });
}
