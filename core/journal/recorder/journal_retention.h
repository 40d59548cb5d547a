#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"

#include <memory>
#include <string>

namespace restante::journal {

/// Deletes from the journal what ended longer ago than it is kept: walks through the messages in
/// the order of their ids, a few at a time, so that no index is needed and nobody waits for it.
/// *One loop*; borrows everything.
class JournalRetention {
public:
    /// `keep` 0 = for ever.
    JournalRetention(EventLoop& loop, const Clock& clock, SqlThread& sql, Millis keep);

private:
    void look();
    void looked(Result<std::string> after);

    EventLoop& loop_;
    const Clock& clock_;
    SqlThread& sql_;
    Millis keep_;
    Timer next_;
    std::string after_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< for answers that outlive this
};

}  // namespace restante::journal
