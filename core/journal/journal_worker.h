#pragma once

#include "core/journal/journal_service.h"

#include <functional>
#include <memory>

namespace restante::journal {

/// What JournalService runs on its thread: composes recorders, recovery and retention. *One loop.*
class JournalWorker {
public:
    JournalWorker(EventLoop& loop, const JournalService::Settings& settings);
    JournalWorker(const JournalWorker&) = delete;
    JournalWorker& operator=(const JournalWorker&) = delete;
    ~JournalWorker();

    void open(Done<void> done);
    void stop(std::function<void()> stopped);
    void history(std::string id, Done<std::vector<HistoryRow>> done);
    void recover(RecoverRequest request, Done<RecoverOutcome> done);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::journal
