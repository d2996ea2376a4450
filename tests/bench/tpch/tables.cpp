// Writes the tables as files of comma-separated values: tables FACTOR FOLDER.
#include "tables.hpp"

using namespace tpch;

template <class Write> static void table(const std::string& folder, const char* name, std::size_t rows, Write write) {
    std::FILE* file = std::fopen((folder + "/" + name + ".csv").c_str(), "w");
    if (!file) std::exit(1);
    for (std::size_t i = 0; i < rows; ++i) {
        const std::string line = write(i) + "\n";
        std::fwrite(line.data(), 1, line.size(), file);
    }
    std::fclose(file);
}

template <class... Parts> static std::string joined(const Parts&... parts) {
    std::string line;
    ((line += (line.empty() ? "" : ",") + shown(parts)), ...);
    return line;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const Tables t(std::atof(argv[1]));
    const std::string to = argv[2];
    table(to, "nation", t.nations.size(), [&](std::size_t i) { return joined(t.nations[i].key, t.nations[i].region); });
    table(to, "supplier", t.suppliers.size(),
          [&](std::size_t i) { return joined(t.suppliers[i].key, t.suppliers[i].nation); });
    table(to, "customer", t.customers.size(), [&](std::size_t i) {
        const Customer& c = t.customers[i];
        return joined(c.key, c.nation, c.balance, c.segment) + "," + std::string(t.phones[i]);
    });
    table(to, "part", t.parts.size(), [&](std::size_t i) {
        const Part& p = t.parts[i];
        return joined(p.key, p.brand, p.container, p.size) + "," + std::string(t.types[i]);
    });
    table(to, "orders", t.orders.size(), [&](std::size_t i) {
        const Order& o = t.orders[i];
        return joined(o.key, o.customer, o.price, o.date, o.urgency) + "," + std::string(t.comments[i]);
    });
    table(to, "lineitem", t.items.size(), [&](std::size_t i) {
        const Item& x = t.items[i];
        return joined(x.order, x.part, x.supplier, x.quantity, x.price, x.discount, x.ship, x.commit, x.receipt,
                      x.returned, x.mode, x.instruction);
    });
}
