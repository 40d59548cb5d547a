#include "core/delivery/http_client.h"

#include "core/base/duration.h"
#include "core/base/handle_deleter.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/base/version.h"
#include "core/base/while_alive.h"
#include "core/job/web_url.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <curl/curl.h>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <new>
#include <optional>
#include <sys/socket.h>
#include <unordered_map>

namespace restante::delivery {

namespace {

/// More than any server needs; an endless stream of headers is cut off here.
constexpr std::size_t kMostHeaderBytes = 65'536;

constexpr std::string_view kWhitespace = " \t\r\n";

using ErrorKind = HttpError::Kind;

std::optional<HttpError> validationError(const HttpRequest& request)
{
    if (!isHttpToken(request.method)) {
        return HttpError{ErrorKind::Invalid, "the method is not a token"};
    }
    for (const auto& [name, value] : request.headers) {
        if (!isHttpToken(name) ||
            value.find_first_of(std::string_view{"\r\n\0", 3}) != std::string_view::npos) {
            return HttpError{ErrorKind::Invalid, "a header is not one line with a name"};
        }
    }
    return {};
}

/// One pending request: libcurl's handle with its options, the answer received so far, and the
/// translation of libcurl's result. Its address is fixed, because the handle points into it.
class HttpTransfer {
public:
    /// Refuses as Invalid a URL, method or header that is wrong. `settings` must outlive it.
    static tl::expected<std::unique_ptr<HttpTransfer>, HttpError>
    prepare(HttpClient::RequestId id, HttpRequest request, const HttpClient::Settings& settings)
    {
        if (auto wrong = validationError(request)) {
            return tl::unexpected(std::move(*wrong));
        }
        auto url = TRY(parseWebUrl(request.url, kLongestUrl).map_error([](const Error& wrong) {
            return HttpError{ErrorKind::Invalid, wrong.message};
        }));
        // Not make_unique: the constructor is private.
        return std::unique_ptr<HttpTransfer>(
            new HttpTransfer(id, std::move(request), std::move(url), settings));
    }

