#include "engine/server/file_index.hpp"

#include <algorithm>

namespace irrewrite::server {

std::shared_ptr<FileIndex> index_file(std::string path, std::string_view text, grammar::FileLanguage language,
                                      const grammar::IsLabel& is_label) {
    auto index = std::make_shared<FileIndex>();
    index->path = std::move(path);
    index->language = language;
    index->source = index->sources.add(index->path, text);
    index->tree = language == grammar::FileLanguage::Rules
                      ? grammar::parse_rules(index->sources, index->source, is_label, index->diagnostics)
                      : grammar::parse_ir(index->sources, index->source, is_label, index->diagnostics);
    index->lines.emplace(index->text());
    if (language == grammar::FileLanguage::Rules) index->imports = grammar::scan_imports(index->sources, index->source);
    find_names(*index);
    return index;
}

const Occurrence* FileIndex::at(std::uint32_t offset) const {
    auto after = std::ranges::upper_bound(occurrences, offset, {}, &Occurrence::begin);
    // An outer name may begin before an inner one: no names nest, but neighbours may touch.
    const Occurrence* touched = nullptr;
    while (after != occurrences.begin()) {
        --after;
        if (after->end > offset) return &*after;
        if (after->end == offset && !touched) touched = &*after;
        if (after->end < offset) break;
    }
    return touched;
}

std::string FileIndex::comment_above(std::uint32_t offset) const {
    std::size_t line = lines->line(offset);
    std::vector<std::string> found;
    while (line > 0) {
        const std::uint32_t begin = lines->begin(line - 1);
        std::string_view above = text().substr(begin, lines->begin(line) - begin);
        while (!above.empty() && static_cast<unsigned char>(above.back()) <= ' ') above.remove_suffix(1);
        while (!above.empty() && static_cast<unsigned char>(above.front()) <= ' ') above.remove_prefix(1);
        if (!above.starts_with("//") || above.starts_with("// --")) break;
        above.remove_prefix(2);
        if (above.starts_with(' ')) above.remove_prefix(1);
        found.emplace_back(above);
        --line;
    }
    if (line == 0) return {}; // the first lines say what the file is about
    std::string comment;
    for (auto each = found.rbegin(); each != found.rend(); ++each) comment += *each + "\n";
    return comment;
}

} // namespace irrewrite::server
