#pragma once

#include "core/base/error.h"
#include "gui/session/reply.h"

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>

namespace restante::gui {

/// Set by whoever asked when the answer is not wanted any more. *Any thread.*
using Unwanted = std::shared_ptr<std::atomic<bool>>;

/// A question on its way to the store.
struct Question {
    Ticket ticket = 0;
    Unwanted unwanted;
    /// Asks; calls `answered` when it has passed the answer on.
    std::function<void(std::function<void()> answered)> ask;
    /// Tells that there will be none.
    std::function<void(const Error&)> fail;
};

/// Lets some questions through at a time, so that what is not wanted any more by the time of its
/// turn is never asked. *One loop.*
class QuestionQueue {
public:
    explicit QuestionQueue(std::size_t atOnce) : atOnce_(atOnce) {}

    void add(Question question);
    /// Everything that is unanswered fails; what is answered later is ignored.
    void failAll(const Error& why);

private:
    void go();

    std::size_t atOnce_;
    std::deque<Question> waiting_;
    std::map<Ticket, Question> asked_;
    /// Expires with what failAll() has given up, so that late answers do not count.
    std::shared_ptr<int> generation_ = std::make_shared<int>(0);
};

}  // namespace restante::gui
