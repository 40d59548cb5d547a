#pragma once

#include "core/journal/outbox/journal_event.h"
#include "core/journal/sql/sql_row_writer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace restante::journal {

/// The last recorded state of what a store has besides jobs: a row of the table `setting`. *Value.*
struct StoredSetting {
    enum class Kind { Pause, Limit, Registration };
    Kind kind = Kind::Pause;
    std::string name;          ///< of the topic, or of the hash, without its shard's prefix
    std::string value;         ///< Pause: since ms, actor, reason, line feeds between them; Limit:
                               ///< "<concurrency> <jobs> <per ms>"; Registration: MessagePack
    std::int64_t untilMs = 0;  ///< when a Registration ends

    /// The row's key.
    std::string id() const;
};

/// The longest key of a row: an address of record has at most 1,024 bytes, and base64 adds a third.
inline constexpr std::size_t kLongestSettingId = 1'500;

/// Collects the changes of settings in a batch, so that each setting is written once. *One thread.*
class SettingChanges {
public:
    explicit SettingChanges(std::uint32_t shard);

    /// Adds an event about a topic or a registration; ignores other events.
    void add(const JournalEvent& event);
    void add(StoredSetting setting, std::int64_t nowMs);
    /// Deletes the rows of removed settings. To be called before rows().
    void deleteRemoved(SqlSession& session) const;
    /// The rows of the other changed settings, which replace existing ones.
    const TableRows& rows();

private:
    struct Change {
        std::optional<StoredSetting> setting;  ///< none: it was removed
        std::int64_t atMs = 0;
        StreamId streamId = {};
    };
    std::uint32_t shard_;
    std::map<std::string, Change> changes_;
    TableRows rows_;
};

/// The next settings after `after`, at most `limit`, in the order of their keys: registrations of
/// the shard that have not ended by `nowMs`, and the settings of all topics, which apply to every
/// shard.
std::vector<StoredSetting> readSettings(SqlSession& session,
                                        std::uint32_t shard,
                                        const std::string& after,
                                        std::size_t limit,
                                        std::int64_t nowMs);

}  // namespace restante::journal
