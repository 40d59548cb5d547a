#include "core/redis/client/command_pipeline.h"

#include "core/redis/client/request.h"

#include <utility>

namespace restante::redis {

namespace {

constexpr std::size_t kReadSize = 64U << 10U;
// A buffer that one burst blew up is not kept for ever.
constexpr std::size_t kKeptOutput = 1U << 20U;
constexpr Readiness kBoth = Readiness::Readable | Readiness::Writable;

}  // namespace

CommandPipeline::CommandPipeline(EventLoop& loop,
                                 ByteStream stream,
                                 Millis timeout,
                                 Handlers handlers)
    : loop_(loop),
      handlers_(std::move(handlers)),
      timeout_(timeout),
      input_(kReadSize),
      watchdog_(loop),
      stream_(std::move(stream)),
      watch_(
          loop, stream_.descriptor(), Readiness::Readable, [this](Readiness r) { onReadiness(r); })
{
}

void CommandPipeline::send(std::span<const std::string_view> args, Done<Reply> done)
{
    appendRequest(out_, args);
    waiting_.push_back({Steady::now() + timeout_, std::move(done)});
    if (!watchdog_.armed()) {
        watchdog_.arm(timeout_, [this] { checkTime(); });
    }
    flushSoon();
}

std::vector<Done<Reply>> CommandPipeline::abandon()
{
    std::vector<Done<Reply>> callers;
    callers.reserve(waiting_.size());
    for (auto& waiting : waiting_) {
        callers.push_back(std::move(waiting.done));
    }
    waiting_.clear();
    return callers;
}

void CommandPipeline::onReadiness(Readiness readiness)
{
    if (has(readiness, Readiness::Readable) && read() == Progress::Stop) {
        return;
    }
    if (has(readiness, Readiness::Writable)) {
        flush();
    }
}

CommandPipeline::Progress CommandPipeline::read()
{
    const auto moved = stream_.read(input_.data(), input_.size());
    switch (moved.outcome) {
    case ByteStream::Outcome::Later: return Progress::Continue;
    case ByteStream::Outcome::Ended: return breakOff("closed by Redis");
    case ByteStream::Outcome::Failed: return breakOff(stream_.failure());
    case ByteStream::Outcome::Moved: break;
    }
    heard_ = true;
    reader_.feed(input_.data(), moved.size);
    return deliverReplies();
}

CommandPipeline::Progress CommandPipeline::deliverReplies()
{
    while (auto reply = reader_.next()) {
        if (deliver(std::move(*reply)) == Progress::Stop) {
            return Progress::Stop;
        }
    }
    return reader_.broken().empty() ? Progress::Continue
                                    : breakOff("not a Redis? " + reader_.broken());
}

CommandPipeline::Progress CommandPipeline::deliver(Result<Reply> reply)
{
    const auto life = callbackGuard_.watch();
    if (handlers_.pushed && handlers_.pushed(reply)) {
        return life.expired() ? Progress::Stop : Progress::Continue;
    }
    if (waiting_.empty()) {
        return breakOff(reply ? "a reply that nobody asked for" : reply.error().message);
    }
    const auto done = std::move(waiting_.front().done);
    waiting_.pop_front();
    done(std::move(reply));
    return life.expired() ? Progress::Stop : Progress::Continue;
}

/// Everything that is sent in one turn of the loop leaves in one write.
void CommandPipeline::flushSoon()
{
    if (std::exchange(flushing_, true)) {
        return;
    }
    loop_.post([this, life = callbackGuard_.watch()] {
        if (!life.expired()) {
            flush();
        }
    });
}

CommandPipeline::Progress CommandPipeline::flush()
{
    while (sent_ < out_.size()) {
        const auto moved = stream_.write(out_.data() + sent_, out_.size() - sent_);
        if (moved.outcome == ByteStream::Outcome::Later) {
            watch_.change(kBoth);  // flushing_ stays true: onReadiness() goes on
            blocked_ = true;
            return Progress::Continue;
        }
        if (moved.outcome != ByteStream::Outcome::Moved) {
            return breakOff(stream_.failure());
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
    return Progress::Continue;
}

void CommandPipeline::checkTime()
{
    // If it was this process that slept, the answer is here: a judgement before reading it would
    // be wrong.
    if (read() == Progress::Stop || waiting_.empty()) {
        return;
    }
    const auto left = waiting_.front().deadline - Steady::now();
    if (left <= Steady::duration::zero()) {
        breakOff("no answer within " + std::to_string(timeout_.count()) + " ms");
        return;
    }
    watchdog_.arm(std::chrono::ceil<Millis>(left), [this] { checkTime(); });
}

CommandPipeline::Progress CommandPipeline::breakOff(std::string why)
{
    watch_.remove();
    watchdog_.cancel();
    std::exchange(handlers_.broken, {})(std::move(why));
    return Progress::Stop;
}

}  // namespace restante::redis
