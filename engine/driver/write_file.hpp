// Writes output. A file is written under another name in its folder, and renamed when it is whole: the old one stays
// until then, and keeps its mode and owner; through a symbolic link its target is written.
#pragma once

#include <span>
#include <string>

namespace irrewrite {

// No name: standard output. False: it cannot be written; what stood there still does.
bool write_file(const std::string& path, std::span<const std::string> pieces); // of one text
// Of a run that ends while a file is written. Safe in a signal handler.
void remove_unfinished_file();

} // namespace irrewrite
