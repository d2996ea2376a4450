// The program of this name, as irrewrite emitted it, on the tables.
#include "tables.hpp"

#include "emitted.cpp"

int main(int argc, char** argv) {
    return tpch::query(argc, argv, [](const tpch::Tables& t) {
        return ir::q22(t.c_key, t.c_balance, t.c_phone, t.o_customer, t.codes);
    });
}
