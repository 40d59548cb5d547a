#include "core/delivery/http_transfer.h"

#include "core/base/duration.h"
#include "core/base/text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <curl/curl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <new>
#include <sys/socket.h>

namespace restante::delivery {

namespace {

/// More than any server needs to say 200; a stream of headers without end is cut here.
constexpr std::size_t kMostHeaderBytes = 65'536;

/// A gateway may want a whole text message in its URL, of which percent-encoding makes nine times
/// as much; what may be pushed is bounded elsewhere.
constexpr std::size_t kLongestUrl = 65'536;

constexpr std::string_view kSpace = " \t\r\n";

using Kind = HttpError::Kind;

std::optional<HttpError> wrongIn(const HttpRequest& request)
{
    if (!isHttpToken(request.method)) {
        return HttpError{Kind::Invalid, "the method is not a token"};
    }
    for (const auto& [name, value] : request.headers) {
        if (!isHttpToken(name) ||
            value.find_first_of(std::string_view{"\r\n\0", 3}) != std::string_view::npos) {
            return HttpError{Kind::Invalid, "a header is not one line with a name"};
        }
    }
    return {};
}

template <class Value>
void set(CURL* easy, CURLoption option, Value value)
{
    // Every option used here exists since libcurl 7.87; a refusal is a wrong program.
    [[maybe_unused]] const auto code = curl_easy_setopt(easy, option, value);
}

/// Microseconds that libcurl noted; 0 = that far it has not come.
curl_off_t moment(CURL* easy, CURLINFO info)
{
    curl_off_t value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const noexcept
{
    const auto found = std::find_if(headers.begin(), headers.end(), [name](const auto& header) {
        return equalIgnoringCase(header.first, name);
    });
    return found == headers.end() ? std::string_view{} : std::string_view{found->second};
}

/// What libcurl calls. No exception may cross it.
struct HttpTransfer::Trampolines {
    static curl_socket_t openSocket(void* self, curlsocktype purpose, curl_sockaddr* peer) noexcept
    {
        if (purpose != CURLSOCKTYPE_IPCXN) {
            return CURL_SOCKET_BAD;
        }
        try {
            return static_cast<HttpTransfer*>(self)->openSocket(peer->family, peer->socktype,
                                                                peer->protocol, &peer->addr);
        } catch (const std::exception&) {
            return CURL_SOCKET_BAD;
        }
    }
    static std::size_t header(char* data, std::size_t one, std::size_t count, void* self) noexcept
    {
        try {
            const bool taken =
                static_cast<HttpTransfer*>(self)->takeHeaderLine({data, one * count});
            return taken ? one * count : 0;
        } catch (const std::exception&) {
            return 0;
        }
    }
    static std::size_t body(char* data, std::size_t one, std::size_t count, void* self) noexcept
    {
        try {
            const bool taken = static_cast<HttpTransfer*>(self)->takeBody({data, one * count});
            return taken ? one * count : 0;
        } catch (const std::exception&) {
            return 0;
        }
    }
};

tl::expected<std::unique_ptr<HttpTransfer>, HttpError>
HttpTransfer::prepare(HttpRequest request, const HttpClient::Settings& settings)
{
    if (auto wrong = wrongIn(request)) {
        return tl::unexpected(std::move(*wrong));
    }
    auto url = parseWebUrl(request.url, kLongestUrl);
    if (!url) {
        return tl::unexpected(HttpError{Kind::Invalid, std::move(url.error().message)});
    }
    // Not make_unique: the constructor is private.
    return std::unique_ptr<HttpTransfer>(
        new HttpTransfer(std::move(request), std::move(*url), settings));
}

HttpTransfer::HttpTransfer(HttpRequest request, WebUrl url, const HttpClient::Settings& settings)
    : request_(std::move(request)),
      url_(std::move(url)),
      settings_(settings),
      easy_(curl_easy_init())
{
    static_assert(std::tuple_size_v<decltype(trouble_)> == CURL_ERROR_SIZE);
    if (easy_ == nullptr) {
        throw std::bad_alloc();
    }
    setRequest();
    setHeaders();
    setBounds();
    setGuards();
}

HttpTransfer::~HttpTransfer()
{
    curl_easy_cleanup(easy_);
    curl_slist_free_all(static_cast<curl_slist*>(headerList_));
}

void HttpTransfer::setRequest()
{
    set(easy_, CURLOPT_URL, request_.url.c_str());
    set(easy_, CURLOPT_PATH_AS_IS, 1L);
    set(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(easy_, CURLOPT_PRIVATE, this);
    set(easy_, CURLOPT_ERRORBUFFER, trouble_.data());
    if (request_.method == "HEAD") {
        set(easy_, CURLOPT_NOBODY, 1L);
        return;
    }
    const bool carriesBody = request_.method == "POST" || request_.method == "PUT" ||
                             request_.method == "PATCH" || !request_.body.empty();
    if (carriesBody) {
        set(easy_, CURLOPT_POST, 1L);
        set(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
        set(easy_, CURLOPT_POSTFIELDS, request_.body.data());
    }
    set(easy_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

void HttpTransfer::setHeaders()
{
    curl_slist* list = nullptr;
    const auto add = [&](const std::string& line) {
        if (auto* longer = curl_slist_append(list, line.c_str())) {
            list = longer;
        }
        headerList_ = list;
    };
    bool hasType = false;
    for (const auto& [name, value] : request_.headers) {
        // To libcurl "Name:" means "leave it out" and "Name;" means that it is empty.
        add(trimmed(value, kSpace).empty() ? name + ";" : name + ": " + value);
        hasType = hasType || equalIgnoringCase(name, "Content-Type");
    }
    if (!hasType) {
        add("Content-Type:");  // or libcurl would call every body a form
    }
    add("Expect:");  // waiting for a 100 costs a second with servers that know none
    set(easy_, CURLOPT_HTTPHEADER, list);
    set(easy_, CURLOPT_USERAGENT, settings_.userAgent.c_str());
}

void HttpTransfer::setBounds()
{
    set(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.connectTimeout.count()));
    set(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout.count()));
    set(easy_, CURLOPT_HEADERFUNCTION, &Trampolines::header);
    set(easy_, CURLOPT_HEADERDATA, this);
    set(easy_, CURLOPT_WRITEFUNCTION, &Trampolines::body);
    set(easy_, CURLOPT_WRITEDATA, this);
    set(easy_, CURLOPT_NOSIGNAL, 1L);
    // Or giving up on a name would wait for its resolver's thread, and the loop with it.
    set(easy_, CURLOPT_QUICK_EXIT, 1L);
}

void HttpTransfer::setGuards()
{
    set(easy_, CURLOPT_OPENSOCKETFUNCTION, &Trampolines::openSocket);
    set(easy_, CURLOPT_OPENSOCKETDATA, this);
    set(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy_, CURLOPT_FOLLOWLOCATION, 0L);
    set(easy_, CURLOPT_PROXY, "");  // none, whatever the environment says
    set(easy_, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    set(easy_, CURLOPT_HTTP09_ALLOWED, 0L);
    set(easy_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!settings_.caFile.empty()) {
        set(easy_, CURLOPT_CAINFO, settings_.caFile.c_str());
    }
}

int HttpTransfer::openSocket(int family, int type, int protocol, const void* address)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* bytes = nullptr;
    if (family == AF_INET) {
        bytes = &static_cast<const sockaddr_in*>(address)->sin_addr;
    } else if (family == AF_INET6) {
        bytes = &static_cast<const sockaddr_in6*>(address)->sin6_addr;
    }
    if (bytes == nullptr || inet_ntop(family, bytes, text.data(), text.size()) == nullptr) {
        return CURL_SOCKET_BAD;
    }
    if (const auto why = settings_.policy.refusal(url_.host, text.data())) {
        refused_ = fmt::format("{} {}", text.data(), *why);
        return CURL_SOCKET_BAD;
    }
    opened_ = true;
    return ::socket(family, type | SOCK_CLOEXEC, protocol);
}

bool HttpTransfer::takeHeaderLine(std::string_view line)
{
    headerBytes_ += line.size();
    if (headerBytes_ > kMostHeaderBytes) {
        return false;
    }
    if (line.starts_with("HTTP/")) {
        answer_.headers.clear();  // what came before was a 100
        return true;
    }
    if (const auto colon = line.find(':'); colon != std::string_view::npos) {
        answer_.headers.emplace_back(line.substr(0, colon),
                                     trimmed(line.substr(colon + 1), kSpace));
    }
    return true;
}

bool HttpTransfer::takeBody(std::string_view part)
{
    const auto room = request_.answerLimit - std::min(answer_.body.size(), request_.answerLimit);
    answer_.body.append(part.substr(0, room));
    answer_.truncated = part.size() > room;
    return !answer_.truncated;
}

HttpResult HttpTransfer::resultOf(int code)
{
    if (code != CURLE_OK && !answer_.truncated) {
        return tl::unexpected(failureOf(code));
    }
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    answer_.status = static_cast<int>(status);
    answer_.took = Millis{moment(easy_, CURLINFO_TOTAL_TIME_T) / 1'000};
    return std::move(answer_);
}

HttpError HttpTransfer::failureOf(int code) const
{
    const auto peer = url_.authority();
    const std::string_view trouble = trouble_[0] != '\0'
                                         ? std::string_view{trouble_.data()}
                                         : curl_easy_strerror(static_cast<CURLcode>(code));
    switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        // Also what libcurl says of an answer in HTTP/0.9.
        return opened_ ? HttpError{Kind::Broken, fmt::format("{} does not speak HTTP", peer)}
                       : HttpError{Kind::Invalid, fmt::format("the URL is wrong: {}", trouble)};
    case CURLE_COULDNT_RESOLVE_HOST:
        return {Kind::Resolve, fmt::format("cannot resolve {}", url_.host)};
    case CURLE_COULDNT_CONNECT: return connectFailure();
    case CURLE_OPERATION_TIMEDOUT: return timeoutFailure();
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return {Kind::Tls, fmt::format("no TLS with {}: {}", peer, trouble)};
    case CURLE_WEIRD_SERVER_REPLY:
        return {Kind::Broken, fmt::format("{} does not speak HTTP", peer)};
    case CURLE_WRITE_ERROR:
        return {Kind::Broken,
                fmt::format("{} answers with headers over {} bytes", peer, kMostHeaderBytes)};
    case CURLE_GOT_NOTHING:
        return {Kind::Broken, fmt::format("{} hung up without an answer", peer)};
    case CURLE_PARTIAL_FILE:
        return {Kind::Broken, fmt::format("{} hung up in the middle of its answer", peer)};
    default: return {Kind::Broken, fmt::format("the connection to {} broke: {}", peer, trouble)};
    }
}

HttpError HttpTransfer::timeoutFailure() const
{
    const auto peer = url_.authority();
    if (moment(easy_, CURLINFO_PRETRANSFER_TIME_T) > 0) {
        return {Kind::Timeout,
                fmt::format("no answer from {} within {}", peer, printDuration(request_.timeout))};
    }
    const auto limit = printDuration(std::min(request_.connectTimeout, request_.timeout));
    if (moment(easy_, CURLINFO_NAMELOOKUP_TIME_T) == 0) {
        return {Kind::Timeout, fmt::format("{} was not resolved within {}", url_.host, limit)};
    }
    return {Kind::Timeout, fmt::format("no connection to {} within {}", peer, limit)};
}

HttpError HttpTransfer::connectFailure() const
{
    if (refused_ && !opened_) {
        return {Kind::Refused, fmt::format("not sent to {}: {}; webhook.allow can allow it",
                                           url_.authority(), *refused_)};
    }
    long number = 0;
    curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &number);
    return {Kind::Connect,
            fmt::format("cannot connect to {}: {}", url_.authority(),
                        number == 0 ? "nobody answers" : std::strerror(static_cast<int>(number)))};
}

}  // namespace restante::delivery
