#include "grammar/json/read_json.hpp"

#include "engine/passes/endless_functions.hpp"
#include "engine/passes/relax_effects.hpp"
#include "grammar/json/json_body.hpp"
#include "grammar/json/json_consumption.hpp"
#include "grammar/json/json_places.hpp"
#include "grammar/program/sharing.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

class Reader {
  public:
    Reader(Context& context, SourceId source, Module& module, Diagnostics& diagnostics)
        : context_(context), types_(context), source_(source), module_(module), diagnostics_(diagnostics) {}

    bool run(const Json& root);

  private:
    bool fail(std::string text) {
        diagnostics_.error({source_, 0, 0}, std::move(text));
        return false;
    }
    bool structure(const Json& json);
    bool header(const Json& json);
    bool params(const Json& json, Function& function);
    bool body(const Json& json, Function& function);
    bool check_memory(const Json& json, const JsonBody& body, const Function& function);
    Span place(const Json* value) const {
        return value ? find_place(context_.sources[source_].text, source_, *root_, *value) : Span{source_, 0, 0};
    }

    const Json* root_ = nullptr;
    Context& context_;
    JsonTypes types_;
    SourceId source_;
    Module& module_;
    Diagnostics& diagnostics_;
};

bool Reader::run(const Json& root) {
    const std::size_t first = module_.functions.size();
    root_ = &root;
    if (!root.is_object() || !root.contains("functions")) return fail("expected an object with \"functions\"");
    const Json& functions = list(root, "functions");
    for (const Json& json : list(root, "structs"))
        if (!structure(json)) return false;
    for (const Json& json : functions)
        if (!header(json)) return false;
    bool good = true;
    for (std::size_t i = 0; i < functions.size(); ++i) good = body(functions[i], module_.functions[first + i]) && good;
    return good;
}

bool Reader::structure(const Json& json) {
    std::vector<StructField> fields;
    for (const Json& field : list(json, "fields")) {
        std::optional<TypeId> type = types_[text(field, "type")];
        if (!type || !is_name(text(field, "name")))
            return fail("a field of struct '" + std::string(text(json, "name")) + "' has no name or no known type");
        fields.push_back({context_.symbols.add(text(field, "name")), *type});
    }
    if (!is_name(text(json, "name"))) return fail("a struct has no name");
    std::optional<TypeId> type = context_.types.declare_struct(context_.symbols.add(text(json, "name")), fields);
    if (!type) return fail("struct '" + std::string(text(json, "name")) + "' is declared twice, differently");
    if (std::ranges::find(module_.structs, *type) == module_.structs.end()) module_.structs.push_back(*type);
    return true;
}

bool Reader::header(const Json& json) {
    std::string_view name = text(json, "name");
    if (!is_name(name)) return fail("a function has no name");
    if (module_.find(context_.symbols.add(name))) return fail("function '@" + std::string(name) + "' is there twice");
    Function& function = module_.add(context_, context_.symbols.add(name));
    function.where = {source_, 0, 0};
    function.local = flag(json, "local", false);
    function.external = flag(json, "extern", false);
    function.pure = flag(json, "pure", true);
    if (!function.pure) context_.impure_functions[function.name] = true;
    for (const Json& type : list(json, "result_types")) {
        std::optional<TypeId> read = type.is_string() ? types_[type.get_ref<const std::string&>()] : std::nullopt;
        if (!read) return fail("function '@" + std::string(name) + "': unknown type of a result");
        function.result_types.push_back(*read);
    }
    return params(json, function);
}