    CURL* easy() noexcept { return easy_.get(); }
    HttpClient::RequestId id() const noexcept { return id_; }
    Millis timeout() const noexcept { return request_.timeout; }
    /// The result; to be called once.
    HttpResult takeResult(CURLcode code)
    {
        if (code != CURLE_OK && !answer_.truncated) {
            return tl::unexpected(failureOf(code));
        }
        long status = 0;
        curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
        answer_.status = static_cast<int>(status);
        answer_.elapsed = Millis{elapsedMicros(CURLINFO_TOTAL_TIME_T) / 1'000};
        return std::move(answer_);
    }

private:
    HttpTransfer(HttpClient::RequestId id,
                 HttpRequest request,
                 WebUrl url,
                 const HttpClient::Settings& settings)
        : id_(id),
          request_(std::move(request)),
          url_(std::move(url)),
          settings_(settings),
          easy_(curl_easy_init())
    {
        if (!easy_) {
            throw std::bad_alloc();
        }
        setRequest();
        setHeaders();
        setLimits();
        setGuards();
    }

    template <class Value>
    void set(CURLoption option, Value value)
    {
        // Every option used here exists since libcurl 7.87; a refusal is a wrong program.
        [[maybe_unused]] const auto code = curl_easy_setopt(easy_.get(), option, value);
    }

    /// A time of libcurl's in microseconds; 0 = the request has not got that far.
    curl_off_t elapsedMicros(CURLINFO info) const
    {
        curl_off_t value = 0;
        curl_easy_getinfo(easy_.get(), info, &value);
        return value;
    }

    void setRequest()
    {
        set(CURLOPT_URL, request_.url.c_str());
        set(CURLOPT_PATH_AS_IS, 1L);
        set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
        set(CURLOPT_PRIVATE, this);
        set(CURLOPT_ERRORBUFFER, curlError_.data());
        if (request_.method == "HEAD") {
            set(CURLOPT_NOBODY, 1L);
            return;
        }
        const bool carriesBody = request_.method == "POST" || request_.method == "PUT" ||
                                 request_.method == "PATCH" || !request_.body.empty();
        if (carriesBody) {
            set(CURLOPT_POST, 1L);
            set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
            set(CURLOPT_POSTFIELDS, request_.body.data());
        }
        set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    }

    void setHeaders()
    {
        const auto add = [&](const std::string& line) {
            if (auto* longer = curl_slist_append(headers_.get(), line.c_str())) {
                static_cast<void>(headers_.release());  // now owned by the longer list
                headers_.reset(longer);
            }
        };
        bool hasType = false;
        for (const auto& [name, value] : request_.headers) {
            // To libcurl "Name:" means "leave it out" and "Name;" means that it is empty.
            add(trimmed(value, kWhitespace).empty() ? name + ";" : name + ": " + value);
            hasType = hasType || equalIgnoringCase(name, "Content-Type");
        }
        if (!hasType) {
            add("Content-Type:");  // otherwise libcurl declares every body a form
        }
        add("Expect:");  // waiting for a 100 costs a second with servers that know none
        set(CURLOPT_HTTPHEADER, headers_.get());
        set(CURLOPT_USERAGENT, settings_.userAgent.c_str());
    }

    void setLimits()
    {
        // The whole has a timer of ours: libcurl looks at its own before it reads an answer that
        // came in time while this process was busy or suspended.
        const auto connectTimeout = std::min(request_.connectTimeout, request_.timeout);
        set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connectTimeout.count()));
        set(CURLOPT_HEADERFUNCTION, &HttpTransfer::onData<&HttpTransfer::takeHeaderLine>);
        set(CURLOPT_HEADERDATA, this);
        set(CURLOPT_WRITEFUNCTION, &HttpTransfer::onData<&HttpTransfer::takeBody>);
        set(CURLOPT_WRITEDATA, this);
        set(CURLOPT_NOSIGNAL, 1L);
        // Otherwise giving up on a name would block the loop until the resolver's thread ends.
        set(CURLOPT_QUICK_EXIT, 1L);
    }

    void setGuards()
    {
        set(CURLOPT_OPENSOCKETFUNCTION, &HttpTransfer::onOpenSocket);
        set(CURLOPT_OPENSOCKETDATA, this);
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_FOLLOWLOCATION, 0L);
        set(CURLOPT_PROXY, "");  // none, whatever the environment says
        set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
        set(CURLOPT_HTTP09_ALLOWED, 0L);
        set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
        if (!settings_.caFile.empty()) {
            set(CURLOPT_CAINFO, settings_.caFile.c_str());
        }
    }

    // Callbacks of libcurl. No exception may cross them.
    static curl_socket_t
    onOpenSocket(void* self, curlsocktype purpose, curl_sockaddr* peer) noexcept
    {
        if (purpose != CURLSOCKTYPE_IPCXN) {
            return CURL_SOCKET_BAD;
        }
        try {
            return static_cast<HttpTransfer*>(self)->openSocket(*peer);
        } catch (const std::exception&) {
            return CURL_SOCKET_BAD;
        }
    }
    template <auto Take>
    static std::size_t onData(char* data, std::size_t size, std::size_t count, void* self) noexcept
    {
        try {
            return (static_cast<HttpTransfer*>(self)->*Take)({data, size * count}) ? size * count
                                                                                   : 0;
        } catch (const std::exception&) {
            return 0;
        }
    }

    int openSocket(const curl_sockaddr& peer)
    {
        const auto address = addressText(peer.addr);
        if (!address) {
            return CURL_SOCKET_BAD;
        }
        if (const auto why = settings_.policy.refusal(url_.host, *address)) {
            refusalReason_ = fmt::format("{} {}", *address, *why);
            return CURL_SOCKET_BAD;
        }
        socketAllowed_ = true;
        return ::socket(peer.family, peer.socktype | SOCK_CLOEXEC, peer.protocol);
    }

