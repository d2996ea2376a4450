// The texts that the client has open, and the files that they import; which declaration a name means.
#pragma once

#include "engine/server/file_index.hpp"

#include <filesystem>
#include <map>
#include <set>

namespace irrewrite::server {

struct Settings {
    std::vector<std::string> rules, includes; // of the command line: what programs are read with
};

struct Document {
    std::string uri, path, text;
    std::int64_t version = 0;
    bool changed = true; // since its diagnostics were published
    std::shared_ptr<FileIndex> index;
    grammar::FileLanguage language() const;
    void change(const Json& change); // one of `contentChanges`
};

// A name where it is declared.
struct Place {
    std::shared_ptr<FileIndex> file;
    std::uint32_t occurrence = 0;
    const Occurrence& operator*() const { return file->occurrences[occurrence]; }
    const Occurrence* operator->() const { return &file->occurrences[occurrence]; }
    bool operator==(const Place& other) const { return file == other.file && occurrence == other.occurrence; }
};

class Workspace {
  public:
    explicit Workspace(Settings settings) : settings_(std::move(settings)) {}

    Settings& settings() { return settings_; }
    Document& open(const std::string& uri, std::string text, std::int64_t version);
    void close(const std::string& uri);
    Document* find(const std::string& uri);
    std::map<std::string, Document>& documents() { return documents_; }

    FileIndex& index(Document& document);
    // The file itself, what it imports, and what every file may use; for a program, the rule files of the settings.
    std::vector<std::shared_ptr<FileIndex>> visible(Document& document);
    // All that is open, and all that it sees.
    std::vector<std::shared_ptr<FileIndex>> known();

    // Declarations that the name means; overloads of an operation are several.
    std::vector<Place> declarations(const std::shared_ptr<FileIndex>& file, const Occurrence& use);
    // Every occurrence of what is declared there, the declarations among them.
    std::vector<Place> uses(const std::vector<Place>& declared);

    grammar::IsLabel is_label() const; // of blocks, in all files seen

    std::optional<std::filesystem::path> imported(const std::string& name, const std::filesystem::path& from) const;

  private:
    std::shared_ptr<FileIndex> file(const std::filesystem::path& path);
    void collect(const std::filesystem::path& path, std::vector<std::shared_ptr<FileIndex>>& files,
                 std::set<std::string>& seen);
    void collect_imports(const std::shared_ptr<FileIndex>& file, std::vector<std::shared_ptr<FileIndex>>& files,
                         std::set<std::string>& seen);
    std::vector<std::shared_ptr<FileIndex>> seen_from(const std::shared_ptr<FileIndex>& file);
    void learn_labels(const FileIndex& file);
    struct Cached {
        std::filesystem::file_time_type written;
        std::shared_ptr<FileIndex> index;
    };
    Settings settings_;
    std::map<std::string, Document> documents_; // by URI
    std::map<std::string, Cached> cache_;       // by canonical path
    std::set<std::string, std::less<>> labels_; // of blocks, of all files seen
};

std::string real_path(const std::filesystem::path& path);

} // namespace irrewrite::server
