#include "tests/integration/sip/plugin_host.h"

#include "core/queue/delay_queue.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/redis_job_store.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/lease_reaper.h"
#include "sipplugin/plugin.h"
#include "sipplugin/sofia/su_loop.h"
#include "tests/integration/sip/listen_sockets.h"

#include <future>
#include <optional>
#include <stdexcept>
#include <thread>

namespace restante::test {

namespace {

/// All that a host program composes, on the thread that runs it.
struct Composition {
    explicit Composition(const PluginHost::Settings& settings)
        : commands(loop, {.url = settings.redis}),
          wakeUps(loop, {.url = settings.redis}),
          store(loop, commands, &wakeUps, clock, {}),
          inspector(loop, commands, clock, {}),
          queue(store, clock, queueSettings(settings)),
          due(loop, clock, store),
          leaseReaper(queue, due)
    {
        while (!commands.ready() || !wakeUps.ready()) {
            loop.turn(Millis{10});
        }
        auto started = sip::Plugin::start({loop, queue, due, inspector, commands, store.shards(),
                                           settings.redis, "rst", nullptr,
                                           [this] { return commands.ready(); }},
                                          {settings.sip, settings.soleOwner});
        if (!started) {
            throw std::runtime_error(started.error().message);
        }
        plugin = std::move(*started);
    }

    static DelayQueue::Settings queueSettings(const PluginHost::Settings& settings)
    {
        DelayQueue::Settings queue;
        queue.sipRetry = settings.sip.retry;
        return queue;
    }

    sip::SuLoop loop;
    SystemClock clock;
    redis::Connection commands;
    redis::Connection wakeUps;
    redis::RedisJobStore store;
    redis::RedisJobInspector inspector;
    DelayQueue queue;
    DueWatcher due;
    LeaseReaper leaseReaper;
    std::unique_ptr<sip::Plugin> plugin;
};

}  // namespace

class PluginHost::Impl {
public:
    explicit Impl(Settings settings)
    {
        std::promise<void> started;
        auto ready = started.get_future();
        thread_ = std::thread(
            [this, settings = std::move(settings), &started] { run(settings, started); });
        try {
            ready.get();
        } catch (...) {
            thread_.join();
            throw;
        }
    }

    ~Impl()
    {
        composition_->loop.post([this] { composition_->loop.stop(); });
        thread_.join();
    }

    SipServer server(SipTransport transport) const
    {
        const auto wanted =
            transport == SipTransport::Udp ? sip::Transport::Udp : sip::Transport::Tcp;
        for (const auto& text : addresses_) {
            const auto address = sip::test::socketsOf(text).front();
            if (address.transport == wanted) {
                return {transport, address.host, address.port};
            }
        }
        throw std::runtime_error("the plugin does not listen there");
    }

    void onThread(const std::function<void(Composition&, std::function<void()>)>& work)
    {
        std::promise<void> done;
        composition_->loop.post([&] { work(*composition_, [&] { done.set_value(); }); });
        done.get_future().get();
    }

private:
    void run(const Settings& settings, std::promise<void>& started)
    {
        try {
            composition_.emplace(settings);
        } catch (...) {
            return started.set_exception(std::current_exception());
        }
        addresses_ = composition_->plugin->addresses();
        started.set_value();
        composition_->loop.run();
        composition_.reset();
    }

    std::optional<Composition> composition_;  ///< of thread_
    std::vector<std::string> addresses_;
    std::thread thread_;
};

PluginHost::Settings PluginHost::settings()
{
    Settings settings;
    settings.sip.listen = {{true, true, {"127.0.0.1", 0}}};
    settings.sip.retry = RetrySchedule::parse("0s,2m,10m,10m,1h,2h").value();
    settings.sip.mailbox.maxMessages = 0;
    settings.sip.mailbox.maxBytes = 0;
    settings.sip.limits.perSender = 0;
    settings.sip.limits.totalMessages = 0;
    return settings;
}

PluginHost::PluginHost(Settings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}

PluginHost::~PluginHost() = default;

SipServer PluginHost::server(SipTransport transport) const
{
    return impl_->server(transport);
}

void PluginHost::drain()
{
    impl_->onThread([](auto& all, auto done) { all.plugin->drain(Millis{5'000}, done); });
}

void PluginHost::onThread(Work work)
{
    impl_->onThread([&](auto& all, auto done) { work(all.queue, all.inspector, done); });
}

}  // namespace restante::test
