#pragma once

#include "core/queue/job_inspector.h"
#include "gui/session/job_source.h"
#include "gui/theme/row_model.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

class Preferences;

/// How fast the backlog of each topic grows or shrinks. *Value.*
class BacklogTrend {
public:
    /// Older samples are dropped.
    static constexpr Millis kSpan{60'000};

    void addSample(const std::string& topic, TimePoint at, std::uint64_t backlog);
    /// Jobs a minute, negative when it shrinks; none until two samples are a second apart.
    std::optional<double> perMinute(const std::string& topic) const;
    void clear() { points_.clear(); }

private:
    struct Point {
        TimePoint at{};
        std::uint64_t backlog = 0;
    };
    std::map<std::string, std::deque<Point>> points_;
};

/// The segments of a topic's bar, in the order in which they are drawn.
enum class BarSegment { Ready, Scheduled, Retrying, Leased, Held, Dead, Count_ };
/// How many jobs each segment has; a job that retries is not counted as ready or scheduled.
/// *Value.*
using BarSegments = std::array<std::uint64_t, static_cast<std::size_t>(BarSegment::Count_)>;

/// Jobs pushed and finished in the last day, step by step; none = unknown. *Value.*
struct TopicLines {
    using Line = std::vector<std::optional<double>>;
    Line in = {};
    Line finished = {};

    bool isKnown() const;
    friend bool operator==(const TopicLines&, const TopicLines&) = default;
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
    /// None = not known yet; counted in the jobs that were examined.
    std::optional<std::uint64_t> held = {};
    std::optional<std::uint64_t> dead = {};
    std::optional<std::uint64_t> retrying = {};  ///< of those that are scheduled or ready
    TopicLines past = {};

    std::uint64_t backlog() const noexcept { return scheduled + ready; }
    BarSegments barSegments() const;
    /// Jobs of all segments of the bar, as far as they are known; not those trashed or done.
    std::uint64_t jobs() const;
};

/// The status of a topic, in the order of urgency.
enum class TopicStatus {
    Paused,       ///< nothing is given out
    DeadOnly,     ///< it has jobs, and all of them are dead
    DeadAndHeld,  ///< all of them are dead or held
    HeldOnly,     ///< all of them wait for their recipients, or for whoever holds them
    Limited,      ///< given out within its limits
    Open,
};
TopicStatus statusOf(const TopicRow& row);

/// Topics by name. Refreshes change rows in place, which keeps selection and scroll position.
/// *Thread of the window.*
class TopicsModel : public RowModel<TopicRow> {
    Q_OBJECT

public:
    enum Column {
        Topic,
        Jobs,
        Status,
        Late,
        Ready,
        Scheduled,
        Retrying,
        Leased,
        Held,
        Dead,
        In,
        Out,
        Errors,
        Concurrency,
        RateLimit,
        Change,
        Channels,
        Reason,
        Past,  ///< last, so that older saved layouts still fit
        Count_,
    };
    /// For sorting: numbers as numbers, unknown ones first.
    static constexpr int kSortRole = Qt::UserRole;
    /// BarSegments, of the column Jobs.
    static constexpr int kBarSegmentsRole = Qt::UserRole + 1;
    /// TopicLines, of the column Past.
    static constexpr int kPastRole = Qt::UserRole + 2;

    explicit TopicsModel(Preferences& preferences, QObject* parent = nullptr);

    /// `rows` by name. `now` is the store's time.
    void setContent(std::vector<TopicRow> rows, TimePoint now);
    void clear();
    void setLate(const std::string& topic, std::optional<Millis> late);
    /// Sets rates and counts; they stay until the next answer.
    void setActivity(TopicActivity activity);
    /// Whether limits may be edited.
    void setEditable(bool editable) { editable_ = editable; }

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Emits limitsRequested(); the row changes once the store has the limits. False when the text
    /// is invalid or changes nothing.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

    static bool isLimit(int column) { return column == Concurrency || column == RateLimit; }
    /// The limits with the typed text of a column applied; none = invalid text.
    static std::optional<TopicLimits>
    withTypedLimit(TopicLimits limits, int column, const QString& text);
    /// What can be typed there, as a sentence.
    static QString limitHelp(int column);
    /// The name of a segment ("Retrying") and its colour.
    static QString segmentName(BarSegment segment);
    static QColor segmentColor(BarSegment segment);

signals:
    void limitsRequested(const std::string& topic,
                         const restante::TopicLimits& before,
                         const restante::TopicLimits& after);

private:
    const std::vector<TableColumn>& columns() const override;
    QString text(const TopicRow& row, int column) const override;
    QVariant attribute(const TopicRow& row, int column, int role) const override;
    QString tip(const TopicRow& row, int column) const;
    QString pastText(const TopicRow& row) const;
    QString segmentsText(const TopicRow& row, const QString& between) const;
    QString pausedText(const TopicPause& pause) const;
    static QString statusText(TopicStatus status);
    static QString statusTip(TopicStatus status);
    QString totalText(const TopicRow& row) const;
    QVariant foreground(const TopicRow& row, int column) const;
    static QString iconOf(const TopicRow& row, int column);
    void applyActivity(TopicRow& row) const;
    /// "12", or "≥12" unless all of them were counted.
    static QString countOrBoundText(const std::optional<std::uint64_t>& jobs, bool countedAll);
    static QVariant sortValue(const TopicRow& row, int column);

    Preferences& preferences_;
    std::optional<TopicActivity> activity_;
    TimePoint now_{};
    bool editable_ = false;
};

/// Counts of all channels added up; lateness is 0 where nothing is ready and unknown elsewhere.
TopicRow topicRow(TopicView view);

}  // namespace restante::gui

Q_DECLARE_METATYPE(restante::gui::BarSegments)
Q_DECLARE_METATYPE(restante::gui::TopicLines)