bool Reader::params(const Json& json, Function& function) {
    auto wrong = [&](const char* what) {
        return fail("function '@" + std::string(context_.symbols[function.name]) + "': " + what);
    };
    for (const Json& param : list(json, "params")) {
        std::optional<TypeId> type = types_[text(param, "type")];
        if (!type || !is_name(text(param, "name"))) return wrong("a parameter has no name or no known type");
        const SymbolId name = context_.symbols.add(text(param, "name"));
        const NodeId node =
            function.graph.param(number::function, static_cast<std::uint32_t>(function.params.size()), *type);
        function.graph.set_name(node, name);
        function.params.push_back(
            {.name = name, .type = *type, .node = node, .consumed = flag(param, "consumed", false)});
    }
    for (const Json& dim : list(json, "dims")) {
        std::optional<std::uint32_t> param = number(dim, "param"), depth = number(dim, "depth");
        if (!param || !depth || *param >= function.params.size() || !is_name(text(dim, "name")))
            return wrong("a dimension has no name or place");
        const SymbolId name = context_.symbols.add(text(dim, "name"));
        if (dimension_at(context_.types, function.params[*param].type, *depth) != Dim::named(name))
            return wrong("a dimension is not where it is said to be");
        const auto index = static_cast<std::uint32_t>(function.dims.size());
        const NodeId node = function.graph.param(number::dims, index, context_.types.i64());
        function.graph.set_name(node, name);
        function.dims.push_back({.name = name, .node = node, .param = *param, .depth = *depth});
    }
    return true;
}

bool Reader::body(const Json& json, Function& function) {
    auto wrong = [&](const std::string& what) {
        return fail("function '@" + std::string(context_.symbols[function.name]) + "': " + what);
    };
    if (function.external) return true;
    JsonBody body(context_, types_, module_, function);
    auto define = [&](const Json& object, NodeId node) {
        std::optional<std::uint32_t> id = number(object, "id");
        return id && body.define(*id, node);
    };
    for (std::size_t i = 0; i < function.params.size(); ++i)
        if (!define(list(json, "params")[i], function.params[i].node)) return wrong("a parameter has no id of its own");
    for (std::size_t i = 0; i < function.dims.size(); ++i)
        if (!define(list(json, "dims")[i], function.dims[i].node)) return wrong("a dimension has no id of its own");
    if (!body.run(json)) {
        diagnostics_.error(place(body.place()),
                           "function '@" + std::string(context_.symbols[function.name]) + "': " + body.error());
        return false;
    }
    auto agree = [&](NodeId result, TypeId type) { return context_.types.agree(function.graph.type(result), type); };
    if (!std::ranges::equal(function.results, function.result_types, agree))
        return wrong("the results are not of the types declared");
    return check_memory(json, body, function);
}

// Checks uses after consumption and forbidden sharing, as for text (Body::check_memory).
bool Reader::check_memory(const Json& json, const JsonBody& body, const Function& function) {
    bool good = check_sharing(function, diagnostics_, [&](NodeId node) { return place(body.line(node)); });
    if (std::ranges::none_of(module_.functions,
                             [](const Function& f) { return std::ranges::any_of(f.params, &Parameter::consumed); }))
        return good;
    auto report = [&](const Json& where, std::string text, const Json& other, std::string note) {
        diagnostics_.error(place(&where), std::move(text)).notes.push_back({place(&other), std::move(note)});
    };
    return JsonConsumption(context_, types_, module_, report).run(json) && good;
}

} // namespace

bool read_json(Context& context, std::string_view text, SourceId source, Module& module, Diagnostics& diagnostics) {
    try {
        if (!Reader(context, source, module, diagnostics).run(Json::parse(text))) return false;
        note_endless(context, module);
        settle_endings(context, module);
        loosen(module);
        return true;
    } catch (const Json::out_of_range& error) { // "… number overflow parsing '1e400'"
        const std::string_view what = error.what();
        const std::size_t begin = what.find('\'') + 1;
        const std::string_view number = what.substr(begin, what.rfind('\'') - begin);
        const auto place =
            static_cast<std::uint32_t>(std::min(std::string_view(text).find(number), std::string_view(text).size()));
        diagnostics.error({source, place, static_cast<std::uint32_t>(place + number.size())},
                          "this number is too large");
        return false;
    } catch (const Json::parse_error& error) {
        const auto at = static_cast<std::uint32_t>(std::min(error.byte > 0 ? error.byte - 1 : 0, text.size()));
        diagnostics.error({source, at, std::min<std::uint32_t>(at + 1, static_cast<std::uint32_t>(text.size()))},
                          "this is not JSON");
        return false;
    }
}

} // namespace irrewrite::grammar
