// Messages of JSON-RPC 2.0 on standard input and output, each behind a header with its length. Whatever comes in, nothing
// but a message, an error of the sender or the end comes out.
#pragma once

#include "engine/server/positions.hpp"

#include <optional>
#include <string>

namespace irrewrite::server {

enum Failure : int {
    ParseError = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    InternalError = -32603,
    RequestFailed = -32803
};

class Connection {
  public:
    Connection(int in, int out) : in_(in), out_(out) {}

    enum class Next : std::uint8_t { Message, Malformed, End };
    // Waits. Malformed: `message` says what is wrong, as text.
    Next read(Json& message);
    // True if a message, or a part of one, is there already.
    bool is_waiting() const;
    void send(const Json& message);
    void reply(const Json& id, Json result) { send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}); }
    void reply_text(const Json& id, const std::string& result) { // that is JSON already
        send_text("{\"id\":" + id.dump() + ",\"jsonrpc\":\"2.0\",\"result\":" + result + "}");
    }
    void refuse(const Json& id, int code, const std::string& what) {
        send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", what}}}});
    }
    void notify(const char* method, Json params) {
        send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
    }

  private:
    void send_text(const std::string& body);
    bool fill();
    std::optional<std::string> line();

    static constexpr std::size_t longest = 256 << 20; // bytes of a message
    int in_, out_;
    std::string buffer_;
    std::size_t taken_ = 0; // of the buffer
    bool ended_ = false;
};

} // namespace irrewrite::server
