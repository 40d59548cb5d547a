#include "sipplugin/daemon/http_part.h"

#include "core/assembly/redis_queue.h"
#include "core/base/async_task.h"
#include "core/base/await.h"
#include "core/base/epoll_loop.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/try.h"
#include "core/delivery/sms/delivery_reports.h"
#include "core/http/api/v1_api.h"
#include "core/http/classic/api_classic.h"
#include "core/http/server/server.h"
#include "core/journal/cold/store_with_cold_jobs.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/event_feed.h"
#include "core/reminder/reminders.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/long_poll_queue.h"
#include "sipplugin/daemon/core_part.h"
#include "sipplugin/daemon/process_limits.h"
#include "sipplugin/message/aor.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace restante::daemon {

namespace {

/// How long to wait for Redis at the start.
constexpr Millis kOpenTimeout{15'000};
/// Room for a batch of some thousand small jobs, even if single bodies must be smaller.
constexpr std::size_t kLeastBodyLimit = 1'048'576;
/// Room for the rest of a request besides a job's body.
constexpr std::size_t kEnvelopeBytes = 65'536;
/// Descriptors for Redis, SIP and files.
constexpr rlim_t kOtherDescriptors = 1'024;

/// The content of the files that `http` names.
struct Files {
    http::Tokens tokens;
    http::TlsContext tls;
};

Result<Files> readFiles(const Config::Http& config)
{
    Files files;
    if (!config.tokenFile.empty()) {
        files.tokens = TRY(http::Tokens::read(config.tokenFile));
    }
    if (!config.tls.certificate.empty()) {
        files.tls = TRY(http::loadTlsContext(config.tls.certificate, config.tls.key));
    }
    return files;
}

/// For the servers of all threads, which share what it points to.
http::Server::Settings settingsOf(const Config& config, Files files)
{
    const auto& limits = config.http.limits;
    http::Server::Settings settings;
    settings.listen = config.http.listen.value();
    settings.guard = {config.http.hosts, std::move(files.tokens)};
    settings.tls = std::move(files.tls);
    // Base64 makes four bytes of three.
    settings.connection.limits.body =
        std::max(kLeastBodyLimit, config.limits.body / 3 * 4 + kEnvelopeBytes);
    settings.connection.request = limits.request;
    settings.connection.idle = limits.idle;
    settings.ledger = std::make_shared<ConnectionLedger>(
        ConnectionLedger::Limits{limits.connections, limits.perAddress});
    return settings;
}

constexpr const char* kRecoveryReason = "restored by HTTP";

/// For /readyz. An unreachable database does not make the daemon unready: with journal.mode =
/// "async" it goes on, and with "durable" the store reports it, whichever daemon records.
std::function<bool()> journalAnswersOf(const JournalAccess& journal)
{
    if (journal.history == nullptr) {
        return {};
    }
    return [&up = metrics::gauge("restante_journal_up")] { return up.value() > 0; };
}

std::unique_ptr<journal::StoreWithColdJobs> storeWithColdJobsOf(EventLoop& loop,
                                                                redis::RedisQueue& redis,
                                                                const Config& config,
                                                                const JournalAccess& journal)
{
    if (!journal.coldJobs) {
        return nullptr;
    }
    return std::make_unique<journal::StoreWithColdJobs>(
        journal::HotStore{loop, redis.clock(), redis.store(), redis.shards(), redis.inspector()},
        *journal.coldJobs, config.queue.hotHorizon, redis::queueSettingsOf(config));
}

/// One thread that serves HTTP, and what lives on it: in the order of construction, each borrows
/// from those above. The thread comes last. *One loop* (the caller's), as HttpPart.
class HttpThread {
public:
    HttpThread(const redis::RedisUrl& url,
               const Config& config,
               JournalAccess journal,
               LongPollQueue::Settings longPolls)
        : journal_(journal),
          redis_(loop_,
                 url,
                 config,
                 "restanted-http",
                 redis::RedisQueue::WakeUps::Yes,
                 redis::RedisQueue::Confirms::Everything,
                 redis::RedisQueue::Gated::Yes),
          storeWithColdJobs_(storeWithColdJobsOf(loop_, redis_, config, journal)),
          due_(loop_, redis_.clock(), redis_.store()),
          longPolls_(LongPollQueue::make(loop_, due_, redis_.store(), std::move(longPolls))),
          reminders_(reminder::Reminders::make(queue(), inspector(), reminder::settingsOf(config))),
          awaitedReports_(
              loop_, redis_.connection(), redis_.clock(), config.redis.prefix, config.redis.shards),
          smsReports_(redis_.queue(), redis_.inspector(), awaitedReports_, config.sms),
          feedConnection_(loop_, {.url = url, .name = "restanted-events"}),
          events_(loop_,
                  redis_.connection(),
                  feedConnection_,
                  {config.redis.prefix, config.redis.shards}),
          v1_{.loop = loop_,
              .queue = queue(),
              .inspector = inspector(),
              .longPolls = *longPolls_,
              .reminders = *reminders_,
              .redis = redis_.connection(),
              .events = events_,
              .history = journal.history,
              .smsReports = config.sms.gateway == Config::SmsGateway::Off ? nullptr : &smsReports_,
              .storeHealth = [this] { return redis_.serving(); },
              .journalAnswers = journalAnswersOf(journal),
              .addressOfRecord = sip::canonicalAor}
    {
    }

    HttpThread(const HttpThread&) = delete;
    HttpThread& operator=(const HttpThread&) = delete;
    ~HttpThread()
    {
        if (thread_.joinable()) {
            loop_.stop();
            thread_.join();
        }
        heartbeat_.reset();
        server_.reset();
        due_.stop();
        // Posted handlers and pending Redis commands refer to objects that are about to be
        // destroyed.
        if (journal_.history != nullptr) {
            journal_.history->dropRequestsOf(loop_);
        }
        bool postedHandlersRan = false;
        loop_.post([&postedHandlersRan] { postedHandlersRan = true; });
        loop_.runUntil([&] { return postedHandlersRan && redis_.connection().inFlight() == 0; },
                       kLastAnswersTimeout);
    }

    /// Serves when it returns; `name` is that of its heartbeat.
    Result<void> open(const Config& config, http::Server::Settings settings, std::string name)
    {
        TRY(awaitRedis());
        http::addClassicRoutes(router_, classicServices());
        http::addV1Routes(router_, v1_);
        server_ = TRY(http::Server::open(loop_, router_, std::move(settings)));
        heartbeat_.emplace(loop_, redis_.connection(), redis_.clock(),
                           heartbeatSettingsOf(config, std::move(name), {"http"}));
        thread_ = std::thread([this] { loop_.run(); });
        return {};
    }

    const SocketAddress& address() const noexcept { return server_->address(); }

    void setFiles(Files files)
    {
        // Shared, because a task is copied.
        loop_.post([this, shared = std::make_shared<Files>(std::move(files))] {
            server_->setTokens(std::move(shared->tokens));
            server_->setTls(std::move(shared->tls));
        });
    }

    void drain(Millis timeout, std::function<void()> done)
    {
        loop_.post([this, timeout, done = std::move(done)] {
            longPolls_->stop();
            server_->drain(timeout, done);
        });
    }

private:
    Result<void> awaitRedis()
    {
        const auto awaitReadyAndServing = [this](Done<void> done) {
            const auto next = onSuccess(done, [this, done] { redis_.awaitServing(done); });
            redis_.awaitReady(redis::RedisQueue::Report::Silent, next);
        };
        return await<void>(loop_, kOpenTimeout, awaitReadyAndServing, "Redis does not answer");
    }

    DelayQueue& queue()
    {
        return storeWithColdJobs_ ? storeWithColdJobs_->queue() : redis_.queue();
    }
    JobInspector& inspector()
    {
        return storeWithColdJobs_ ? storeWithColdJobs_->inspector() : redis_.inspector();
    }

    http::ClassicServices classicServices()
    {
        http::ClassicServices services{queue(), inspector(), *longPolls_};
        if (journal_.recovery == nullptr) {
            return services;
        }
        services.recoverAll = [this](bool withExpired, std::string actor,
                                     Done<std::uint64_t> done) {
            const auto expired =
                withExpired ? RecoverRequest::Expired::Included : RecoverRequest::Expired::LeftOut;
            journal_.recovery->recover(
                loop_, {.expired = expired, .actor = std::move(actor), .reason = kRecoveryReason},
                [done = std::move(done)](const Result<RecoverOutcome>& outcome) {
                    done(outcome.map(
                        [](const RecoverOutcome& recovery) { return recovery.recovered; }));
                });
        };
        services.recover = [this](std::string id, std::string actor, Done<void> done) {
            journal_.recovery->recover(
                loop_, {.id = std::move(id), .actor = std::move(actor), .reason = kRecoveryReason},
                [done = std::move(done)](const Result<RecoverOutcome>& outcome) {
                    done(outcome.map([](const RecoverOutcome& /*recovery*/) {}));
                });
        };
        return services;
    }

    JournalAccess journal_;
    EpollLoop loop_;
    redis::RedisQueue redis_;
    std::unique_ptr<journal::StoreWithColdJobs> storeWithColdJobs_;  ///< null when no job is cold
    DueWatcher due_;
    std::shared_ptr<LongPollQueue> longPolls_;
    std::shared_ptr<reminder::Reminders> reminders_;
    sms::AwaitedReports awaitedReports_;
    sms::DeliveryReports smsReports_;
    redis::Connection feedConnection_;  ///< for the feed alone, whose commands block
    redis::EventFeed events_;
    http::V1Services v1_;
    http::Router router_;
    std::unique_ptr<http::Server> server_;
    std::optional<redis::DaemonHeartbeat> heartbeat_;
    std::thread thread_;
};

class HttpPartImpl final : public HttpPart {
public:
    Result<void> open(const redis::RedisUrl& url, const Config& config, JournalAccess journal)
    {
        auto settings = settingsOf(config, TRY(readFiles(config.http)));
        const LongPollQueue::Settings longPolls{.maxParked = config.http.limits.parked};
        const auto count = config.http.threads;
        for (std::size_t number = 0; number < count; ++number) {
            auto thread = std::make_unique<HttpThread>(url, config, journal, longPolls);
            settings.sharing = count == 1    ? PortSharing::Alone
                               : number == 0 ? PortSharing::First
                                             : PortSharing::Further;
            TRY(thread->open(config, settings,
                             number == 0 ? "http" : fmt::format("http-{}", number)));
            settings.listen = thread->address();  // a port 0 has become a real one
            threads_.push_back(std::move(thread));
        }
        return {};
    }

    const SocketAddress& address() const noexcept override { return threads_.front()->address(); }

    Result<void> reload(const Config& config) override
    {
        const auto files = TRY(readFiles(config.http));
        if (files.tokens.empty() && !address().isLoopback()) {
            return invalid("http.token_file is needed");
        }
        for (const auto& thread : threads_) {
            thread->setFiles(files);
        }
        return {};
    }

    void drain(Millis timeout, std::function<void()> done) override
    {
        // Counted by all threads.
        const auto threadsLeft = std::make_shared<std::atomic<std::size_t>>(threads_.size());
        for (const auto& thread : threads_) {
            thread->drain(timeout, [threadsLeft, done] {
                if (--*threadsLeft == 0) {
                    done();
                }
            });
        }
    }

private:
    std::vector<std::unique_ptr<HttpThread>> threads_;
};

}  // namespace

Result<std::unique_ptr<HttpPart>>
HttpPart::open(const redis::RedisUrl& url, const Config& config, JournalAccess journal)
{
    const auto wanted = config.http.limits.connections + kOtherDescriptors;
    if (const auto allowed = raiseDescriptorLimit(wanted); allowed < wanted) {
        log::warning("http",
                     "only {} of {} descriptors are allowed (ulimit -n): clients beyond that "
                     "have to wait",
                     allowed, wanted);
    }
    auto impl = std::make_unique<HttpPartImpl>();
    TRY(impl->open(url, config, journal));
    return impl;
}

}  // namespace restante::daemon
