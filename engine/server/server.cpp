#include "engine/server/server.hpp"

#include "engine/server/features.hpp"
#include "engine/server/rpc.hpp"

namespace irrewrite::server {

namespace {

struct Refused { // the answer to a request that cannot be granted
    int code;
    std::string what;
};

class Server {
  public:
    Server(Settings settings, int in, int out) : connection_(in, out), workspace_(std::move(settings)) {}

    int run() {
        Json message;
        while (!ended_) {
            if (!connection_.is_waiting()) publish_all();
            switch (connection_.read(message)) {
            case Connection::Next::End: return shut_down_ ? 0 : 1;
            case Connection::Next::Malformed:
                connection_.refuse(nullptr, ParseError, message.get<std::string>());
                continue;
            case Connection::Next::Message: take(message);
            }
        }
        return shut_down_ ? 0 : 1;
    }

  private:
    // -- messages

    void take(const Json& message) {
        if (message.is_array()) { // a batch
            for (const Json& each : message) take_one(each);
            if (message.empty()) connection_.refuse(nullptr, InvalidRequest, "an empty batch");
            return;
        }
        take_one(message);
    }

    void take_one(const Json& message) {
        const bool is_object = message.is_object();
        const auto method = is_object ? message.find("method") : message.end();
        const auto id = is_object ? message.find("id") : message.end();
        const bool asks = is_object && id != message.end();
        const bool good_id = !asks || id->is_string() || id->is_number_integer() || id->is_null();
        if (is_object && method == message.end() && asks) return; // a reply
        if (!is_object || method == message.end() || !method->is_string() || !good_id)
            return connection_.refuse(asks && good_id ? *id : Json(nullptr), InvalidRequest, "this is no request");
        const auto params = message.find("params");
        const Json none = Json::object();
        const Json& given = params == message.end() || params->is_null() ? none : *params;
        const auto& name = method->get_ref<const std::string&>();
        if (!asks) return notice(name, given);
        try {
            using Long = std::string (*)(const View&);
            static const std::map<std::string, Long> long_replies{{"textDocument/semanticTokens/full", semantic_tokens},
                                                                  {"textDocument/documentSymbol", document_symbols},
                                                                  {"textDocument/codeLens", code_lenses}};
            const auto reply = long_replies.find(name);
            if (reply != long_replies.end() && initialized_ && !shut_down_)
                connection_.reply_text(*id, reply->second(view_of(uri_in(given))));
            else
                connection_.reply(*id, answer(name, given));
        } catch (const Refused& refused) {
            connection_.refuse(*id, refused.code, refused.what);
        } catch (const Json::exception& error) {
            connection_.refuse(*id, InvalidParams, error.what());
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            connection_.refuse(*id, InternalError, error.what());
        }
    }

    // -- notifications: nobody waits for an answer, and what is wrong is left alone

    void notice(const std::string& method, const Json& params) {
        try {
            if (method == "exit")
                ended_ = true;
            else if (method == "textDocument/didOpen")
                open(params.at("textDocument"));
            else if (method == "textDocument/didChange")
                change(params);
            else if (method == "textDocument/didClose")
                close(params.at("textDocument").at("uri").get<std::string>());
            else if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles")
                for (auto& [uri, document] : workspace_.documents()) touch(document); // what it imports may be other
        } catch (const Json::exception&) {
        }
    }

    void open(const Json& item) {
        const auto uri = item.at("uri").get<std::string>();
        Document& document =
            workspace_.open(uri, item.at("text").get<std::string>(), item.value("version", std::int64_t{0}));
        touch(document);
        touch_others(uri);
    }

    void change(const Json& params) {
        const Json& item = params.at("textDocument");
        const auto uri = item.at("uri").get<std::string>();
        Document* document = workspace_.find(uri);
        if (!document) return;
        for (const Json& each : params.at("contentChanges")) document->change(each);
        if (item.contains("version") && item["version"].is_number_integer()) document->version = item["version"];
        touch(*document);
        if (document->language() == grammar::FileLanguage::Rules) touch_others(uri);
    }

