#include "core/redis/store/mailbox_walk.h"

#include "core/base/result_gathering.h"
#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/redis/store/script.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>

namespace restante::redis {

namespace {

constexpr std::uint64_t kMailboxesPerStep = 500;
constexpr std::uint32_t kMostMailboxesAPage = 500;
/// The weight of a mailbox with its devices in a command: it may read some dozens of them.
constexpr std::size_t kMailboxWeight = 4;
/// A few megabytes, with bodies of the largest size.
constexpr std::uint32_t kMessagesPerCommand = 100;
constexpr std::uint32_t kMostMessages = 1'000;

std::optional<TimePoint> timeOrNone(const std::string& text)
{
    const auto ms = wholeNumber<std::int64_t>(text);
    return ms && *ms > 0 ? std::optional(fromEpochMs(*ms)) : std::nullopt;
}

/// How many texts the answer of mailbox.lua begins with, and how many each device has.
constexpr std::size_t kTextsOfMailbox = 5;
constexpr std::size_t kTextsOfDevice = 7;

MailboxView mailboxOf(const Reply& reply, std::string recipient)
{
    MailboxView view{.recipient = std::move(recipient)};
    const auto texts = textsOf(reply);
    if (texts.size() < kTextsOfMailbox) {
        return view;
    }
    view.waiting = leadingNumber<std::uint64_t>(texts[0]);
    if (const auto next = texts[1].empty() ? kNever : timeOfScore(texts[1]); next != kNever) {
        view.next = next;
    }
    view.oldest = timeOrNone(texts[2]);
    view.newest = timeOrNone(texts[3]);
    view.expires = timeOrNone(texts[4]);
    for (auto i = kTextsOfMailbox; i + kTextsOfDevice <= texts.size(); i += kTextsOfDevice) {
        const auto* deviceTexts = texts.data() + i;
        view.devices.push_back(
            {deviceTexts[0], deviceTexts[1], deviceTexts[2], timeOrNone(deviceTexts[3]),
             timeOrNone(deviceTexts[4]).value_or(TimePoint{}),
             timeOrNone(deviceTexts[5]).value_or(TimePoint{}), deviceTexts[6] == "1"});
    }
    std::ranges::sort(view.devices, [](const auto& a, const auto& b) {
        return a.registered != b.registered ? a.registered
               : a.seen != b.seen           ? a.seen > b.seen
                                            : a.device < b.device;
    });
    return view;
}

/// The query of one page. Shared by the handlers of its answers.
class MailboxWalk : public std::enable_shared_from_this<MailboxWalk> {
public:
    MailboxWalk(const ShardQueues& shards,
                MailboxQuery query,
                std::optional<MailboxRank> lastRank,
                Done<MailboxPage> done)
        : shards_(shards),
          query_(std::move(query)),
          lastRank_(std::move(lastRank)),
          done_(std::move(done))
    {
        query_.name = lowered(query_.name);
        query_.limit = std::clamp(query_.limit, 1U, kMostMailboxesAPage);
    }

    void start()
    {
        pending_ = shards_.size();
        for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
            step(shard, "0");
        }
    }

private:
    void step(std::size_t shard, const std::string& cursor)
    {
        shards_[shard]->add(script("mailboxes"), {},
                            {cursor, std::to_string(kMailboxesPerStep), query_.name},
                            [self = shared_from_this(), shard](const Result<Reply>& reply) {
                                self->handleStep(shard, reply);
                            });
    }

    void handleStep(std::size_t shard, const Result<Reply>& reply)
    {
        if (!reply) {
            return end(reply.error());
        }
        const auto texts = textsOf(*reply);
        if (texts.size() < 2 || texts.size() % 2 != 0) {
            return end({ErrorCode::Internal, "mailboxes: an answer of another length"});
        }
        examined_ += leadingNumber<std::uint64_t>(texts[1]);
        for (std::size_t i = 2; i < texts.size(); i += 2) {
            if (const auto waiting = leadingNumber<std::uint64_t>(texts[i + 1]); waiting > 0) {
                addRank({waiting, texts[i]});
            }
        }
        const bool isLast = texts[0] == "0";
        if (!isLast && examined_ < query_.budget && done_) {
            return step(shard, texts[0]);
        }
        page_.complete = page_.complete && isLast;
        if (--pending_ == 0) {
            readPage();
        }
    }

    void addRank(MailboxRank rank)
    {
        // SCAN may return a member twice when the set grows or shrinks meanwhile.
        counted_.push_back({std::hash<std::string>{}(rank.recipient), rank.waiting});
        if (lastRank_ && !(*lastRank_ < rank)) {
            return;
        }
        fullest_.insert(std::move(rank));
        if (fullest_.size() > query_.limit) {
            fullest_.erase(std::prev(fullest_.end()));
            hasMore_ = true;
        }
    }

    void sumUp()
    {
        std::ranges::sort(counted_);
        const auto repeated = std::unique(
            counted_.begin(), counted_.end(),
            [](const Counted& one, const Counted& other) { return one.first == other.first; });
        counted_.erase(repeated, counted_.end());
        page_.total = counted_.size();
        for (const auto& [recipient, waiting] : counted_) {
            page_.messages += waiting;
        }
    }

