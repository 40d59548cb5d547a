#include "core/redis/store/waiting_facts.h"

#include "core/queue/mailbox.h"

#include <algorithm>
#include <memory>

namespace restante::redis {

namespace {

bool delivers(const std::vector<DaemonView>& daemons, Channel channel)
{
    return std::ranges::any_of(daemons, [channel](const DaemonView& daemon) {
        return !daemon.draining &&
               std::ranges::find(daemon.duties, dutyOf(channel)) != daemon.duties.end();
    });
}

/// The facts of one job while some answers are missing.
struct PendingFacts {
    WaitingFacts facts;
    int answersLeft = 0;
    Done<WaitingFacts> done;

    void onAnswer()
    {
        if (--answersLeft == 0) {
            done(std::move(facts));
        }
    }
};

/// A recipient who has never registered here may be known to a proxy, so nothing is set then.
void setRecipient(WaitingFacts& facts, const MailboxView& mailbox)
{
    if (mailbox.isRegistered()) {
        facts.recipient = Reachability::Registered;
    } else if (const auto away = mailbox.awaySince()) {
        facts.recipient = Reachability::NoDevice;
        facts.recipientSince = away;
    }
}

}  // namespace

void askWaitingFacts(JobInspector& inspector,
                     const std::function<void(Done<std::vector<DaemonView>>)>& daemons,
                     const JobView& view,
                     Done<WaitingFacts> done)
{
    const auto pending = std::make_shared<PendingFacts>();
    pending->done = std::move(done);
    // Only such a job waits for a device.
    const bool isInMailbox =
        view.state == JobState::Held && !view.heldOutsideMailbox && hasMailbox(view.job);
    pending->answersLeft = isInMailbox ? 3 : 2;
    if (isInMailbox) {
        inspector.mailbox({.recipient = view.job.recipient, .limit = 0},
                          [pending](const Result<MailboxContent>& content) {
                              if (content) {
                                  setRecipient(pending->facts, content->mailbox);
                              }
                              pending->onAnswer();
                          });
    }
    inspector.topics(
        [pending, name = view.job.topic](const Result<std::vector<TopicView>>& topics) {
            if (topics) {
                const auto found = std::ranges::find(*topics, name, &TopicView::topic);
                auto& topic = pending->facts.topic.emplace();
                if (found != topics->end()) {
                    topic = *found;
                }
                topic.topic = name;
            }
            pending->onAnswer();
        });
    daemons([pending, channel = view.job.channel](const Result<std::vector<DaemonView>>& views) {
        if (views) {
            pending->facts.isChannelServed = delivers(*views, channel);
        }
        pending->onAnswer();
    });
}

}  // namespace restante::redis
