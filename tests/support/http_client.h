#pragma once

#include "core/base/clock.h"
#include "core/base/file_descriptor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::test {

/// *Value.*
struct HttpAnswer {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;

    /// The first header of that name (any case), or the empty text.
    std::string header(std::string_view name) const;
};

/// One TCP connection to an HTTP server, on which the test controls every byte. Does not use the
/// product's library, so that no mistake is shared. *One thread.*
class HttpClient {
public:
    /// Throws when it cannot connect.
    explicit HttpClient(std::uint16_t port, const std::string& host = "127.0.0.1");

    /// False when the server has closed.
    bool send(std::string_view bytes);
    /// The next answer; nothing when it is incomplete.
    std::optional<HttpAnswer> receive(Millis timeout = Millis{10'000}, bool toHead = false);
    /// One request of our own making and its answer; status 0 when none comes.
    HttpAnswer ask(std::string_view method, std::string_view path, std::string_view body = {});
    /// The unread bytes up to the end of the line in which `text` ends; the others stay for the
    /// next call. Empty when `text` does not come.
    std::string receiveUntil(std::string_view text, Millis timeout = Millis{10'000});
    /// Whether the server closes within that time; what it sends meanwhile is dropped.
    bool closedWithin(Millis timeout);
    void finish() noexcept;  ///< nothing more will be sent
    void close() noexcept { socket_.close(); }

    /// The request that ask() makes.
    static std::string
    request(std::string_view method, std::string_view path, std::string_view body = {});

private:
    bool readMore(Millis timeout);
    std::optional<std::string> takeLine(Millis timeout);
    bool takeBody(HttpAnswer& answer, Millis timeout);

    FileDescriptor socket_;
    std::string buffer_;
};

}  // namespace restante::test
