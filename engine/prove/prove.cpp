#include "engine/prove/prove.hpp"
#include "engine/support/activity.hpp"

#include "engine/prove/prove_rule.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace irrewrite {

namespace {

// A file with the text, gone with the object.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& text) {
        int file = mkstemp(name_.data());
        if (file < 0) return;
        good_ = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
        close(file);
    }
    ~TemporaryFile() { unlink(name_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    bool good() const { return good_; }
    const std::string& name() const { return name_; }

  private:
    std::string name_ = "/tmp/irrewrite-XXXXXX";
    bool good_ = false;
};

// Runs a command and returns its output.
std::string output_of(const std::string& command) {
    std::string out;
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return out;
    std::array<char, 4096> part{};
    while (std::size_t n = fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), n);
    pclose(pipe);
    return out;
}

bool is_there(const std::string& command) {
    return std::system(("command -v " + command + " >/dev/null 2>&1").c_str()) == 0;
}
bool has_z3() {
    static const bool found = is_there("z3");
    return found;
}
bool has_cvc5() {
    static const bool found = is_there("cvc5");
    return found;
}
bool answers(const std::string& text) { return text.starts_with("sat") || text.starts_with("unsat"); }

} // namespace

std::optional<std::string> ask_solver(const std::string& script, unsigned seconds) {
    if (!has_z3() && !has_cvc5()) return std::nullopt;
    TemporaryFile file(script);
    if (!file.good()) return "unknown";
    std::string limit = std::to_string(seconds), said;
    if (has_z3()) said = output_of("z3 -T:" + limit + " -smt2 " + file.name() + " 2>/dev/null");
    if (!answers(said) && has_cvc5())
        said = output_of("cvc5 --tlimit=" + limit + "000 --produce-models " + file.name() + " 2>/dev/null");
    return said;
}

ProofReport prove(const CheckTools& tools, std::span<const std::string> files, const ProofOptions& options) {
    ProofReport report;
    if (!has_z3() && !has_cvc5()) {
        report.text = "nothing proven: neither 'z3' nor 'cvc5' is installed; '-check' tests rules without them\n";
        return report;
    }
    std::unique_ptr<RuleWorld> first = tools.load();
    std::vector<RuleId> rules = rules_named(*first, files);
    std::vector<RuleProof> proofs(rules.size());
    std::vector<char> began(rules.size());
    share_out(rules.size(), options.jobs, [&](const std::function<std::size_t()>& take) {
        std::unique_ptr<RuleWorld> world = tools.load();
        for (std::size_t i = take(); i < rules.size(); i = take()) {
            began[i] = 1;
            const Activity activity([&] {
                return "proving '" + std::string(world->context.symbols[world->base[rules[i]].full_name]) + "'";
            });
            proofs[i] = prove_rule(*world, rules[i], options.seconds);
        }
    });
    std::size_t asked = 0; // all of them, unless the user ended it
    for (std::size_t i = 0; i < proofs.size(); ++i)
        if (began[i]) std::swap(proofs[asked++], proofs[i]);
    proofs.resize(asked);
    std::array<std::size_t, 4> counts{};
    for (const RuleProof& proof : proofs) {
        ++counts[static_cast<std::size_t>(proof.kind)];
        bool quiet = proof.kind == RuleProof::Kind::Proven || proof.kind == RuleProof::Kind::Outside;
        if (!quiet || options.each) report.text += proof.text;
    }
    report.refuted = counts[1] > 0;
    report.text += std::to_string(asked) + " rules: " + std::to_string(counts[0]) + " proven, " +
                   std::to_string(counts[1]) + " refuted, " + std::to_string(counts[2]) + " not proven, " +
                   std::to_string(counts[3]) + " about more than integers and booleans\n";
    return report;
}

} // namespace irrewrite
