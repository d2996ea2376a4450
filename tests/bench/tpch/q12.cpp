// The program of this name, as irrewrite emitted it, on the tables.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    return tpch::query(argc, argv, [](const tpch::Tables& t) {
        return ir::q12(t.o_key, t.o_urgency, t.l_order, t.l_ship, t.l_commit, t.l_receipt, t.l_mode, 2, 5, 731, 1096);
    });
}
