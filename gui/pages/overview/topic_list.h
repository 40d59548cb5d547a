#pragma once

#include "gui/pages/overview/section.h"
#include "gui/session/job_source.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

class SeverityMark;

/// A topic as the overview shows it. *Value.*
struct OverviewTopic {
    std::string topic;
    std::optional<TopicRate> rate = {};  ///< none = not known
    std::uint64_t waiting = 0;           ///< scheduled or ready
    std::uint64_t ready = 0;
    std::uint64_t held = 0;
    bool heldExact = true;
    std::uint64_t dead = 0;
    bool deadExact = true;
    bool paused = false;
    std::optional<Millis> oldest =
        {};  ///< lateness of the oldest ready job; none = no ready job, or unknown
};

/// All topics of both arguments, the busiest first: by rates, then by scheduled, ready and held
/// jobs, then by dead jobs.
std::vector<OverviewTopic> busiestFirst(const std::vector<TopicView>& topics,
                                        const std::optional<TopicActivity>& activity);

/// The busiest topics with their rates and counts. *Thread of the window.*
class TopicList : public Section {
    Q_OBJECT

public:
    static constexpr std::size_t kRows = 6;

    explicit TopicList(QWidget* parent = nullptr);

    /// The first kRows of the topics. `ratesProblem`: why the rates are not known.
    void setContent(const std::vector<OverviewTopic>& topics, const QString& ratesProblem);

signals:
    void filterRequested(const QString& filter);

private:
    struct Row {
        LinkButton* topic;
        QLabel* in;
        QLabel* out;
        LinkButton* waiting;
        LinkButton* held;
        QLabel* oldest;
        LinkButton* dead;
    };
    void connectRow(std::size_t at);
    void showRow(const Row& row, const OverviewTopic& topic, const QString& ratesProblem);

    std::vector<QLabel*> titles_;
    std::vector<Row> rows_;
    std::vector<OverviewTopic> topics_;
};

}  // namespace restante::gui
