#pragma once

#include "gui/session/job_source.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <cstdint>
#include <optional>
#include <vector>

namespace restante::gui {

class Backend;
class StoreSession;

/// How many jobs, mailboxes, topics and recurring reminders the store has, for whoever is beside
/// the pages: asked every few seconds while the connection is ready. *Thread of the window.*
class CountWatch : public QObject {
    Q_OBJECT

public:
    /// *Value.*
    struct Counts {
        std::uint64_t jobs = 0;  ///< in whatever state
        std::uint64_t mailboxes = 0;
        std::uint64_t topics = 0;
        /// Recurring reminders; none = there are too many other jobs to count those among them.
        std::optional<std::uint64_t> reminders = {};
    };

    explicit CountWatch(QObject* parent = nullptr);

    /// Null: there is no store. It is borrowed until the next call.
    void open(StoreSession* session);
    /// Asks by itself, or only when it is told to.
    void setLive(bool live) { live_ = live; }
    void refresh();
    /// None: nobody knows, before the first answer and while the store is away.
    const std::optional<Counts>& counts() const noexcept { return counts_; }

signals:
    void changed();

private:
    bool isReady() const;
    void forget();
    void take(Result<StoreCounts> counts);
    void addSeries(const TopicActivity& activity);
    void askActivity(Counts now, std::vector<TopicView> topics);
    void drop(Ticket& asked);

    QPointer<Backend> backend_;
    QTimer pace_;
    bool live_ = true;
    Ticket asked_ = 0;  ///< 0 = nothing is on its way
    std::optional<Counts> counts_;
};

}  // namespace restante::gui
