#pragma once

#include "core/journal/recovery/comparison.h"
#include "core/journal/recovery/shard_settings.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace restante::journal {

/// Compares one shard with the journal, brings each to where the other knows more, and lets the
/// shard be served (docs/journal.md, "Identity"). Done by whoever has the shard's lease, whenever
/// the shard is not served: after a start, and after Redis was restarted, emptied, exchanged or
/// rolled back. Every step may be repeated from the beginning. *One loop*; borrows everything;
/// nothing is answered once it is destroyed.
class ShardComparison {
public:
    /// What the lease's owner knows.
    struct Shard {
        ShardFacts facts;
        StreamId listenStart;  ///< where its listening began, or what was committed before
        std::string token;     ///< by which it is served already; empty: it is not
        /// Up to where this process has recorded it, for while the database is away.
        std::optional<Position> remembered = {};
        /// The database has just not answered: only what is remembered counts.
        std::optional<Error> unreachable = {};
    };
    /// What the comparison has led to; all but Unchanged: the journal began anew with what is in
    /// Redis.
    enum class ComparisonOutcome {
        Unchanged,
        New,         ///< the journal did not know this shard
        Gap,         ///< events were cut off, or not listened to, before they were recorded
        Restored,    ///< Redis had lost it: it was brought back
        LeftBehind,  ///< Redis had lost it, and `journal.recover` is off
    };
    struct Agreed {
        Position position;  ///< from here on the stream has all that the journal lacks
        std::string token;
        ComparisonOutcome outcome = ComparisonOutcome::Unchanged;
    };

    /// Does nothing before run().
    static std::shared_ptr<ShardComparison> of(ShardParts parts, ShardSettings settings);
    virtual ~ShardComparison() = default;

    /// Called once. `served` is told the token as soon as the shard is served, which may be before
    /// the end.
    ///
    /// Unavailable: Redis or the database did not answer; ask again. Conflict: the lease is another
    /// one's. Invalid: the journal belongs to another store; the message says what to do.
    virtual void
    run(Shard shard, std::function<void(const std::string& token)> served, Done<Agreed> done) = 0;
    /// It is known that no other store of this journal is alive, and what this one has lost comes
    /// back.
    virtual bool isRestoring() const noexcept = 0;
};

/// Facts of the journal about the store. `alive` is renewed by the recorder of shard 0 every few
/// seconds: "<process> <number>"; empty when it has stopped.
inline constexpr auto kAliveFact = "alive";
/// "1" as long as jobs of a lost shard wait for an operator, so that nobody takes them for ended.
std::string leftBehindFact(std::uint32_t shard);

}  // namespace restante::journal