    /// Reads the mailboxes of the page.
    void readPage()
    {
        sumUp();
        if (hasMore_ && !fullest_.empty()) {
            page_.cursor = std::prev(fullest_.end())->toString();
        }
        std::set<std::string_view> recipients;
        for (const auto& rank : fullest_) {
            if (recipients.insert(rank.recipient).second) {
                page_.mailboxes.push_back({.recipient = rank.recipient, .waiting = rank.waiting});
            }
        }
        pending_ = page_.mailboxes.size() + 1;
        for (std::size_t i = 0; i < page_.mailboxes.size(); ++i) {
            const auto& recipient = page_.mailboxes[i].recipient;
            const auto shard =
                shardOfMailbox(recipient, static_cast<std::uint32_t>(shards_.size()));
            shards_[shard]->add(
                script("mailbox"), {}, {recipient},
                [self = shared_from_this(), i](const Result<Reply>& reply) {
                    self->setView(i, reply);
                },
                kMailboxWeight);
        }
        if (--pending_ == 0) {
            answer();
        }
    }

    void setView(std::size_t i, const Result<Reply>& reply)
    {
        if (!reply) {
            return end(reply.error());
        }
        // The order stays the one of the scan, even if numbers have changed since then.
        page_.mailboxes[i] = mailboxOf(*reply, std::move(page_.mailboxes[i].recipient));
        if (--pending_ == 0) {
            answer();
        }
    }

    void answer()
    {
        if (auto done = std::exchange(done_, nullptr)) {
            done(std::move(page_));
        }
    }

    void end(const Error& error)
    {
        if (auto done = std::exchange(done_, nullptr)) {
            done(tl::unexpected(error));
        }
    }

    using Counted = std::pair<std::size_t, std::uint64_t>;  ///< hash of the recipient, messages

    const ShardQueues& shards_;
    MailboxQuery query_;
    std::optional<MailboxRank> lastRank_;
    Done<MailboxPage> done_;  ///< empty once called
    MailboxPage page_;
    std::set<MailboxRank> fullest_;
    std::vector<Counted> counted_;
    bool hasMore_ = false;  ///< there are mailboxes behind the page
    std::uint64_t examined_ = 0;
    std::size_t pending_ = 0;  ///< answers that this step waits for
};

/// The view of a message whose record cannot be read.
JobView unreadableView(const PageEntry& entry, JobState state)
{
    JobView view;
    view.job.id = entry.id;
    view.state = state;
    return view;
}

/// Reads the answer of mailbox_messages: a letter for the state of each message, then page entries.
std::vector<JobView> messagesOf(const Reply& reply)
{
    if (reply.size() == 0) {
        return {};
    }
    const auto stateLetters = std::string(reply.at(0).textOrEmpty());
    std::vector<JobView> messages;
    for (const auto& entry : pageEntriesOf(reply, 1)) {
        const auto state =
            messages.size() < stateLetters.size() && stateLetters[messages.size()] == 'l'
                ? JobState::Leased
                : JobState::Held;
        messages.push_back(entry.read(state).value_or(unreadableView(entry, state)));
    }
    return messages;
}

}  // namespace

void listMailboxes(const ShardAccess& store, MailboxQuery query, Done<MailboxPage> done)
{
    auto lastRank = MailboxRank::parse(query.cursor);
    if (!lastRank && !query.cursor.empty()) {
        return store.loop.post(
            [done = std::move(done)] { done(invalidField("cursor", kBadMailboxCursor)); });
    }
    std::make_shared<MailboxWalk>(store.queues, std::move(query), std::move(lastRank),
                                  std::move(done))
        ->start();
}

void readMailbox(const ShardQueues& shards, MailboxRequest request, Done<MailboxContent> done)
{
    const auto& shard =
        shards[shardOfMailbox(request.recipient, static_cast<std::uint32_t>(shards.size()))];
    const auto limit = std::min(request.limit, kMostMessages);
    const auto partCount = (limit + kMessagesPerCommand - 1) / kMessagesPerCommand;
    // The messages of each part, the oldest part first.
    struct Parts {
        MailboxView mailbox;
        std::vector<std::vector<JobView>> messages;
    };
    auto gathering = std::make_shared<ResultGathering<Parts>>(
        mapped<Parts>(std::move(done),
                      [](Parts&& parts) {
                          MailboxContent content{std::move(parts.mailbox), {}};
                          std::set<std::string> seen;
                          for (auto& part : parts.messages) {
                              for (auto& message : part) {
                                  // A message is twice when others have come meanwhile.
                                  if (seen.insert(message.job.id).second) {
                                      content.messages.push_back(std::move(message));
                                  }
                              }
                          }
                          return content;
                      }),
        partCount + 1);
    gathering->sum.messages.resize(partCount);
    shard->add(script("mailbox"), {}, {request.recipient},
               [gathering, recipient = request.recipient](const Result<Reply>& reply) {
                   gathering->take(reply, [&](Parts& sum, const Reply& answer) {
                       sum.mailbox = mailboxOf(answer, recipient);
                   });
               });
    for (std::uint32_t part = 0; part < partCount; ++part) {
        const auto last = part * kMessagesPerCommand + 1;
        const auto first = std::min(limit, last + kMessagesPerCommand - 1);
        shard->add(
            script("mailbox_messages"), {},
            {request.recipient, "-" + std::to_string(first), "-" + std::to_string(last)},
            [gathering, place = partCount - 1 - part](const Result<Reply>& reply) {
                gathering->take(reply, [&](Parts& sum, const Reply& answer) {
                    sum.messages[place] = messagesOf(answer);
                });
            },
            kMessagesPerCommand);
    }
}

}  // namespace restante::redis
