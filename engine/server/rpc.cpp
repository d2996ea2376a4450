#include "engine/server/rpc.hpp"

#include <charconv>
#include <poll.h>
#include <unistd.h>

namespace irrewrite::server {

namespace {

constexpr int deepest = 100; // of a message; those of the protocol are nested about ten levels

// Nothing: the text is no JSON, or nested too deep.
std::optional<Json> parsed(const std::string& text) {
    bool deep = false;
    const auto within = [&](int depth, Json::parse_event_t, Json&) {
        deep = deep || depth > deepest;
        return !deep;
    };
    Json message = Json::parse(text, within, false);
    if (message.is_discarded() || deep) return std::nullopt;
    return message;
}

bool is_length(std::string_view header) {
    constexpr std::string_view name = "content-length:";
    if (header.size() < name.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
        if ((header[i] | 0x20) != (name[i] | 0x20)) return false;
    return true;
}

std::optional<std::size_t> length_in(std::string_view header) {
    header.remove_prefix(header.find(':') + 1);
    while (header.starts_with(' ')) header.remove_prefix(1);
    std::size_t length = 0;
    const auto [end, failure] = std::from_chars(header.data(), header.data() + header.size(), length);
    if (failure != std::errc() || end != header.data() + header.size()) return std::nullopt;
    return length;
}

} // namespace

// More bytes in the buffer; false at the end.
bool Connection::fill() {
    if (ended_) return false;
    if (taken_ > (1u << 16)) buffer_.erase(0, taken_), taken_ = 0;
    char some[1 << 16];
    const ssize_t count = ::read(in_, some, sizeof some);
    if (count < 0 && errno == EINTR) return true;
    ended_ = count <= 0;
    if (count > 0) buffer_.append(some, static_cast<std::size_t>(count));
    return !ended_;
}

std::optional<std::string> Connection::line() {
    for (;;) {
        const std::size_t end = buffer_.find('\n', taken_);
        if (end != std::string::npos) {
            std::string line = buffer_.substr(taken_, end - taken_);
            taken_ = end + 1;
            if (line.ends_with('\r')) line.pop_back();
            return line;
        }
        if (!fill()) return std::nullopt;
    }
}

Connection::Next Connection::read(Json& message) {
    std::optional<std::size_t> length;
    bool malformed = false;
    for (bool any = false;;) {
        const auto header = line();
        if (!header) return Next::End;
        if (header->empty()) {
            if (!any) continue; // between messages
            break;
        }
        any = true;
        if (!is_length(*header)) continue;
        length = length_in(*header);
        malformed = !length;
    }
    if (!length || malformed || *length > longest) {
        message = "expected a header 'Content-Length: N'";
        return Next::Malformed;
    }
    while (buffer_.size() - taken_ < *length)
        if (!fill()) return Next::End;
    const std::string text = buffer_.substr(taken_, *length);
    taken_ += *length;
    auto json = parsed(text);
    message = json ? std::move(*json) : Json("this is no JSON");
    return json ? Next::Message : Next::Malformed;
}

bool Connection::is_waiting() const {
    if (taken_ < buffer_.size()) return true;
    pollfd input{in_, POLLIN, 0};
    return ::poll(&input, 1, 0) > 0;
}

void Connection::send(const Json& message) {
    // Bytes that are not UTF-8 are shown as marks.
    send_text(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Connection::send_text(const std::string& body) {
    const std::string text = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t count = ::write(out_, text.data() + at, text.size() - at);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return; // nobody listens: the input ends soon
        at += static_cast<std::size_t>(count);
    }
}

} // namespace irrewrite::server
