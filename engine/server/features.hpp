// The questions of an editor about a text: one function for each request of the protocol. Each gives the result of the reply.
#pragma once

#include "engine/server/analysis.hpp"
#include "engine/server/rewrites.hpp"

namespace irrewrite::server {

// A document and its meaning, which is made when it is first needed.
struct View {
    Workspace& workspace;
    Document& document;
    std::function<const Analysis&()> analysis;
    std::function<const Rewrites&(grammar::SyntaxId function)> rewrites; // of that function

    FileIndex& index() const { return workspace.index(document); }
    std::uint32_t offset(const Json& position) const;
    // The name at a position; null: none.
    const Occurrence* name_at(const Json& position) const { return index().at(offset(position)); }
};

Json hover(const View& view, const Json& position);
Json definition(const View& view, const Json& position);
Json references(const View& view, const Json& position, bool with_declaration);
Json highlights(const View& view, const Json& position);
Json prepare_rename(const View& view, const Json& position);
// Nothing: the name cannot become that, and `why` says why not.
std::optional<Json> rename(const View& view, const Json& position, const std::string& name, std::string& why);
Json completion(const View& view, const Json& position);
Json signature_help(const View& view, const Json& position);
Json folding_ranges(const View& view);
// JSON as text: these are long.
std::string semantic_tokens(const View& view);
std::string document_symbols(const View& view);
std::string code_lenses(const View& view);
Json semantic_legend();
Json inlay_hints(const View& view, const Json& range);
std::optional<Json> formatting(const View& view);

// The text of a declaration in one line, up to its body.
std::string declaration_text(const FileIndex& file, const Occurrence& declared);
// "operation", "rule", …
std::string_view kind_of(Name name);
Json place_of(const FileIndex& file, const Occurrence& occurrence); // a Location

} // namespace irrewrite::server
