#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace restante::test {

/// A request as it arrived. *Value.*
struct ReceivedHttp {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::string body;
    int connection = 0;  ///< 1 = the first that was accepted

    /// Empty when there is none.
    std::string header(const std::string& name) const;
};

/// A receiver's answer to a request, and how it misbehaves. *Value.*
struct HttpReply {
    enum class Behaviour {
        Proper,
        Hang,       ///< takes the request and never answers
        HangUp,     ///< closes without an answer
        CutShort,   ///< promises more body than it sends, and closes
        NoHttp,     ///< answers with another protocol
        Endless,    ///< a body without end
        DripBody,   ///< a header, then one byte every 20 ms
        HugeHeader  ///< headers without end
    };
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    Behaviour behaviour = Behaviour::Proper;
    Millis delay{0};  ///< before it answers
};

/// A small HTTP/1.1 server on 127.0.0.1 with a thread of its own, which records requests and
/// answers by a script. *Any thread.*
class HttpReceiver {
public:
    /// Called on the receiver's thread, one request at a time.
    using Script = std::function<HttpReply(const ReceivedHttp&)>;

    /// Without a script: 200 to everything.
    explicit HttpReceiver(Script script = {});
    HttpReceiver(const HttpReceiver&) = delete;
    HttpReceiver& operator=(const HttpReceiver&) = delete;
    ~HttpReceiver();

    std::uint16_t port() const noexcept;
    /// "http://127.0.0.1:PORT/hook"; or under another name for this host.
    std::string url(const std::string& target = "/hook",
                    const std::string& host = "127.0.0.1") const;
    std::string hostPort() const;

    std::vector<ReceivedHttp> requests() const;
    std::size_t count() const;
    std::size_t connections() const;
    std::size_t
    mostAtOnce() const;  ///< the most requests that waited for their answer at the same time

private:
    class Server;
    std::unique_ptr<Server> server_;
};

}  // namespace restante::test
