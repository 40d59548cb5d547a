#include "gui/pages/jobs/facet_questions.h"

#include <utility>

namespace restante::gui {

void FacetQuestions::setSource(JobSource* source)
{
    if (ticket_ != 0 && source_ != nullptr) {
        source_->cancel(ticket_);
    }
    ticket_ = 0;
    topicsDue_ = false;
    countsDue_ = false;
    source_ = source;
}

void FacetQuestions::ask(Want want)
{
    topicsDue_ = true;
    countsDue_ = countsDue_ || want == Want::TopicsAndCounts;
    finish();
}

/// Nothing is on its way: the next question, if there is one.
void FacetQuestions::finish()
{
    if (source_ == nullptr || ticket_ != 0) {
        return;
    }
    if (std::exchange(topicsDue_, false)) {
        askTopics();
    } else if (std::exchange(countsDue_, false)) {
        askCounts();
    } else {
        emit idle();
    }
}

void FacetQuestions::askTopics()
{
    ticket_ = source_->topics({this, [this, from = source_](Result<std::vector<TopicView>> answer) {
                                   if (from != source_) {
                                       return;
                                   }
                                   ticket_ = 0;
                                   if (answer) {
                                       emit topics(*answer);
                                   }
                                   finish();
                               }});
}

void FacetQuestions::askCounts()
{
    ticket_ = source_->counts({this, [this, from = source_](Result<StoreCounts> answer) {
                                   if (from != source_) {
                                       return;
                                   }
                                   ticket_ = 0;
                                   if (answer) {
                                       emit counts(*answer);
                                   }
                                   finish();
                               }});
}

}  // namespace restante::gui
