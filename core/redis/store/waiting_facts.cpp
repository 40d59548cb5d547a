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

/// The facts of one job on their way.
struct Asked {
    WaitingFacts facts;
    int missing = 0;
    Done<WaitingFacts> done;

    void answered()
    {
        if (--missing == 0) {
            done(std::move(facts));
        }
    }
};

/// Whoever has never registered here may be known to a proxy: of those nobody can tell.
void noteRecipient(WaitingFacts& facts, const MailboxView& mailbox)
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
    const auto asked = std::make_shared<Asked>();
    asked->done = std::move(done);
    // Of no other job is a device what it waits for.
    const bool isInMailbox = view.state == JobState::Held && !view.byItself && hasMailbox(view.job);
    asked->missing = isInMailbox ? 3 : 2;
    if (isInMailbox) {
        inspector.mailbox({.recipient = view.job.recipient, .limit = 0},
                          [asked](const Result<MailboxContent>& content) {
                              if (content) {
                                  noteRecipient(asked->facts, content->mailbox);
                              }
                              asked->answered();
                          });
    }
    inspector.topics([asked, name = view.job.topic](const Result<std::vector<TopicView>>& topics) {
        if (topics) {
            const auto found = std::ranges::find(*topics, name, &TopicView::topic);
            auto& topic = asked->facts.topic.emplace();
            if (found != topics->end()) {
                topic = *found;
            }
            topic.topic = name;
        }
        asked->answered();
    });
    daemons([asked, channel = view.job.channel](const Result<std::vector<DaemonView>>& living) {
        if (living) {
            asked->facts.isChannelServed = delivers(*living, channel);
        }
        asked->answered();
    });
}

}  // namespace restante::redis
