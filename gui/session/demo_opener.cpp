#include "gui/session/demo_opener.h"

#include "gui/session/demo_life.h"
#include "gui/session/demo_store.h"
#include "gui/session/scoped_event_loop.h"

#include <utility>

namespace restante::gui {

namespace {

class OpenDemo final : public OpenStore {
public:
    OpenDemo(EventLoop& loop, const DemoOpener::Settings& settings)
        : loop_(loop),
          jobs_(settings.seed),
          store_(loop_, clock_),
          queue_(store_, clock_, {}),
          life_(loop_, clock_, store_, jobs_)
    {
        playPast(store_, clock_, jobs_, settings.jobs);
        if (settings.life == DemoOpener::Settings::Life::Goes) {
            life_.begin();
        }
    }

    JobInspector& inspector() override { return store_; }
    DelayQueue& queue() override { return queue_; }
    const Config& config() const override { return config_; }
    void history(std::string id, Done<std::vector<HistoryRow>> done) override
    {
        answer(std::move(done), store_.history(id));
    }
    void audit(AuditRequest request, Done<AuditBatch> done) override
    {
        answer<AuditBatch>(std::move(done), store_.audit(request));
    }
    void pulse(Done<redis::StoreActivity> done) override
    {
        answer<redis::StoreActivity>(std::move(done), redis::StoreActivity{store_.moves(), {}, {}});
    }
    void past(PastRequest request, Done<Past> done) override
    {
        answer<Past>(std::move(done), store_.past(request));
    }
    void activity(Done<TopicActivity> done) override
    {
        answer<TopicActivity>(std::move(done), store_.activity());
    }
    void ping(Done<void> done) override { answer<void>(std::move(done), {}); }
    void follow(std::function<void(const StoreEvent&)> handler) override
    {
        store_.onEvent(std::move(handler));
    }

private:
    template <class T>
    void answer(Done<T> done, Result<T> result)
    {
        loop_.post([done = std::move(done), result = std::move(result)] { done(result); });
    }

    ScopedEventLoop loop_;  ///< what its parts post to themselves dies with them
    Config config_;
    DemoClock clock_;
    DemoJobs jobs_;
    DemoStore store_;
    DelayQueue queue_;
    DemoLife life_;
};

}  // namespace

void DemoOpener::open(EventLoop& loop, Callbacks callbacks)
{
    attempt_ = std::make_shared<int>(0);
    loop.post([this, &loop, callbacks = std::move(callbacks), attempt = std::weak_ptr(attempt_)] {
        if (!attempt.lock()) {
            return;
        }
        callbacks.doing(LinkStep::Schema);
        OpenedStore opened;
        opened.store = std::make_shared<OpenDemo>(loop, settings_);
        opened.facts.server = QT_TRANSLATE_NOOP("StoreProblem", "demo store");
        callbacks.opened(std::move(opened));
    });
}

}  // namespace restante::gui
