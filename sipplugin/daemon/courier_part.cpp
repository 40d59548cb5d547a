#include "sipplugin/daemon/courier_part.h"

#include "core/assembly/redis_queue.h"
#include "core/assembly/sms_delivery.h"
#include "core/base/async_task.h"
#include "core/base/epoll_loop.h"
#include "core/base/log.h"
#include "core/base/try.h"
#include "core/delivery/dispatcher.h"
#include "core/delivery/webhook_courier.h"
#include "core/reminder/recurrence_scheduler.h"
#include "core/schedule/due_watcher.h"
#include "sipplugin/daemon/core_part.h"
#include "sipplugin/daemon/process_limits.h"

#include <fstream>
#include <future>
#include <thread>
#include <vector>

namespace restante::daemon {

namespace {

using delivery::WebhookCourier;
using sms::SmsDelivery;

/// The settings of each courier, read and checked.
struct CourierSettings {
    WebhookCourier::Settings webhook;
    SmsDelivery::Setup sms;
};

Result<delivery::WebhookSecrets> secretsOf(const Config::Webhook& config)
{
    return config.secretFile.empty() ? delivery::WebhookSecrets{}
                                     : delivery::readWebhookSecrets(config.secretFile);
}

Result<WebhookCourier::Settings> webhookSettingsOf(const Config::Webhook& config)
{
    auto policy = TRY(AddressPolicy::allowing(config.allow));
    if (!config.caFile.empty() && !std::ifstream(config.caFile)) {
        return invalid("webhook.ca_file: {} cannot be read", config.caFile.string());
    }
    WebhookCourier::Settings settings;
    settings.secrets = TRY(secretsOf(config));
    settings.policy = std::move(policy);
    settings.caFile = config.caFile;
    settings.concurrency = config.concurrency;
    settings.maxRequestsPerHost = config.perHost;
    settings.timeout = config.timeout;
    settings.groupsJobs = config.group == Config::WebhookGroup::SameInstant;
    settings.groupTopics = config.groupTopics;
    return settings;
}

/// The objects of the courier thread, in the order of construction.
struct Components {
    Components(EventLoop& courierLoop, const redis::RedisUrl& url, const Config& config)
        : loop(courierLoop),
          redis(loop,
                url,
                config,
                "restanted-courier",
                redis::RedisQueue::WakeUps::Yes,
                redis::RedisQueue::Confirms::Nothing,
                redis::RedisQueue::Gated::Yes,
                // The scheduler pushes occurrences of series that were accepted elsewhere.
                redis::RedisQueue::Texts::MayWait),
          due(loop, redis.clock(), redis.store()),
          timeout(loop)
    {
    }

    /// Gives the courier its dispatcher; once it drains, no courier is added.
    void add(std::shared_ptr<delivery::Courier> courier)
    {
        if (isDraining) {
            return;
        }
        couriers.push_back(std::move(courier));
        dispatchers.push_back(
            delivery::Dispatcher::make(loop, redis.queue(), due, *couriers.back()));
    }

    void drain(Millis atMost, std::function<void()> done)
    {
        isDraining = true;
        const auto pendingDone = std::make_shared<std::function<void()>>(std::move(done));
        const auto reportDrained = [this, pendingDone] {
            timeout.cancel();
            if (const auto callback = std::exchange(*pendingDone, nullptr)) {
                callback();
            }
        };
        timeout.arm(atMost, [reportDrained] {
            log::warning("delivery", "what is still on its way is left to its lease");
            reportDrained();
        });
        if (dispatchers.empty()) {
            return reportDrained();
        }
        const auto drained = countDown(dispatchers.size(), reportDrained);
        for (const auto& dispatcher : dispatchers) {
            dispatcher->drain(drained);
        }
    }

