#include "gui/session/question_queue.h"

#include <utility>

namespace restante::gui {

void QuestionQueue::add(Question question)
{
    waiting_.push_back(std::move(question));
    go();
}

void QuestionQueue::go()
{
    while (!waiting_.empty() && asked_.size() < atOnce_) {
        auto question = std::move(waiting_.front());
        waiting_.pop_front();
        if (question.unwanted && *question.unwanted) {
            continue;
        }
        const auto ticket = question.ticket;
        const auto ask = question.ask;
        asked_.emplace(ticket, std::move(question));
        ask([this, ticket, generation = std::weak_ptr(generation_)] {
            if (generation.lock() && asked_.erase(ticket) > 0) {
                go();
            }
        });
    }
}

void QuestionQueue::failAll(const Error& why)
{
    generation_ = std::make_shared<int>(0);
    const auto waiting = std::exchange(waiting_, {});
    const auto asked = std::exchange(asked_, {});
    for (const auto& [ticket, question] : asked) {
        question.fail(why);
    }
    for (const auto& question : waiting) {
        question.fail(why);
    }
}

}  // namespace restante::gui
