#include "sipplugin/phone/session.h"

#include "sipplugin/phone/message_printer.h"
#include "sipplugin/phone/phone.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <sys/signalfd.h>
#include <unistd.h>

namespace restante::phone {

namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;

void say(std::FILE* stream, const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);  // whoever reads our output waits for it
}

/// One run of the program. *One loop.*
class Session {
public:
    explicit Session(const PhoneOptions& options) : options_(options) {}

    int run()
    {
        auto phone = Phone::open(loop_, options_, [this](const auto& message) { handle(message); });
        if (!phone) {
            say(stderr, "restante-phone: " + phone.error().message + "\n");
            return kFailed;
        }
        phone_ = std::move(*phone);
        watchSignals();
        if (options_.timeout > Millis{0}) {
            timeout_.arm(options_.timeout, [this] { giveUp(); });
        }
        loop_.post([this] { options_.to.empty() ? registerContact() : sendMessage(); });
        loop_.run();
        return code_;
    }

private:
    using Response = sip::RequestSender::Response;

    void registerContact()
    {
        phone_->registerContact([this](const Response& response) {
            const auto answer = fmt::format("{} {}", response.status, response.phrase);
            if (response.status >= 300) {
                say(stderr, fmt::format("restante-phone: {} is not registered: {}\n", options_.aor,
                                        answer));
                return end(kFailed);
            }
            registered_ = true;
            say(stderr, fmt::format("registered {}\n", options_.aor));
        });
    }

    void sendMessage()
    {
        phone_->sendMessage([this](const Response& response) {
            say(stdout, fmt::format("{} {}\n", response.status, response.phrase));
            end(response.status < 300 ? kDone : kFailed);
        });
    }

    void handle(const sip::ReceivedRequest& message)
    {
        if (options_.count != 0 && arrived_ >= options_.count) {
            return;
        }
        say(stdout, options_.json ? printAsJson(message) : printForPeople(message));
        if (++arrived_ == options_.count) {
            loop_.post([this] { unregister(kDone); });
        }
    }

    void giveUp()
    {
        say(stderr, fmt::format("restante-phone: time is up after {} message(s)\n", arrived_));
        unregister(kFailed);
    }

    /// Tells the server that we go, but does not wait long for what it says.
    void unregister(int code)
    {
        if (!registered_) {
            return end(code);
        }
        registered_ = false;
        phone_->unregister([this, code](const Response&) { end(code); });
        timeout_.arm(Millis{1'000}, [this, code] { end(code); });
    }

    void end(int code)
    {
        code_ = code;
        loop_.stop();
    }

    void watchSignals()
    {
        sigset_t ends;
        sigemptyset(&ends);
        sigaddset(&ends, SIGINT);
        sigaddset(&ends, SIGTERM);
        sigprocmask(SIG_BLOCK, &ends, nullptr);
        const int fd = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
        signals_ = Watch(loop_, fd, Readiness::Readable, [this, fd](Readiness) {
            signalfd_siginfo info;
            if (read(fd, &info, sizeof(info)) > 0) {
                unregister(kDone);
            }
        });
    }

    const PhoneOptions& options_;
    sip::SuLoop loop_;
    Timer timeout_{loop_};
    Watch signals_;
    std::unique_ptr<Phone> phone_;
    std::uint32_t arrived_ = 0;
    bool registered_ = false;
    int code_ = kDone;
};

}  // namespace

int play(const PhoneOptions& options)
{
    return Session(options).run();
}

}  // namespace restante::phone
