#include "printers/c_like/writer.hpp"

namespace irrewrite::printers {

void Writer::line(std::string_view text) {
    if (!text.starts_with('#')) text_.append(std::size_t{4} * indent_, ' ');
    (text_ += text) += '\n';
}

void Writer::open(std::string_view text) {
    line(text);
    ++indent_;
    names_.open();
}

void Writer::close(std::string_view text) {
    names_.close();
    --indent_;
    line(text);
}

void Writer::replace_last(std::string_view text, std::string_view other) {
    text_.replace(text_.rfind(text), text.size(), other);
}

void Writer::put_by_since(std::size_t begin) {
    if (last_ == nullptr) return;
    last_->append(text_, begin);
    text_.resize(begin);
}

} // namespace irrewrite::printers
