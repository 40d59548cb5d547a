#include "core/base/encoding.h"
#include "sipplugin/phone/phone.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/signalfd.h>
#include <unistd.h>

namespace restante::phone {

namespace {

constexpr int kSuccess = 0;
constexpr int kFailed = 1;

void say(std::FILE* stream, const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);  // whoever reads our output waits for it
}

/// "From: ...  Date: ...", then the body, then a line end.
std::string printForPeople(const sip::ReceivedRequest& message)
{
    return fmt::format("From: {}  Date: {}\n{}\n", message.header("From").value_or("-"),
                       message.header("Date").value_or("-"), message.body);
}

/// One JSON object: from, to, date, call_id, content_type and body, or body_base64 when the body
/// is not UTF-8.
std::string printAsJson(const sip::ReceivedRequest& message)
{
    nlohmann::ordered_json json;
    const auto add = [&](const char* key, std::string_view header) {
        if (auto value = message.header(header)) {
            json[key] = *value;
        }
    };
    add("from", "From");
    add("to", "To");
    add("date", "Date");
    add("call_id", "Call-ID");
    add("content_type", "Content-Type");
    json["body"] = message.body;
    try {
        return json.dump() + "\n";
    } catch (const nlohmann::json::type_error&) {  // not UTF-8
        json.erase("body");
        json["body_base64"] = toBase64(message.body);
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// Plays what the options ask for, until it is done, the time is up or a signal ends it. *One
/// loop.*
class PhoneRun {
public:
    explicit PhoneRun(const PhoneOptions& options) : options_(options) {}

    /// The exit code.
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
            end(response.status < 300 ? kSuccess : kFailed);
        });
    }

    void handle(const sip::ReceivedRequest& message)
    {
        if (options_.count != 0 && arrived_ >= options_.count) {
            return;
        }
        say(stdout, options_.json ? printAsJson(message) : printForPeople(message));
        if (++arrived_ == options_.count) {
            loop_.post([this] { unregister(kSuccess); });
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
                unregister(kSuccess);
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
    int code_ = kSuccess;
};

}  // namespace
}  // namespace restante::phone

int main(int argc, char** argv)
{
    try {
        const auto options = restante::phone::readOptions(argc, argv);
        if (const auto* code = std::get_if<int>(&options)) {
            return *code;
        }
        return restante::phone::PhoneRun(std::get<restante::phone::PhoneOptions>(options)).run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "restante-phone: %s\n", error.what());
        return restante::phone::kFailed;
    }
}