    void close(const std::string& uri) {
        if (!workspace_.find(uri)) return;
        workspace_.close(uri);
        analyses_.erase(uri);
        checked_.erase(uri);
        rewrites_.erase(uri);
        connection_.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
    }

    void touch(Document& document) {
        document.changed = true;
        analyses_.erase(document.uri);
        checked_.erase(document.uri);
        rewrites_.erase(document.uri);
    }
    void touch_others(const std::string& uri) {
        for (auto& [other, document] : workspace_.documents())
            if (other != uri) document.index = nullptr; // which labels there are may have changed
    }

    // -- diagnostics

    const Analysis& analysis(const Document& document) {
        auto& known = analyses_[document.uri];
        if (!known) known = std::make_unique<Analysis>(document, workspace_.settings());
        return *known;
    }

    const Rewrites& rewrites(Document& document, grammar::SyntaxId function) {
        const FileIndex& file = workspace_.index(document);
        auto& known = rewrites_[document.uri][file.tree[function].begin];
        if (!known) known = std::make_unique<Rewrites>(file, function, workspace_.settings());
        return *known;
    }

    void publish_all() {
        for (auto& [uri, document] : workspace_.documents())
            if (document.changed) publish(document);
    }

    void publish(Document& document) {
        document.changed = false;
        Json list = analysis(document).diagnostics(document);
        for (const auto& [rule, found] : checked_[document.uri]) list.push_back(found);
        connection_.notify("textDocument/publishDiagnostics",
                           {{"uri", document.uri}, {"version", document.version}, {"diagnostics", std::move(list)}});
    }

    // -- requests

    Json answer(const std::string& method, const Json& params) {
        if (method == "initialize") return initialize(params);
        if (method == "shutdown") return shut_down_ = true, nullptr;
        if (!initialized_) throw Refused{-32002, "'initialize' comes first"};
        if (shut_down_) throw Refused{InvalidRequest, "the server is shut down"};
        if (method == "workspace/executeCommand") return execute(params);
        if (!method.starts_with("textDocument/")) throw Refused{MethodNotFound, "there is no method '" + method + "'"};
        return about_document(method.substr(13), params);
    }

    Json about_document(const std::string& what, const Json& params) {
        using Position = Json (*)(const View&, const Json&);
        static const std::map<std::string, Position> at_position{{"hover", hover},
                                                                 {"definition", definition},
                                                                 {"documentHighlight", highlights},
                                                                 {"prepareRename", prepare_rename},
                                                                 {"completion", completion},
                                                                 {"signatureHelp", signature_help}};
        const auto by_position = at_position.find(what);
        const bool known = by_position != at_position.end() || what == "foldingRange" || what == "references" ||
                           what == "rename" || what == "inlayHint" || what == "formatting";
        if (!known) throw Refused{MethodNotFound, "there is no method 'textDocument/" + what + "'"};
        const View view = view_of(uri_in(params));
        if (by_position != at_position.end()) return by_position->second(view, params.at("position"));
        if (what == "foldingRange") return folding_ranges(view);
        if (what == "inlayHint") return inlay_hints(view, params.at("range"));
        if (what == "references")
            return references(view, params.at("position"),
                              params.value("/context/includeDeclaration"_json_pointer, true));
        if (what == "rename") {
            std::string why;
            auto edit = rename(view, params.at("position"), params.at("newName").get<std::string>(), why);
            if (!edit) throw Refused{RequestFailed, why};
            return *edit;
        }
        auto edits = formatting(view);
        if (!edits) throw Refused{RequestFailed, "the text has mistakes"};
        return *edits;
    }

    static std::string uri_in(const Json& params) { return params.at("textDocument").at("uri").get<std::string>(); }

    View view_of(const std::string& uri) {
        Document* document = workspace_.find(uri);
        if (!document) throw Refused{InvalidParams, "'" + uri + "' is not open"};
        workspace_.index(*document);
        return {
            workspace_, *document, [this, document]() -> const Analysis& { return analysis(*document); },
            [this, document](grammar::SyntaxId function) -> const Rewrites& { return rewrites(*document, function); }};
    }

