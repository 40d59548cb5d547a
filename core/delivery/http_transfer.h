#pragma once

#include "core/delivery/http_client.h"
#include "core/job/web_url.h"

#include <array>
#include <memory>
#include <optional>

namespace restante::delivery {

/// One request on its way: libcurl's handle with its options, what has come of the answer so far,
/// and what the end of it means. Stays where it is, as the handle points into it. Part of
/// HttpClient. *One loop.*
class HttpTransfer {
public:
    /// libcurl's CURL, without its header.
    using Easy = void;

    /// Refuses as Invalid a URL, method or header that is wrong. `settings` must outlive it.
    static tl::expected<std::unique_ptr<HttpTransfer>, HttpError>
    prepare(HttpRequest request, const HttpClient::Settings& settings);
    HttpTransfer(const HttpTransfer&) = delete;
    HttpTransfer& operator=(const HttpTransfer&) = delete;
    ~HttpTransfer();

    Easy* easy() noexcept { return easy_; }
    void number(HttpClient::RequestId id) noexcept { id_ = id; }
    HttpClient::RequestId number() const noexcept { return id_; }
    /// What came of it, once: `code` is libcurl's CURLcode.
    HttpResult resultOf(int code);

private:
    HttpTransfer(HttpRequest request, WebUrl url, const HttpClient::Settings& settings);
    void setRequest();
    void setHeaders();
    void setBounds();
    void setGuards();

    int openSocket(int family, int type, int protocol, const void* address);
    bool takeHeaderLine(std::string_view line);
    bool takeBody(std::string_view part);
    HttpError failureOf(int code) const;
    HttpError timeoutFailure() const;
    HttpError connectFailure() const;

    struct Trampolines;

    HttpRequest request_;
    WebUrl url_;
    const HttpClient::Settings& settings_;
    Easy* easy_;
    void* headerList_ = nullptr;  ///< libcurl's curl_slist
    HttpClient::RequestId id_ = 0;
    HttpAnswer answer_;
    std::size_t headerBytes_ = 0;
    std::optional<std::string> refused_;  ///< "127.0.0.1 is a loopback address"
    bool opened_ = false;                 ///< an address was allowed
    std::array<char, 256> trouble_{};     ///< CURL_ERROR_SIZE
};

}  // namespace restante::delivery
