// The program of this name, as irrewrite emitted it, on the tables.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    return tpch::query(argc, argv, [](const tpch::Tables& t) {
        return ir::q4(t.o_key, t.o_date, t.o_urgency, t.l_order, t.l_commit, t.l_receipt, 547, 639);
    });
}
