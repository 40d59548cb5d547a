#pragma once

#include "core/config/config.h"
#include "core/queue/memory_job_store.h"
#include "gui/session/open_store.h"
#include "gui/session/scoped_event_loop.h"
#include "gui/session/store_backend.h"
#include "gui/session/store_session.h"
#include "tests/support/manual_clock.h"

#include <functional>
#include <memory>
#include <utility>

namespace restante::gui::test {

/// Opens a store in memory that a test fills, on the thread of the store: everything between the
/// window and the store is real.
class MemoryOpener final : public StoreOpener {
public:
    /// Runs on the store's thread; calls happen at once.
    using Fill = std::function<void(MemoryJobStore&, restante::test::ManualClock&)>;
    /// Runs on the store's thread when somebody has looked at one job and is not answered yet.
    using AfterLook = std::function<void(MemoryJobStore&)>;

    explicit MemoryOpener(Fill fill, AfterLook afterLook = {})
        : fill_(std::move(fill)),
          afterLook_(std::move(afterLook))
    {
    }

    void open(EventLoop& loop, Callbacks callbacks) override
    {
        loop.post([this, &loop, callbacks = std::move(callbacks)] {
            auto store = std::make_shared<Opened>(loop, afterLook_);
            fill_(store->store_, store->clock_);
            callbacks.opened({store, {"memory", 1, {}, {}}});
        });
    }
    void giveUp() override {}

private:
    class Store final : public MemoryJobStore {
    public:
        Store(EventLoop& loop, const Clock& clock, AfterLook afterLook)
            : MemoryJobStore(loop, clock, {.retentionDone = std::chrono::hours{24}}),
              afterLook_(std::move(afterLook))
        {
        }
        void show(std::string id, Done<JobView> done) override
        {
            MemoryJobStore::show(std::move(id), std::move(done));
            if (afterLook_) {
                afterLook_(*this);
            }
        }

    private:
        AfterLook afterLook_;
    };

    class Opened final : public OpenStore {
    public:
        Opened(EventLoop& loop, AfterLook afterLook)
            : loop_(loop),
              store_(loop_, clock_, std::move(afterLook)),
              queue_(store_, clock_, {})
        {
        }
        JobInspector& inspector() override { return store_; }
        DelayQueue& queue() override { return queue_; }
        const Config& config() const override { return config_; }
        void history(std::string, Done<std::vector<HistoryRow>> done) override
        {
            later<std::vector<HistoryRow>>(std::move(done));
        }
        void audit(AuditRequest, Done<AuditBatch> done) override
        {
            later<AuditBatch>(std::move(done));
        }
        void storeActivity(Done<redis::StoreActivity> done) override
        {
            later<redis::StoreActivity>(std::move(done));
        }
        void past(PastRequest, Done<Past> done) override { later<Past>(std::move(done)); }
        void topicActivity(Done<TopicActivity> done) override
        {
            later<TopicActivity>(std::move(done));
        }
        void deadReasons(Done<DeadReasons> done) override { later<DeadReasons>(std::move(done)); }
        void daemons(Done<std::vector<DaemonView>> done) override
        {
            loop_.post([done = std::move(done), now = clock_.now()] {
                done(std::vector<DaemonView>{
                    {"vm/1", "0.1.0", {"sip", "webhook", "upkeep"}, {}, now, now, false}});
            });
        }
        void ping(Done<void> done) override
        {
            loop_.post([done = std::move(done)] { done({}); });
        }
        void follow(std::function<void(const StoreEvent&)>) override {}

        template <class T>
        void later(Done<T> done)
        {
            loop_.post([done = std::move(done)] { done(T{}); });
        }

        ScopedEventLoop loop_;
        Config config_;
        restante::test::ManualClock clock_;
        Store store_;
        DelayQueue queue_;
    };

    Fill fill_;
    AfterLook afterLook_;
};

inline std::unique_ptr<StoreSession> memorySession(MemoryOpener::Fill fill,
                                                   MemoryOpener::AfterLook afterLook = {})
{
    return std::make_unique<StoreSession>(
        ConnectionProfile{}, std::make_unique<StoreBackend>(std::make_unique<MemoryOpener>(
                                 std::move(fill), std::move(afterLook))));
}

}  // namespace restante::gui::test
