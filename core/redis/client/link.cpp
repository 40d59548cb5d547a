#include "core/redis/client/link.h"

#include "core/redis/client/request.h"

#include <utility>

namespace restante::redis {

namespace {

constexpr std::size_t kReadSize = 64U << 10U;
// A buffer that one burst blew up is not kept for ever.
constexpr std::size_t kKeptOutput = 1U << 20U;
constexpr Readiness kBoth = Readiness::Readable | Readiness::Writable;

}  // namespace

Link::Link(EventLoop& loop, Wire wire, Millis timeout, Handlers handlers)
    : loop_(loop),
      handlers_(std::move(handlers)),
      timeout_(timeout),
      input_(kReadSize),
      watchdog_(loop),
      wire_(std::move(wire)),
      watch_(loop, wire_.descriptor(), Readiness::Readable, [this](Readiness r) { onReadiness(r); })
{
}

void Link::send(std::span<const std::string_view> args, Done<Reply> done)
{
    appendRequest(out_, args);
    waiting_.push_back({Steady::now() + timeout_, std::move(done)});
    if (!watchdog_.armed()) {
        watchdog_.arm(timeout_, [this] { checkTime(); });
    }
    flushSoon();
}

std::vector<Done<Reply>> Link::abandon()
{
    std::vector<Done<Reply>> callers;
    callers.reserve(waiting_.size());
    for (auto& waiting : waiting_) {
        callers.push_back(std::move(waiting.done));
    }
    waiting_.clear();
    return callers;
}

void Link::onReadiness(Readiness readiness)
{
    if (has(readiness, Readiness::Readable) && read() == Going::Over) {
        return;
    }
    if (has(readiness, Readiness::Writable)) {
        flush();
    }
}

Link::Going Link::read()
{
    const auto moved = wire_.read(input_.data(), input_.size());
    switch (moved.outcome) {
    case Wire::Outcome::Later: return Going::On;
    case Wire::Outcome::Ended: return breakOff("closed by Redis");
    case Wire::Outcome::Failed: return breakOff(wire_.failure());
    case Wire::Outcome::Moved: break;
    }
    heard_ = true;
    reader_.feed(input_.data(), moved.size);
    return deliverReplies();
}

Link::Going Link::deliverReplies()
{
    while (auto reply = reader_.next()) {
        if (deliver(std::move(*reply)) == Going::Over) {
            return Going::Over;
        }
    }
    return reader_.broken().empty() ? Going::On : breakOff("not a Redis? " + reader_.broken());
}

Link::Going Link::deliver(Result<Reply> reply)
{
    const std::weak_ptr life = life_;
    if (handlers_.pushed && handlers_.pushed(reply)) {
        return life.expired() ? Going::Over : Going::On;
    }
    if (waiting_.empty()) {
        return breakOff(reply ? "a reply that nobody asked for" : reply.error().message);
    }
    const auto done = std::move(waiting_.front().done);
    waiting_.pop_front();
    done(std::move(reply));
    return life.expired() ? Going::Over : Going::On;
}

/// Everything that is sent in one turn of the loop leaves in one write.
void Link::flushSoon()
{
    if (std::exchange(flushing_, true)) {
        return;
    }
    loop_.post([this, life = std::weak_ptr(life_)] {
        if (!life.expired()) {
            flush();
        }
    });
}

Link::Going Link::flush()
{
    while (sent_ < out_.size()) {
        const auto moved = wire_.write(out_.data() + sent_, out_.size() - sent_);
        if (moved.outcome == Wire::Outcome::Later) {
            watch_.change(kBoth);  // flushing_ stays true: onReadiness() goes on
            blocked_ = true;
            return Going::On;
        }
        if (moved.outcome != Wire::Outcome::Moved) {
            return breakOff(wire_.failure());
        }
        sent_ += moved.size;
    }
    out_.clear();
    sent_ = 0;
    if (out_.capacity() > kKeptOutput) {
        out_.shrink_to_fit();
    }
    flushing_ = false;
    if (std::exchange(blocked_, false)) {
        watch_.change(Readiness::Readable);
    }
    return Going::On;
}

void Link::checkTime()
{
    // If it was this process that slept, the answer is here: a judgement before reading it would
    // be wrong.
    if (read() == Going::Over || waiting_.empty()) {
        return;
    }
    const auto left = waiting_.front().deadline - Steady::now();
    if (left <= Steady::duration::zero()) {
        breakOff("no answer within " + std::to_string(timeout_.count()) + " ms");
        return;
    }
    watchdog_.arm(std::chrono::ceil<Millis>(left), [this] { checkTime(); });
}

Link::Going Link::breakOff(std::string why)
{
    watch_.remove();
    watchdog_.cancel();
    const auto broken = std::move(handlers_.broken);
    broken(std::move(why));
    return Going::Over;
}

}  // namespace restante::redis
