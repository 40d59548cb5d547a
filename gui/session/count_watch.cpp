#include "gui/session/count_watch.h"

#include "core/reminder/reminder_plan.h"
#include "gui/session/store_session.h"
#include "gui/session/topic_views.h"

#include <utility>

namespace restante::gui {

namespace {

/// Nobody reads a number beside the page more often.
constexpr int kPaceMs = 5'000;

}  // namespace

CountWatch::CountWatch(QObject* parent) : QObject(parent)
{
    pace_.setInterval(kPaceMs);
    connect(&pace_, &QTimer::timeout, this, [this] {
        if (live_) {
            refresh();
        }
    });
}

void CountWatch::open(StoreSession* session)
{
    if (backend_ != nullptr) {
        drop(asked_);
        backend_->disconnect(this);
    }
    asked_ = 0;
    pace_.stop();
    backend_ = session == nullptr ? nullptr : &session->backend();
    if (backend_ != nullptr) {
        connect(backend_, &Backend::linkChanged, this, [this] {
            if (!isReady()) {
                forget();
            } else if (!counts_) {
                refresh();
            }
        });
        connect(&session->commands(), &JobCommands::written, this, &CountWatch::refresh);
        pace_.start();
    }
    forget();
    refresh();
}

bool CountWatch::isReady() const
{
    return backend_ != nullptr && backend_->link().phase == LinkState::Phase::Ready;
}

void CountWatch::drop(Ticket& asked)
{
    if (asked != 0 && backend_ != nullptr) {
        backend_->source().cancel(asked);
    }
    asked = 0;
}

void CountWatch::forget()
{
    drop(asked_);
    if (counts_) {
        counts_.reset();
        emit changed();
    }
}

void CountWatch::refresh()
{
    if (isReady() && asked_ == 0) {
        asked_ = backend_->source().counts(
            {this, [this](Result<StoreCounts> counts) { take(std::move(counts)); }});
    }
}

void CountWatch::take(Result<StoreCounts> counts)
{
    asked_ = 0;
    if (!counts || !isReady()) {
        return forget();
    }
    Counts now;
    for (const auto& [state, jobs] : counts->states) {
        now.jobs += jobs;
    }
    now.mailboxes = counts->mailboxes;
    std::uint64_t series = 0;
    for (const auto& topic : counts->topics) {
        series += topic.topic == reminder::kSeriesTopic ? topic.scheduled + topic.ready : 0;
    }
    now.reminders = series;
    asked_ = backend_->source().topics({this, [this, now](Result<std::vector<TopicView>> topics) {
                                            asked_ = 0;
                                            if (!topics || !isReady()) {
                                                return forget();
                                            }
                                            askActivity(now, std::move(*topics));
                                        }});
}

/// A topic whose jobs are all held or dead is one, too.
void CountWatch::askActivity(Counts now, std::vector<TopicView> topics)
{
    asked_ = backend_->source().activity(
        {this, [this, now, topics = std::move(topics)](const Result<TopicActivity>& activity) {
             asked_ = 0;
             if (!activity || !isReady()) {
                 return forget();
             }
             counts_ = now;
             counts_->topics = withAllTopics(topics, *activity).size();
             addSeries(*activity);
             emit changed();
         }});
}

/// Those that are paused, or are moved on at this moment, are in no lane.
void CountWatch::addSeries(const TopicActivity& activity)
{
    auto& reminders = counts_->reminders;
    if (!activity.held.all || !activity.dead.all || !activity.leased) {
        reminders.reset();
        return;
    }
    const std::string topic(reminder::kSeriesTopic);
    for (const auto* jobs : {&activity.held.jobs, &activity.dead.jobs, &*activity.leased}) {
        const auto found = jobs->find(topic);
        *reminders += found == jobs->end() ? 0 : found->second;
    }
}

}  // namespace restante::gui