    Json initialize(const Json& params) {
        initialized_ = true;
        const auto options = params.find("initializationOptions");
        if (options != params.end() && options->is_object()) {
            for (const auto& [key, list] : {std::pair("rules", &workspace_.settings().rules),
                                            std::pair("includes", &workspace_.settings().includes)})
                if (const auto given = options->find(key); given != options->end() && given->is_array())
                    for (const Json& each : *given)
                        if (each.is_string()) list->push_back(each);
        }
        return {{"serverInfo", {{"name", "irrewrite"}}},
                {"capabilities",
                 {{"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
                  {"hoverProvider", true},
                  {"definitionProvider", true},
                  {"referencesProvider", true},
                  {"documentHighlightProvider", true},
                  {"renameProvider", {{"prepareProvider", true}}},
                  {"completionProvider", {{"triggerCharacters", {"%", "@", "?", "#", "."}}}},
                  {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
                  {"documentSymbolProvider", true},
                  {"foldingRangeProvider", true},
                  {"documentFormattingProvider", true},
                  {"inlayHintProvider", true},
                  {"codeLensProvider", {{"resolveProvider", false}}},
                  {"executeCommandProvider", {{"commands", {"irrewrite.check"}}}},
                  {"semanticTokensProvider", {{"legend", semantic_legend()}, {"full", true}}}}}};
    }

    // irrewrite.check URI RULE: a counterexample is a diagnostic of the rule's name, until the text changes.
    Json execute(const Json& params) {
        const auto command = params.at("command").get<std::string>();
        if (command != "irrewrite.check") throw Refused{InvalidParams, "there is no command '" + command + "'"};
        const Json& arguments = params.at("arguments");
        const auto uri = arguments.at(0).get<std::string>(), rule = arguments.at(1).get<std::string>();
        Document* document = workspace_.find(uri);
        if (!document) throw Refused{InvalidParams, "'" + uri + "' is not open"};
        const Checked checked = check_rule(*document, workspace_.settings(), rule);
        if (checked.kind == Checked::Kind::Unknown) throw Refused{RequestFailed, checked.text};
        checked_[uri].erase(rule);
        if (checked.kind == Checked::Kind::Found)
            checked_[uri][rule] = {{"range", range_of_rule(*document, rule)},
                                   {"severity", 2},
                                   {"source", "irrewrite -check"},
                                   {"message", checked.text}};
        publish(*document);
        const bool passed = checked.kind == Checked::Kind::Passed;
        connection_.notify("window/showMessage", {{"type", passed ? 3 : 2}, {"message", rule + ": " + checked.text}});
        return {{"passed", passed}, {"text", checked.text}};
    }

    Json range_of_rule(Document& document, const std::string& rule) {
        const FileIndex& file = workspace_.index(document);
        std::string set;
        for (const Declaration& each : file.declarations) {
            if (each.occurrence == UINT32_MAX) continue;
            const Occurrence& name = file.occurrences[each.occurrence];
            const Entity& entity = file.entities[name.entity];
            if (entity.kind == Name::Set) set = entity.name;
            if (entity.kind == Name::Rule && set + "." + std::string(entity.name) == rule)
                return file.lines->range(file.text(), name.begin, name.end);
        }
        return file.lines->range(file.text(), 0, 0);
    }

    Connection connection_;
    Workspace workspace_;
    std::map<std::string, std::unique_ptr<Analysis>> analyses_; // by URI, of the text as it is
    std::map<std::string, std::map<std::uint32_t, std::unique_ptr<Rewrites>>>
        rewrites_;                                               // by URI and place of a function
    std::map<std::string, std::map<std::string, Json>> checked_; // by URI and rule: diagnostics
    bool initialized_ = false, shut_down_ = false, ended_ = false;
};

} // namespace

int serve(Settings settings, int in, int out) { return Server(std::move(settings), in, out).run(); }

} // namespace irrewrite::server
