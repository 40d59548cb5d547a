#include "core/delivery/http_client.h"

#include "core/base/log.h"
#include "core/base/version.h"
#include "core/delivery/http_transfer.h"

#include <curl/curl.h>
#include <deque>
#include <map>
#include <unordered_map>

namespace restante::delivery {

namespace {

struct MultiDeleter {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
};
using Multi = std::unique_ptr<CURLM, MultiDeleter>;

Multi newMulti(const HttpClient::Settings& settings)
{
    static const bool isReady = curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK;
    Multi multi{isReady ? curl_multi_init() : nullptr};
    if (!multi) {
        throw std::bad_alloc();
    }
    curl_multi_setopt(multi.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(settings.idle));
    curl_multi_setopt(multi.get(), CURLMOPT_MAX_HOST_CONNECTIONS,
                      static_cast<long>(settings.perHost));
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

/// libcurl says which descriptors and which timer it wants (the two trampolines); the loop says
/// what has become ready; what has finished is told afterwards, outside of libcurl's calls.
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
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &Impl::wantsSocket);
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &Impl::wantsTimer);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl()
    {
        for (const auto& [id, one] : transfers_) {
            curl_multi_remove_handle(multi_.get(), one.transfer->easy());
        }
    }

    RequestId send(HttpRequest request, Handler handler)
    {
        const auto id = ++lastId_;
        auto transfer = HttpTransfer::prepare(std::move(request), settings_);
        if (!transfer) {
            finish({id, std::move(handler), tl::unexpected(std::move(transfer.error()))});
            return id;
        }
        auto* easy = (*transfer)->easy();
        (*transfer)->number(id);
        transfers_.emplace(id, Running{std::move(*transfer), std::move(handler)});
        curl_multi_add_handle(multi_.get(), easy);
        return id;
    }

    void cancel(RequestId id) noexcept
    {
        std::erase_if(finished_, [id](const Finished& one) { return one.id == id; });
        if (const auto found = transfers_.find(id); found != transfers_.end()) {
            curl_multi_remove_handle(multi_.get(), found->second.transfer->easy());
            transfers_.erase(found);
        }
    }

    void close() noexcept
    {
        isClosed_ = true;
        finished_.clear();
        timer_.cancel();
    }

    std::size_t inFlight() const noexcept { return transfers_.size() + finished_.size(); }

private:
    struct Running {
        std::unique_ptr<HttpTransfer> transfer;
        Handler handler;
    };
    struct Finished {
        RequestId id;
        Handler handler;
        HttpResult result;
    };

    static int
    wantsSocket(CURL*, curl_socket_t fd, int what, void* self, void* /*socketData*/) noexcept
    {
        try {
            static_cast<Impl*>(self)->watch(fd, what);
            return 0;
        } catch (const std::exception& problem) {
            log::error("http", "descriptor {} cannot be watched: {}", fd, problem.what());
            return -1;
        }
    }

    static int wantsTimer(CURLM*, long milliseconds, void* self) noexcept
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
                                 act(fd, selectBitsOf(ready));
                             }));
        }
    }

    void setTimer(long milliseconds)
    {
        if (milliseconds < 0) {
            timer_.cancel();
        } else if (!isClosed_) {
            timer_.arm(Millis{milliseconds}, [this] { act(CURL_SOCKET_TIMEOUT, 0); });
        }
    }

    void act(curl_socket_t fd, int ready)
    {
        const auto self = shared_from_this();  // a handler may destroy the client
        int running = 0;
        curl_multi_socket_action(multi_.get(), fd, ready, &running);
        collect();
        tell();
    }

    void collect()
    {
        int left = 0;
        while (auto* message = curl_multi_info_read(multi_.get(), &left)) {
            if (message->msg != CURLMSG_DONE) {
                continue;
            }
            const auto code = message->data.result;  // the message is gone with the handle
            char* itself = nullptr;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &itself);
            const auto id = reinterpret_cast<HttpTransfer*>(itself)->number();
            auto node = transfers_.extract(id);
            curl_multi_remove_handle(multi_.get(), node.mapped().transfer->easy());
            finished_.push_back({id, std::move(node.mapped().handler),
                                 node.mapped().transfer->resultOf(static_cast<int>(code))});
        }
    }

    void tell()
    {
        while (!isClosed_ && !finished_.empty()) {
            auto one = std::move(finished_.front());
            finished_.pop_front();
            one.handler(std::move(one.result));
        }
    }

    void finish(Finished one)
    {
        finished_.push_back(std::move(one));
        loop_.post([weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
                self->tell();
            }
        });
    }

    EventLoop& loop_;
    Settings settings_;
    Timer timer_;
    std::unordered_map<int, Watch> watches_;
    Multi multi_;  ///< after what its callbacks use
    std::map<RequestId, Running> transfers_;
    std::deque<Finished> finished_;
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

void HttpClient::cancel(RequestId id) noexcept
{
    impl_->cancel(id);
}

std::size_t HttpClient::inFlight() const noexcept
{
    return impl_->inFlight();
}

}  // namespace restante::delivery
