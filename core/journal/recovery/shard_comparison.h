#pragma once

#include "core/journal/recovery/comparison.h"
#include "core/journal/recovery/recording_settings.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace restante::journal {

/// Compares one shard with the journal, updates each from the other where that knows more, and
/// opens the shard for service (docs/journal.md, "Identity"). Done by the holder of the shard's
/// lease whenever the shard is not served: after a start, and after Redis was restarted, emptied,
/// exchanged or rolled back. Every step may be repeated from the beginning. *One loop*; borrows
/// everything; nothing is answered once it is destroyed.
class ShardComparison {
public:
    /// What the holder of the lease knows.
    struct Shard {
        ShardFacts facts;
        /// Field `cursor` of `journal`: the entry with which the recording period began, or the
        /// last one that was committed since; zero: none.
        StreamId cursorInRedis;
        std::string token;  ///< by which it is already served; empty: it is not served
        /// The position up to which this process has recorded it, for use while the database is
        /// away.
        std::optional<Position> remembered = {};
        /// Set when the database has just not answered: only `remembered` is used.
        std::optional<Error> databaseError = {};
    };
    /// The outcome of the comparison; all but Unchanged: the journal was rebuilt from Redis, or
    /// jobs were brought back into it.
    enum class ComparisonOutcome {
        Unchanged,
        New,         ///< the journal did not know this shard
        Gap,         ///< events were trimmed or not written before they were recorded
        Restored,    ///< Redis had lost it, or its newest writes: they were brought back
        LeftBehind,  ///< the same, but `journal.recover` is off
    };
    struct Agreement {
        Position position;  ///< from here on, the stream has all that the journal lacks
        std::string token;
        ComparisonOutcome outcome = ComparisonOutcome::Unchanged;
    };

    /// Makes a comparison, which does nothing before run().
    static std::shared_ptr<ShardComparison> of(JournalContext context, RecordingSettings settings);
    virtual ~ShardComparison() = default;

    /// Called once. `onServed` is called with the token as soon as the shard is served, which may
    /// be before `done`.
    ///
    /// Unavailable: Redis or the database did not answer; retry. Conflict: another process holds
    /// the lease. Invalid: the journal belongs to another store; the message says what to do.
    virtual void run(Shard shard,
                     std::function<void(const std::string& token)> onServed,
                     Done<Agreement> done) = 0;
    /// Whether it is established that the shard is of this journal's store, and no other one is
    /// alive: from then on, while the journal is rebuilt or lost jobs are restored, the recorder
    /// shows that it lives.
    virtual bool isStoreEstablished() const noexcept = 0;
};

/// Facts of the journal about the store. `alive` is renewed by the recorder of shard 0 every few
/// seconds: "<process> <number>"; empty when it has stopped.
inline constexpr auto kAliveFact = "alive";
/// Name of a fact: "1" while the jobs of a lost shard wait for an operator, so that they do not
/// count as ended.
std::string leftBehindFact(std::uint32_t shard);
/// Name of a fact: not empty since a comparison has ended with Gap, until the jobs that ended in
/// the gap are ended in the journal, too. Each gap has another value.
std::string gapFact(std::uint32_t shard);
/// The gap whose jobs have yet to be ended in the journal. Empty: there is none, or the jobs of the
/// shard wait for an operator.
Result<std::string> openGap(SqlJournal& sql, std::uint32_t shard);

}  // namespace restante::journal
