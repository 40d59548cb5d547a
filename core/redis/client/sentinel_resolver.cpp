#include "core/redis/client/sentinel_resolver.h"

#include "core/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <vector>

namespace restante::redis {

namespace {

/// A sentinel answers at once, and the next one may know it, too.
constexpr Millis kTimeout{1'000};

}  // namespace

SentinelResolver::SentinelResolver(EventLoop& loop,
                                   const RedisUrl& url,
                                   std::size_t first,
                                   Done<Found> done)
    : loop_(loop),
      url_(url),
      first_(first),
      done_(std::move(done)),
      timeout_(loop)
{
    askNext();
}

std::size_t SentinelResolver::current() const noexcept
{
    return (first_ + asked_) % url_.sentinels.size();
}

void SentinelResolver::askNext()
{
    const auto& sentinel = url_.sentinels[current()];
    auto url = url_;
    url.host = sentinel.host;
    url.port = sentinel.port;
    timeout_.arm(kTimeout,
                 [this] { passOn(fmt::format("no answer within {} ms", kTimeout.count())); });
    dialer_ = std::make_unique<StreamDialer>(loop_, url, [this](Result<ByteStream> stream) {
        const auto dialer = std::move(dialer_);  // it is telling this
        if (stream) {
            talk(std::move(*stream));
        } else {
            passOn(stream.error().message);
        }
    });
}

void SentinelResolver::talk(ByteStream stream)
{
    CommandPipeline::Handlers handlers;
    handlers.broken = [this](const std::string& why) { passOn(why); };
    pipeline_ =
        std::make_unique<CommandPipeline>(loop_, std::move(stream), kTimeout, std::move(handlers));
    if (url_.sentinelPassword.empty()) {
        return askForMaster(LogIn::NotYet);
    }
    logIn(url_.sentinelUser, url_.sentinelPassword);
}

void SentinelResolver::logIn(const std::string& user, const std::string& password)
{
    std::vector<std::string_view> words{"AUTH"};
    if (!user.empty()) {
        words.push_back(user);
    }
    words.push_back(password);
    // A refusal shows when the question is refused.
    pipeline_->send(words, [](const Result<Reply>&) {});
    askForMaster(LogIn::Tried);
}

void SentinelResolver::askForMaster(LogIn logIn)
{
    const std::vector<std::string_view> words{"SENTINEL", "get-master-addr-by-name", url_.master};
    pipeline_->send(words, [this, logIn](const Result<Reply>& answer) {
        if (answer) {
            handle(*answer);
        } else {
            refused(answer.error(), logIn);
        }
    });
}

void SentinelResolver::handle(const Reply& answer)
{
    const auto* parts = answer.array();
    if (parts == nullptr || parts->size() != 2) {
        return passOn("does not know it");
    }
    const auto* host = (*parts)[0].text();
    const auto* port = (*parts)[1].text();
    Found found;
    if (host == nullptr || host->empty() || port == nullptr || !readNumber(*port, found.port) ||
        found.port == 0) {
        return passOn("gives no address");
    }
    found.host = *host;
    found.sentinel = current();
    const auto done = std::move(done_);  // it destroys this
    done(std::move(found));
}

void SentinelResolver::refused(const Error& why, LogIn logIn)
{
    if (logIn == LogIn::NotYet && !url_.password.empty() && why.message.starts_with("NOAUTH")) {
        return this->logIn(url_.user, url_.password);
    }
    passOn(why.message);
}

void SentinelResolver::passOn(const std::string& why)
{
    const auto& sentinel = url_.sentinels[current()];
    reasons_ += fmt::format("{}{}: {}", reasons_.empty() ? "" : "; ",
                            printAddress(sentinel.host, sentinel.port), why);
    dialer_.reset();
    const auto pipeline = std::move(pipeline_);  // it may be telling this
    if (++asked_ < url_.sentinels.size()) {
        return askNext();
    }
    timeout_.cancel();
    const auto done = std::move(done_);  // it destroys this
    done(failure(ErrorCode::Unavailable, reasons_));
}

std::string printNoMaster(const RedisUrl& url, const std::string& reasons)
{
    std::vector<std::string> places;
    for (const auto& sentinel : url.sentinels) {
        places.push_back(printAddress(sentinel.host, sentinel.port));
    }
    return fmt::format("no sentinel of {} knows master \"{}\" ({})", fmt::join(places, ", "),
                       url.master, reasons);
}

}  // namespace restante::redis
