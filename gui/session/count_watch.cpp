#include "gui/session/count_watch.h"

#include "core/reminder/reminder_plan.h"
#include "gui/session/store_session.h"
#include "gui/session/topic_views.h"

#include <utility>

namespace restante::gui {

namespace {

/// The counts in the rail need no faster refresh.
constexpr int kCountIntervalMs = 5'000;

}  // namespace

CountWatch::CountWatch(QObject* parent) : StorePoll(kCountIntervalMs, parent) {}

void CountWatch::open(StoreSession* session)
{
    disconnect(writtenConnection_);
    if (session != nullptr) {
        writtenConnection_ =
            connect(&session->commands(), &JobCommands::written, this, &CountWatch::refresh);
    }
    StorePoll::open(session);
}

void CountWatch::tick()
{
    if (live_) {
        refresh();
    }
}

void CountWatch::sendRequest()
{
    pendingRequest_ = backend_->source().counts({this, [this](const Result<StoreCounts>& counts) {
                                                     if (acceptAnswer(counts)) {
                                                         requestTopics(*counts);
                                                     }
                                                 }});
}

void CountWatch::requestTopics(const StoreCounts& counts)
{
    Counts totals;
    for (const auto& [state, jobs] : counts.states) {
        totals.jobs += jobs;
    }
    totals.mailboxes = counts.mailboxes;
    std::uint64_t series = 0;
    for (const auto& topic : counts.topics) {
        series += topic.topic == reminder::kSeriesTopic ? topic.scheduled + topic.ready : 0;
    }
    totals.reminders = series;
    pendingRequest_ =
        backend_->source().topics({this, [this, totals](Result<std::vector<TopicView>> topics) {
                                       if (acceptAnswer(topics)) {
                                           requestActivity(totals, std::move(*topics));
                                       }
                                   }});
}

/// Topics with only held, dead or leased jobs count as well.
void CountWatch::requestActivity(Counts totals, std::vector<TopicView> topics)
{
    pendingRequest_ = backend_->source().activity(
        {this, [this, totals, topics = std::move(topics)](const Result<TopicActivity>& activity) {
             if (acceptAnswer(activity)) {
                 counts_ = totals;
                 counts_->topics = withAllTopics(topics, *activity).size();
                 addSeries(*activity);
                 emit changed();
             }
         }});
}

/// Adds paused, dead and just claimed series, which are in no lane.
void CountWatch::addSeries(const TopicActivity& activity)
{
    auto& reminders = counts_->reminders;
    if (!activity.held.isComplete || !activity.dead.isComplete || !activity.leased) {
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
