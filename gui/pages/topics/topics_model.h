#pragma once

#include "core/queue/job_inspector.h"
#include "gui/session/job_source.h"
#include "gui/theme/row_model.h"

#include <deque>
#include <map>
#include <optional>
#include <string>

namespace restante::gui {

class Preferences;

/// How fast the backlog of each topic grows or shrinks, from looks at it. *Value.*
class BacklogTrend {
public:
    /// Looks older than this say nothing about now.
    static constexpr Millis kSpan{60'000};

    void addSample(const std::string& topic, TimePoint at, std::uint64_t backlog);
    /// Jobs a minute, negative when it shrinks; none until two looks are a second apart.
    std::optional<double> perMinute(const std::string& topic) const;
    void clear() { points_.clear(); }

private:
    struct Point {
        TimePoint at{};
        std::uint64_t backlog = 0;
    };
    std::map<std::string, std::deque<Point>> points_;
};

/// A topic as the page of topics shows it. *Value.*
struct TopicRow {
    TopicView view;
    std::uint64_t scheduled = 0;  ///< on all channels
    std::uint64_t ready = 0;
    std::optional<Millis> late;          ///< of the job that has waited longest; none = not known
    std::optional<double> change;        ///< of the backlog, jobs a minute
    std::optional<TopicRate> rate = {};  ///< none = not known

    /// Jobs being delivered; none = not counted.
    std::optional<std::uint64_t> leased = {};
    /// None = not known yet; of as many jobs as were looked at.
    std::optional<std::uint64_t> held = {};
    std::optional<std::uint64_t> dead = {};

    std::uint64_t backlog() const noexcept { return scheduled + ready; }
};

/// Topics by name. New looks change rows in place, so that selection and scroll stay. *Thread of
/// the window.*
class TopicsModel : public RowModel<TopicRow> {
    Q_OBJECT

public:
    enum Column {
        Topic,
        Status,
        Ready,
        Late,
        Scheduled,
        Change,
        In,
        Out,
        Leased,
        Held,
        Dead,
        Concurrency,
        RateLimit,
        Channels,
        Reason,
    };
    /// For sorting: numbers as numbers, unknown ones first.
    static constexpr int kSortRole = Qt::UserRole;

    explicit TopicsModel(Preferences& preferences, QObject* parent = nullptr);

    /// `rows` by name. `now` is the store's time.
    void setContent(std::vector<TopicRow> rows, TimePoint now);
    void clear();
    void setLate(const std::string& topic, std::optional<Millis> late);
    /// What goes on in them: stays until the next answer.
    void setActivity(TopicActivity activity);

private:
    const std::vector<TableColumn>& columns() const override;
    QString text(const TopicRow& row, int column) const override;
    QVariant attribute(const TopicRow& row, int column, int role) const override;
    QString tip(const TopicRow& row, int column) const;
    QString pausedText(const TopicPause& pause) const;
    void applyActivity(TopicRow& row) const;
    static QString atLeast(const std::optional<std::uint64_t>& jobs, bool all);
    static QVariant sortValue(const TopicRow& row, int column);

    Preferences& preferences_;
    std::optional<TopicActivity> activity_;
    TimePoint now_{};
};

/// Counts of all channels added up; lateness is 0 where nothing is ready and unknown elsewhere.
TopicRow topicRow(TopicView view);

}  // namespace restante::gui
