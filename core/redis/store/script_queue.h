#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/store/appended_event.h"
#include "core/redis/store/shard_queues.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::redis {

class Connection;
class ServingGate;
struct Reply;
struct Script;

/// The job or mailbox that an item is about: items with the same subject are executed in the order
/// in which they were given. One without a subject may be about any. *Value*, borrows its texts.
struct ScriptSubject {
    enum class Kind {
        Any,
        Ready,   ///< whichever jobs are ready
        Leased,  ///< a job that its caller has leased
    };

    ScriptSubject() = default;
    /// A job that may lie in any mailbox, or none; with `recipient`, not empty, in that one's.
    template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
    ScriptSubject(const Text& id, std::string_view recipient = {})  // NOLINT: an id is a subject
        : job(id),
          mailbox(recipient)
    {
    }
    /// A mailbox with all that is in it.
    static ScriptSubject ofMailbox(std::string_view recipient)
    {
        ScriptSubject subject;
        subject.mailbox = recipient;
        return subject;
    }

    /// A claim.
    static ScriptSubject ofReady()
    {
        ScriptSubject subject;
        subject.kind = Kind::Ready;
        return subject;
    }
    /// As of a job, but it may overtake claims: they do not look at what is leased.
    static ScriptSubject ofLeased(std::string_view id, std::string_view recipient)
    {
        ScriptSubject subject(id, recipient);
        subject.kind = Kind::Leased;
        return subject;
    }

    std::string_view job = {};
    std::string_view mailbox = {};
    Kind kind = Kind::Any;
};

/// What an item is executed by: a script, and an argument that its call has only once, in front of
/// those of its items; empty = none. Items with different ones do not share a call. *Value*,
/// borrows its text.
struct ScriptCall {
    ScriptCall(const Script& called, std::string_view common = {})  // NOLINT: a script is a call
        : script(called),
          commonArgument(common)
    {
    }

    const Script& script;
    std::string_view commonArgument;
};

/// Group commit for one shard. Items of the same script that are given in one turn of the loop, or
/// while calls are in flight, go out in one EVALSHA; so callers that each wait for their own answer
/// share a round trip, without a timer. Many of one turn go out in several, so that the server
/// works on the first while the next is filled.
///
/// Order: two items about the same job or mailbox are executed in the order in which they were
/// given; an item without a subject keeps its order with all others, and so does a claim, but for
/// the end of an attempt that was asked for later: where consumers claim and finish in turn, each
/// item would need a call of its own. A job whose mailbox
/// is not named may be in any mailbox, so it keeps its order with items about mailboxes. The
/// scripts answer with one element per item, or with one text for all of them; either may stand
/// behind "event" and the id of the newest event that the call has appended. A call that fails as a
/// whole answers all its items with that error. Scripts the server does not know are loaded and the
/// call is repeated.
///
/// Borrows loop, connection and clock. *One loop.*
class ScriptQueue {
public:
    /// The weight that fills a call. Beyond a hundred jobs a call gains nothing more, and the
    /// server serves nobody else while it runs. Callers like arrays of a hundred, which then fill
    /// whole calls.
    static constexpr std::size_t kJobsPerCall = 100;
    /// The reply's element for the item, or why there is none.
    using Answer = std::function<void(Result<Reply>)>;

    struct Settings {
        std::string shardPrefix;
        std::uint32_t eventsKept = 100'000;
        /// Every call names the token of the shard (ServingGate): until the state is known calls
        /// wait, while the shard is closed they get Unavailable, while its state is refused the
        /// error that refuses it, and while the connection is not ready its refusal(). Null: no
        /// token. Borrowed.
        ServingGate* gate = nullptr;
        std::uint32_t shard = 0;  ///< number of the shard, for `gate`
    };

    ScriptQueue(EventLoop& loop, Connection& connection, const Clock& clock, Settings settings);
    ScriptQueue(const ScriptQueue&) = delete;
    ScriptQueue& operator=(const ScriptQueue&) = delete;
    /// Items that have no answer yet get Unavailable before it returns. When an answer destroys it,
    /// those that are answered together with that item get theirs only afterwards.
    ~ScriptQueue();

    /// `weight` is how many jobs the item may move: calls are filled by weight. Everything is
    /// copied.
    void add(ScriptCall call,
             ScriptSubject subject,
             std::span<const std::string_view> arguments,
             Answer answer,
             std::size_t weight = 1);
    void add(ScriptCall call,
             ScriptSubject subject,
             std::initializer_list<std::string_view> arguments,
             Answer answer,
             std::size_t weight = 1)
    {
        add(call, subject, std::span(arguments.begin(), arguments.size()), std::move(answer),
            weight);
    }
    void add(ScriptCall call,
             ScriptSubject subject,
             const std::vector<std::string>& arguments,
             Answer answer,
             std::size_t weight = 1)
    {
        const std::vector<std::string_view> views(arguments.begin(), arguments.end());
        add(call, subject, std::span(views), std::move(answer), weight);
    }

    /// While an item is answered: what its call has appended, if its script tells it; else none.
    std::optional<AppendedEvent> appendedEvent() const;

    /// Every later call names this key as KEYS[2]; empty = none. For callers that know the token
    /// without a ServingGate.
    void setTokenKey(std::string key);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;  ///< shared with the handlers of pending answers
};

/// A queue for each shard of a store. `gate` may be null, and outlives them.
ShardQueues shardQueues(EventLoop& loop,
                        Connection& connection,
                        const Clock& clock,
                        const std::string& prefix,
                        std::uint32_t shards,
                        ServingGate* gate = nullptr,
                        std::uint32_t eventsKept = ScriptQueue::Settings{}.eventsKept);

/// A handler that calls `done` with `read(answer)`, or with the error.
template <class From, class To, class Read>
Done<From> mapped(Done<To> done, Read read)
{
    return [done = std::move(done), read = std::move(read)](Result<From> from) {
        done(std::move(from).map(read));
    };
}

}  // namespace restante::redis