    bool takeHeaderLine(std::string_view line)
    {
        headerBytes_ += line.size();
        if (headerBytes_ > kMostHeaderBytes) {
            return false;
        }
        if (line.starts_with("HTTP/")) {
            answer_.headers.clear();  // the previous ones belong to a 100
            return true;
        }
        if (const auto colon = line.find(':'); colon != std::string_view::npos) {
            answer_.headers.emplace_back(line.substr(0, colon),
                                         trimmed(line.substr(colon + 1), kWhitespace));
        }
        return true;
    }

    bool takeBody(std::string_view part)
    {
        const auto room =
            request_.answerLimit - std::min(answer_.body.size(), request_.answerLimit);
        answer_.body.append(part.substr(0, room));
        answer_.truncated = part.size() > room;
        return !answer_.truncated;
    }

    HttpError failureOf(CURLcode code) const
    {
        const auto peer = url_.authority();
        const std::string_view reason =
            curlError_[0] != '\0' ? std::string_view{curlError_.data()} : curl_easy_strerror(code);
        switch (code) {
        case CURLE_URL_MALFORMAT:
        case CURLE_UNSUPPORTED_PROTOCOL:
            // libcurl also reports this for an answer in HTTP/0.9.
            return socketAllowed_
                       ? HttpError{ErrorKind::Broken, fmt::format("{} does not speak HTTP", peer)}
                       : HttpError{ErrorKind::Invalid, fmt::format("the URL is wrong: {}", reason)};
        case CURLE_COULDNT_RESOLVE_HOST:
            return {ErrorKind::Resolve, fmt::format("cannot resolve {}", url_.host)};
        case CURLE_COULDNT_CONNECT: return connectFailure();
        case CURLE_OPERATION_TIMEDOUT: return timeoutFailure();
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_INVALIDCERTSTATUS:
            return {ErrorKind::Tls, fmt::format("no TLS with {}: {}", peer, reason)};
        case CURLE_WEIRD_SERVER_REPLY:
            return {ErrorKind::Broken, fmt::format("{} does not speak HTTP", peer)};
        case CURLE_WRITE_ERROR:
            return {ErrorKind::Broken,
                    fmt::format("{} answers with headers over {} bytes", peer, kMostHeaderBytes)};
        case CURLE_GOT_NOTHING:
            return {ErrorKind::Broken, fmt::format("{} hung up without an answer", peer)};
        case CURLE_PARTIAL_FILE:
            return {ErrorKind::Broken, fmt::format("{} hung up in the middle of its answer", peer)};
        default:
            return {ErrorKind::Broken, fmt::format("the connection to {} broke: {}", peer, reason)};
        }
    }

    HttpError timeoutFailure() const
    {
        const auto peer = url_.authority();
        if (elapsedMicros(CURLINFO_PRETRANSFER_TIME_T) > 0) {
            return {ErrorKind::Timeout, fmt::format("no answer from {} within {}", peer,
                                                    formatDuration(request_.timeout))};
        }
        const auto limit = formatDuration(std::min(request_.connectTimeout, request_.timeout));
        if (elapsedMicros(CURLINFO_NAMELOOKUP_TIME_T) == 0) {
            return {ErrorKind::Timeout,
                    fmt::format("{} was not resolved within {}", url_.host, limit)};
        }
        return {ErrorKind::Timeout, fmt::format("no connection to {} within {}", peer, limit)};
    }

    HttpError connectFailure() const
    {
        if (refusalReason_ && !socketAllowed_) {
            return {ErrorKind::Refused,
                    fmt::format("not sent to {}: {}; webhook.allow can allow it", url_.authority(),
                                *refusalReason_)};
        }
        long number = 0;
        curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &number);
        return {
            ErrorKind::Connect,
            fmt::format("cannot connect to {}: {}", url_.authority(),
                        number == 0 ? "nobody answers" : std::strerror(static_cast<int>(number)))};
    }

    HttpClient::RequestId id_;
    HttpRequest request_;
    WebUrl url_;
    const HttpClient::Settings& settings_;
    HttpAnswer answer_;
    std::size_t headerBytes_ = 0;
    std::optional<std::string> refusalReason_;  ///< "127.0.0.1 is a loopback address"
    bool socketAllowed_ = false;                ///< an address was allowed
    std::array<char, CURL_ERROR_SIZE> curlError_{};
    std::unique_ptr<curl_slist, HandleDeleter<curl_slist_free_all>> headers_;
    std::unique_ptr<CURL, HandleDeleter<curl_easy_cleanup>>
        easy_;  ///< destroyed before what it points to
};

