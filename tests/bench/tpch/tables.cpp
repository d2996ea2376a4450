// Writes the tables as files of comma-separated values: tables FACTOR FOLDER.
#include "tables.hpp"

template <class... Columns> static void table(const std::string& path, const Columns&... columns) {
    std::FILE* file = std::fopen((path + ".csv").c_str(), "w");
    if (!file) std::exit(1);
    const std::size_t rows = std::min({columns.size()...});
    for (std::size_t i = 0; i < rows; ++i) std::fprintf(file, "%s\n", tpch::joined(columns[i]...).c_str());
    std::fclose(file);
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const tpch::Tables t(std::atof(argv[1]));
    const std::string to = std::string(argv[2]) + "/";
    table(to + "nation", t.n_key, t.n_region);
    table(to + "supplier", t.s_key, t.s_nation);
    table(to + "customer", t.c_key, t.c_nation, t.c_balance, t.c_segment, t.c_phone);
    table(to + "part", t.p_key, t.p_brand, t.p_container, t.p_size, t.p_type);
    table(to + "orders", t.o_key, t.o_customer, t.o_price, t.o_date, t.o_urgency, t.o_comment);
    table(to + "lineitem", t.l_order, t.l_part, t.l_supplier, t.l_quantity, t.l_price, t.l_discount, t.l_ship,
          t.l_commit, t.l_receipt, t.l_returned, t.l_mode, t.l_instruction);
}