    EventLoop& loop;
    redis::RedisQueue redis;
    DueWatcher due;
    std::optional<redis::DaemonHeartbeat> heartbeat;
    std::optional<SmsDelivery> sms;
    std::optional<reminder::RecurrenceScheduler> scheduler;
    std::vector<std::shared_ptr<delivery::Courier>> couriers;
    std::vector<std::shared_ptr<delivery::Dispatcher>> dispatchers;
    Timer timeout;
    bool isDraining = false;
};

class CourierPartImpl final : public CourierPart {
public:
    CourierPartImpl(redis::RedisUrl url, Config config, CourierSettings settings)
        : url_(std::move(url)),
          config_(std::move(config)),
          settings_(std::move(settings))
    {
    }
    ~CourierPartImpl() override
    {
        loop_.stop();
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    Result<void> start()
    {
        // Shared, because the thread may still be setting it when get() returns.
        const auto opened = std::make_shared<OpenedPromise>();
        auto answer = opened->get_future();
        thread_ = std::thread([this, opened] { work(opened); });
        return answer.get();
    }

    Result<void> reload(const Config& config) override
    {
        auto secrets = TRY(secretsOf(config.webhook));
        // Shared, because a task is copied. Before the courier exists, its settings get them.
        loop_.post(
            [this, newSecrets = std::make_shared<delivery::WebhookSecrets>(std::move(secrets))] {
                if (webhookCourier_ != nullptr) {
                    webhookCourier_->setSecrets(std::move(*newSecrets));
                } else {
                    settings_.webhook.secrets = std::move(*newSecrets);
                }
            });
        return {};
    }

    void drain(Millis timeout, std::function<void()> done) override
    {
        loop_.post([this, timeout, done = std::move(done)] { components_->drain(timeout, done); });
    }

private:
    using OpenedPromise = std::promise<Result<void>>;

    void work(const std::shared_ptr<OpenedPromise>& opened)
    {
        try {
            components_.emplace(loop_, url_, config_);
        } catch (const std::exception& problem) {
            return opened->set_value(failure(ErrorCode::Unavailable, problem.what()));
        }
        const Done<void> done = [this, opened](Result<void> served) {
            if (served) {
                open();
            }
            opened->set_value(std::move(served));
        };
        const auto next = onSuccess(done, [this, done] { components_->redis.awaitServing(done); });
        components_->redis.awaitReady(redis::RedisQueue::Report::Silent, next);
        loop_.run();
        components_->heartbeat.reset();
        components_->due.stop();
        webhookCourier_ = nullptr;
        // Pending Redis commands refer to objects that are about to be destroyed.
        loop_.runUntil([this] { return components_->redis.connection().inFlight() == 0; },
                       kLastAnswersTimeout);
        components_.reset();
    }

    void open()
    {
        std::vector<std::string> duties{"scheduler"};
        // Leases of text messages are not given back: they may wait for a delivery report.
        if (settings_.sms.gateway != nullptr) {
            duties.insert(duties.begin(), "sms");
            components_->sms.emplace(loop_, components_->redis, config_);
            components_->add(components_->sms->makeCourier(std::move(settings_.sms)));
        }
        if (settings_.webhook.concurrency > 0) {
            duties.insert(duties.begin(), "webhook");
            requeueOldLeases({Channel::Webhook}, [this] { addWebhooks(); });
        }
        requeueOldLeases({Channel::Pull, std::string(reminder::kSeriesTopic)}, [this] {
            components_->scheduler.emplace(components_->redis.queue(), components_->due,
                                           reminder::settingsOf(config_));
        });
        auto& redis = components_->redis;
        components_->heartbeat.emplace(loop_, redis.connection(), redis.clock(),
                                       heartbeatSettingsOf(config_, "courier", std::move(duties)));
    }

    /// Gives back the leases of an earlier daemon, if no other daemon can have them.
    void requeueOldLeases(delivery::LeaseFilter filter, std::function<void()> done)
    {
        // No other daemon uses the embedded Redis.
        const bool isSoleOwner = config_.redis.url.empty();
        if (!isSoleOwner) {
            return done();
        }
        auto& redis = components_->redis;
        // A store that is being destroyed answers, too: a daemon may end as soon as it has begun.
        delivery::requeueLeases(redis.queue(), redis.inspector(), std::move(filter),
                                [this, done = std::move(done)] {
                                    if (components_) {
                                        done();
                                    }
                                });
    }

    void addWebhooks()
    {
        auto courier =
            WebhookCourier::make(loop_, components_->redis.clock(), std::move(settings_.webhook));
        webhookCourier_ = components_->isDraining ? nullptr : courier.get();
        components_->add(std::move(courier));
    }

    redis::RedisUrl url_;
    Config config_;
    CourierSettings settings_;
    EpollLoop loop_;
    std::optional<Components> components_;      ///< used by the thread alone, like the next
    WebhookCourier* webhookCourier_ = nullptr;  ///< among its couriers
    std::thread thread_;                        ///< last, so that it ends first
};

}  // namespace

Result<std::unique_ptr<CourierPart>> CourierPart::start(const redis::RedisUrl& url,
                                                        const Config& config)
{
    auto webhook = TRY(webhookSettingsOf(config.webhook));
    auto sms = TRY(SmsDelivery::setupOf(config));
    auto impl = std::make_unique<CourierPartImpl>(
        url, config, CourierSettings{std::move(webhook), std::move(sms)});
    TRY(impl->start());
    return impl;
}

}  // namespace restante::daemon
