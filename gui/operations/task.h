#pragma once

#include "core/base/error.h"
#include "gui/session/job_writer.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QString>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

/// Something that takes its time: a bulk request, an export, an import. *Value.*
struct Task {
    enum class Phase { Running, Stopping, Ended };
    enum class Kind { BulkRequest, Export, Import };

    int id = 0;
    Kind kind = Kind::BulkRequest;
    Phase phase = Phase::Running;
    QString title;  ///< "Trash of 3,004 jobs"
    QString scope;  ///< which jobs those are
    QString by;     ///< "user@host"
    QDateTime started;
    QDateTime ended;
    std::uint64_t done = 0;
    std::uint64_t skipped = 0;
    std::uint64_t failed = 0;
    std::uint64_t expected = 0;                           ///< 0 = not known
    bool stopped = false;                                 ///< before everything had been done
    std::vector<std::pair<std::string, Error>> failures;  ///< by the job's id, or by the line
    QString problem;            ///< why it ended early, as a sentence; empty = it did not
    QString result;             ///< what to know of it now that it is over: "Due tomorrow at 9:00"
    SharedBulkRequest request;  ///< of Kind::BulkRequest; else none
    QElapsedTimer clock;
    qint64 tookMs = 0;  ///< once it has ended
    /// Of a bulk request that ended early: what it has not done, with those that failed.
    SharedBulkRequest rest = {};

    bool running() const { return phase != Phase::Ended; }
    std::uint64_t touched() const { return done + skipped + failed; }
    qint64 elapsedMs() const { return running() && clock.isValid() ? clock.elapsed() : tookMs; }
    /// Whether something of it went wrong.
    bool troubled() const { return failed > 0 || !problem.isEmpty(); }
};

/// The name of its icon.
QString iconName(const Task& task);
/// 0 - 100, or -1 when nobody knows.
int percentOf(const Task& task);
/// Jobs in a second so far; 0 before there is anything to say.
double rateOf(const Task& task);
/// "about 2 min"; empty when nobody knows.
QString timeLeftText(const Task& task);
/// "1,830 ok · 2 skipped · 1 failed", and what became of it: "stopped", the problem, the result.
QString outcomeText(const Task& task);
/// "340 jobs/s"; empty before there is anything to say.
QString rateText(const Task& task);

}  // namespace restante::gui