using Multi = std::unique_ptr<CURLM, HandleDeleter<curl_multi_cleanup>>;

Multi newMulti(const HttpClient::Settings& settings)
{
    static const bool isReady = curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK;
    Multi multi{isReady ? curl_multi_init() : nullptr};
    if (!multi) {
        throw std::bad_alloc();
    }
    curl_multi_setopt(multi.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS,
                      static_cast<long>(settings.maxIdleConnections));
    curl_multi_setopt(multi.get(), CURLMOPT_MAX_HOST_CONNECTIONS,
                      static_cast<long>(settings.maxConnectionsPerHost));
    return multi;
}

Readiness readinessOf(int what)
{
    switch (what) {
    case CURL_POLL_IN: return Readiness::Readable;
    case CURL_POLL_OUT: return Readiness::Writable;
    case CURL_POLL_INOUT: return Readiness::Readable | Readiness::Writable;
    default: return Readiness::None;
    }
}

int selectBitsOf(Readiness ready)
{
    return (has(ready, Readiness::Readable) ? CURL_CSELECT_IN : 0) |
           (has(ready, Readiness::Writable) ? CURL_CSELECT_OUT : 0);
}

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const noexcept
{
    const auto found = std::ranges::find_if(
        headers, [name](const auto& header) { return equalIgnoringCase(header.first, name); });
    return found == headers.end() ? std::string_view{} : std::string_view{found->second};
}

/// libcurl requests descriptors and a timer (the two callbacks); the loop reports readiness;
/// handlers of finished requests are called afterwards, outside of libcurl's calls.
class HttpClient::Impl : public std::enable_shared_from_this<HttpClient::Impl> {
public:
    Impl(EventLoop& loop, Settings settings)
        : loop_(loop),
          settings_(std::move(settings)),
          timer_(loop),
          multi_(newMulti(settings_))
    {
        if (settings_.userAgent.empty()) {
            settings_.userAgent = "restante/" + std::string(version());
        }
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &Impl::onSocketChange);
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &Impl::onTimerChange);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    }
    ~Impl()
    {
        for (const auto& [id, one] : transfers_) {
            curl_multi_remove_handle(multi_.get(), one.transfer->easy());
        }
    }

    RequestId send(HttpRequest request, Handler handler)
    {
        const auto id = ++lastId_;
        auto transfer = HttpTransfer::prepare(id, std::move(request), settings_);
        if (!transfer) {
            postFinished({std::move(handler), tl::unexpected(std::move(transfer.error()))});
            return id;
        }
        auto& running = transfers_.try_emplace(id, loop_, std::move(*transfer), std::move(handler))
                            .first->second;
        running.timer.arm(running.transfer->timeout(), [this, id] { timeOut(id); });
        curl_multi_add_handle(multi_.get(), running.transfer->easy());
        return id;
    }

    void close() noexcept
    {
        isClosed_ = true;
        finished_.clear();
        timer_.cancel();
    }

    std::size_t inFlight() const noexcept { return transfers_.size() + finished_.size(); }

