#pragma once

#include "gui/session/store_poll.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace restante::gui {

/// How many jobs, mailboxes, topics and recurring reminders the store has. *Thread of the window.*
class CountWatch : public StorePoll {
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

    /// Polls as StorePoll does, and after each write.
    void open(StoreSession* session);
    /// Whether it polls by itself, or only on refresh() and after each write.
    void setLive(bool live) { live_ = live; }
    using StorePoll::refresh;
    /// None before the first answer and while there is no connection.
    const std::optional<Counts>& counts() const noexcept { return counts_; }

private:
    bool isKnown() const override { return counts_.has_value(); }
    void clear() override { counts_.reset(); }
    void sendRequest() override;
    void tick() override;
    void requestTopics(const StoreCounts& counts);
    void addSeries(const TopicActivity& activity);
    void requestActivity(Counts totals, std::vector<TopicView> topics);

    bool live_ = true;
    QMetaObject::Connection writtenConnection_;
    std::optional<Counts> counts_;
};

}  // namespace restante::gui
