#pragma once

#include "gui/session/job_source.h"

#include <QObject>

#include <vector>

namespace restante::gui {

/// Asks for the topics, and for the store's counts where somebody needs them: one question at a
/// time, and however often they are wanted meanwhile, once more. *Thread of the window.*
class FacetQuestions : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Null: asks nothing any more. Borrowed until the next call.
    void setSource(JobSource* source);
    enum class Want { Topics, TopicsAndCounts };
    void ask(Want want);
    bool busy() const noexcept { return ticket_ != 0; }

signals:
    void topics(const std::vector<restante::TopicView>& topics);
    void counts(const restante::StoreCounts& counts);
    /// Everything that was wanted has been answered.
    void idle();

private:
    void askTopics();
    void askCounts();
    void finish();

    JobSource* source_ = nullptr;
    Ticket ticket_ = 0;
    bool topicsDue_ = false;
    bool countsDue_ = false;
};

}  // namespace restante::gui