private:
    struct RunningTransfer {
        RunningTransfer(EventLoop& loop, std::unique_ptr<HttpTransfer> prepared, Handler told)
            : transfer(std::move(prepared)),
              handler(std::move(told)),
              timer(loop)
        {
        }

        std::unique_ptr<HttpTransfer> transfer;
        Handler handler;
        Timer timer;  ///< of its whole time-out
    };
    struct FinishedRequest {
        Handler handler;
        HttpResult result;
    };

    static int
    onSocketChange(CURL*, curl_socket_t fd, int what, void* self, void* /*socketData*/) noexcept
    {
        try {
            static_cast<Impl*>(self)->watch(fd, what);
            return 0;
        } catch (const std::exception& problem) {
            log::error("http", "descriptor {} cannot be watched: {}", fd, problem.what());
            return -1;
        }
    }

    static int onTimerChange(CURLM*, long milliseconds, void* self) noexcept
    {
        try {
            static_cast<Impl*>(self)->setTimer(milliseconds);
            return 0;
        } catch (const std::exception& problem) {
            log::error("http", "no timer: {}", problem.what());
            return -1;
        }
    }

    void watch(int fd, int what)
    {
        if (what == CURL_POLL_REMOVE) {
            watches_.erase(fd);
        } else if (const auto found = watches_.find(fd); found != watches_.end()) {
            found->second.change(readinessOf(what));
        } else {
            watches_.emplace(fd, Watch(loop_, fd, readinessOf(what), [this, fd](Readiness ready) {
                                 driveLibcurl(fd, selectBitsOf(ready));
                             }));
        }
    }

    void setTimer(long milliseconds)
    {
        if (milliseconds < 0) {
            timer_.cancel();
        } else if (!isClosed_) {
            timer_.arm(Millis{milliseconds}, [this] { driveLibcurl(CURL_SOCKET_TIMEOUT, 0); });
        }
    }

    void driveLibcurl(curl_socket_t fd, int ready)
    {
        const auto self = shared_from_this();  // a handler may destroy the client
        int running = 0;
        curl_multi_socket_action(multi_.get(), fd, ready, &running);
        collectFinished();
        callHandlers();
    }

    void collectFinished()
    {
        int left = 0;
        while (auto* message = curl_multi_info_read(multi_.get(), &left)) {
            if (message->msg != CURLMSG_DONE) {
                continue;
            }
            const auto code = message->data.result;  // the message becomes invalid with the handle
            char* transferPointer = nullptr;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transferPointer);
            finish(reinterpret_cast<HttpTransfer*>(transferPointer)->id(), code);
        }
    }

    void finish(RequestId id, CURLcode code)
    {
        auto node = transfers_.extract(id);
        auto& running = node.mapped();
        curl_multi_remove_handle(multi_.get(), running.transfer->easy());
        finished_.push_back({std::move(running.handler), running.transfer->takeResult(code)});
    }

    void timeOut(RequestId id)
    {
        const auto self = shared_from_this();  // a handler may destroy the client
        finish(id, CURLE_OPERATION_TIMEDOUT);
        callHandlers();
    }

    void callHandlers()
    {
        while (!isClosed_ && !finished_.empty()) {
            auto one = std::move(finished_.front());
            finished_.pop_front();
            one.handler(std::move(one.result));
        }
    }

    void postFinished(FinishedRequest one)
    {
        finished_.push_back(std::move(one));
        loop_.post(whileAlive(*this, &Impl::callHandlers));
    }

    EventLoop& loop_;
    Settings settings_;
    Timer timer_;
    std::unordered_map<int, Watch> watches_;
    Multi multi_;  ///< destroyed before what its callbacks use
    std::map<RequestId, RunningTransfer> transfers_;
    std::deque<FinishedRequest> finished_;
    RequestId lastId_ = 0;
    bool isClosed_ = false;
};

HttpClient::HttpClient(EventLoop& loop, Settings settings)
    : impl_(std::make_shared<Impl>(loop, std::move(settings)))
{
}

HttpClient::~HttpClient()
{
    impl_->close();
}

HttpClient::RequestId HttpClient::send(HttpRequest request, Handler handler)
{
    return impl_->send(std::move(request), std::move(handler));
}

std::size_t HttpClient::inFlight() const noexcept
{
    return impl_->inFlight();
}

}  // namespace restante::delivery
