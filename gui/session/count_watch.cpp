#include "gui/session/count_watch.h"

#include "gui/session/store_session.h"
#include "gui/session/topic_views.h"

#include <utility>

namespace restante::gui {

namespace {

/// Nobody reads a number beside the page more often.
constexpr int kPaceMs = 5'000;

}  // namespace

CountWatch::CountWatch(QObject* parent) : StorePoll(kPaceMs, parent) {}

void CountWatch::open(StoreSession* session)
{
    disconnect(written_);
    if (session != nullptr) {
        written_ = connect(&session->commands(), &JobCommands::written, this, &CountWatch::refresh);
    }
    StorePoll::open(session);
}

void CountWatch::tick()
{
    if (live_) {
        refresh();
    }
}

void CountWatch::ask()
{
    asked_ = backend_->source().counts({this, [this](const Result<StoreCounts>& counts) {
                                            if (isAnswered(counts)) {
                                                askTopics(*counts);
                                            }
                                        }});
}

void CountWatch::askTopics(const StoreCounts& counts)
{
    Counts now;
    for (const auto& [state, jobs] : counts.states) {
        now.jobs += jobs;
    }
    now.mailboxes = counts.mailboxes;
    asked_ = backend_->source().topics({this, [this, now](Result<std::vector<TopicView>> topics) {
                                            if (isAnswered(topics)) {
                                                askActivity(now, std::move(*topics));
                                            }
                                        }});
}

/// A topic whose jobs are all held or dead is one, too.
void CountWatch::askActivity(Counts now, std::vector<TopicView> topics)
{
    asked_ = backend_->source().activity(
        {this, [this, now, topics = std::move(topics)](const Result<TopicActivity>& activity) {
             if (isAnswered(activity)) {
                 counts_ = now;
                 counts_->topics = withAllTopics(topics, *activity).size();
                 emit changed();
             }
         }});
}

}  // namespace restante::gui
