#pragma once

#include "core/base/clock.h"
#include "core/journal/sql/sql_journal.h"

#include <optional>
#include <string>

namespace restante::journal {

/// Where a job stands in the journal, as recover.lua and replay.lua take it. *Value.*
struct PlaceArguments {
    std::string state;
    std::string score;
    std::string past;
    std::string forgotten;
    std::string arrival;
    std::string next;
    std::string lastError;
    std::string origin;
    std::string known;  ///< "1": the journal has it just so; "": it is told of it
};

/// What was leased stays so while its lease stands at `now`: until the end that its
/// last touch has told, or else from its claim for the job's time to run. Whoever works on it may
/// then still say what became of it. Else it is ready, or in its mailbox, and that attempt is used
/// up; so it is without `now`. What is done is "gone" unless the store keeps it (`keepsDone`).
/// *Pure function.*
PlaceArguments
placeArguments(const StoredMessage& message, bool keepsDone, std::optional<TimePoint> now = {});

}  // namespace restante::journal
