#include "core/base/clock.h"
#include "core/base/crypto.h"
#include "core/base/duration.h"
#include "core/base/encoding.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "core/base/version.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/socket_name.h"
#include "sipplugin/message/transport_address.h"
#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/request_sender.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/signalfd.h>
#include <unistd.h>
#include <unordered_set>
#include <utility>

namespace restante::phone {

namespace {

constexpr int kExitSuccess = 0;
constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

/// The options of the command line. *Value.*
struct PhoneOptions {
    // Filled by CLI11.
    std::string user;       ///< the phone's user, "sip:bob@example.com"
    std::string server;     ///< a SIP URI; empty = the host of `user`
    std::string transport;  ///< empty = what `server` says
    std::string to;         ///< recipient of a message; empty = register and listen
    std::string body;
    std::string bodyFile;  ///< file with the body, unless empty
    std::string contentType = "text/plain";
    bool json = false;
    std::uint32_t count = 0;         ///< end after so many messages, 0 = never
    std::string timeoutText = "0s";  ///< give up after this, 0 = never
    std::uint32_t answer = 200;      ///< to every MESSAGE
    std::uint32_t expires = 3'600;   ///< seconds, of the registration

    // Set by deriveSettings().
    std::string aor;
    std::string userPart;
    std::string serverUri;  ///< with its transport: where requests are sent
    std::string host;       ///< of the server, without brackets
    bool overTcp = false;
    Millis timeout{0};
};

void declare(CLI::App& app, PhoneOptions& options)
{
    app.description("A small SIP phone for text messages: registers and prints every MESSAGE that "
                    "arrives, or sends one.");
    app.footer("Exit codes: 0 done, 1 refused, no answer or time-out, 2 wrong usage.");
    app.add_option("--user", options.user, "Whose phone this is: sip:bob@host[:port]")->required();
    app.add_option("--server", options.server,
                   "Where to register and send: sip:host[:port][;transport=tcp]; default: the "
                   "host of --user");
    app.add_option("--transport", options.transport, "udp (default) or tcp")
        ->check(CLI::IsMember({"udp", "tcp"}));
    app.add_option("--answer", options.answer, "Answer every MESSAGE with this status, such as 480")
        ->check(CLI::Range(200, 699));
    app.add_option("--expires", options.expires, "Seconds that the registration lasts")
        ->check(CLI::Range(1, 86'400));
    app.add_flag("--json", options.json, "Print each message as one JSON object a line");
    auto* once = app.add_flag_callback(
        "--once", [&] { options.count = 1; }, "End after one message");
    app.add_option("--count", options.count, "End after so many messages")->excludes(once);
    app.add_option("--timeout", options.timeoutText, "Give up after this, such as 30s");
    auto* to = app.add_option("--to", options.to, "Send one message to this address and end");
    auto* text = app.add_option("--text", options.body, "Its text")->needs(to);
    app.add_option("--body-file", options.bodyFile, "Its body, from a file")
        ->needs(to)
        ->excludes(text)
        ->check(CLI::ExistingFile);
    app.add_option("--content-type", options.contentType, "Its type")->needs(to);
    app.set_version_flag("--version", std::string{version()});
}

/// Sets what follows from the options of the command line. Invalid says which is wrong.
Result<void> deriveSettings(PhoneOptions& options)
{
    options.timeout = TRY(parseDuration(options.timeoutText));
    const auto user = TRY(sip::parseSipUri(options.user));
    options.aor = TRY(sip::canonicalAor(options.user));
    const auto server =
        TRY(sip::parseSipUri(options.server.empty() ? options.user : options.server));
    if (!options.to.empty()) {
        TRY(sip::parseSipUri(options.to));
    }
    const auto* parameter = server.param("transport");
    options.overTcp =
        options.transport == "tcp" || (options.transport.empty() && parameter != nullptr &&
                                       sip::parseTransport(*parameter) == sip::Transport::Tcp);
    options.userPart = user.user;
    options.host = sip::withoutBrackets(server.host);
    options.serverUri = "sip:" + server.host +
                        (server.port != 0 ? ":" + std::to_string(server.port) : "") +
                        (options.overTcp ? ";transport=tcp" : "");
    if (options.to.empty()) {
        options.body.clear();  // a registration has none
    } else if (!options.bodyFile.empty()) {
        auto body = readFile(options.bodyFile);
        if (!body) {
            return invalid("--body-file \"" + options.bodyFile + "\" cannot be read");
        }
        options.body = std::move(*body);
    }
    return {};
}

void print(std::FILE* stream, const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);  // whoever reads our output waits for it
}

tl::unexpected<Error> unreachable(const std::string& host, const char* why)
{
    return failure(ErrorCode::Unavailable, "no way to the server " + host + ": " + why);
}

/// The own address that routing picks for `host`. Blocks while it looks up a name.
Result<std::string> localAddressTowards(const std::string& host)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host.c_str(), "5060", &hints, &found); error != 0) {
        return unreachable(host, gai_strerror(error));
    }
    sip::SocketName server;
    std::memcpy(&server.storage, found->ai_addr, found->ai_addrlen);
    server.length = found->ai_addrlen;
    freeaddrinfo(found);
    auto local = sip::localAddressTo(server);
    return local.empty() ? Result<std::string>{unreachable(host, std::strerror(errno))} : local;
}

/// "From: ...  Date: ...", then the body, then a line end.
std::string formatForPeople(const sip::ReceivedRequest& message)
{
    return fmt::format("From: {}  Date: {}\n{}\n", message.header("From").value_or("-"),
                       message.header("Date").value_or("-"), message.body);
}

/// One JSON object; body_base64 instead of body when that is not UTF-8.
std::string formatAsJson(const sip::ReceivedRequest& message)
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

/// One user's phone: stays registered and answers requests, or sends one message. Ends when that is
/// done, at a signal or after the time-out. *One loop.*
class Phone {
public:
    explicit Phone(PhoneOptions options) : options_(std::move(options)) {}

    /// The exit code.
    int run()
    {
        if (const auto opened = open(); !opened) {
            print(stderr, "restante-phone: " + opened.error().message + "\n");
            return kExitFailure;
        }
        watchSignals();
        if (options_.timeout > Millis{0}) {
            timeoutTimer_.arm(options_.timeout, [this] { giveUp(); });
        }
        loop_.post([this] { options_.to.empty() ? registerContact() : sendMessage(); });
        loop_.run();
        return exitCode_;
    }

private:
    using Response = sip::RequestSender::Response;
    using AnswerHandler = sip::RequestSender::AnswerHandler;

    /// Binds a free UDP and a free TCP port of the address that faces the server. Unavailable says
    /// why not.
    Result<void> open()
    {
        const auto local = TRY(localAddressTowards(options_.host));
        // Both transports: long messages come over TCP even to a phone that registered over UDP.
        agent_ = TRY(sip::Agent::open(
            loop_, {{{sip::Transport::Udp, local, 0}, {sip::Transport::Tcp, local, 0}}},
            [this](auto request) { handle(*request); }));
        sender_ = std::make_unique<sip::RequestSender>(*agent_);
        return {};
    }

    void handle(sip::IncomingRequest& request)
    {
        const auto& parsed = request.parsed();
        if (parsed.method != "MESSAGE") {
            return request.answer(
                {parsed.method == "OPTIONS" ? 200 : 405, "", {{"Allow", "MESSAGE, OPTIONS"}}});
        }
        const std::string via{parsed.header("Via").value_or("")};
        const bool wanted = options_.count == 0 || printedCount_ < options_.count;
        if (!wanted && options_.answer < 300 && !seenVias_.contains(via)) {
            return request.answer({480, "this phone is ending", {}});
        }
        const bool isNew = seenVias_.insert(via).second;
        // Printed before it is answered, so that an answered message has certainly been printed.
        if (isNew && options_.answer < 300) {
            print(stdout, options_.json ? formatAsJson(parsed) : formatForPeople(parsed));
            if (++printedCount_ == options_.count) {
                loop_.post([this] { unregister(kExitSuccess); });
            }
        }
        request.answer({static_cast<int>(options_.answer), "", {}});
    }

    /// `extraHeaders` are header lines with their ends.
    void send(std::string_view method,
              std::string_view uri,
              std::string_view to,
              std::string_view extraHeaders,
              AnswerHandler onAnswer)
    {
        const auto request = fmt::format("{0} {1} SIP/2.0\r\n"
                                         "Max-Forwards: 70\r\n"
                                         "From: <{2}>;tag={3}\r\n"
                                         "To: <{4}>\r\n"
                                         "Call-ID: {3}-{0}\r\n"
                                         "CSeq: {5} {0}\r\n"
                                         "{6}User-Agent: restante-phone\r\n"
                                         "Content-Length: {7}\r\n\r\n{8}",
                                         method, uri, options_.aor, token_, to, ++cseq_,
                                         extraHeaders, options_.body.size(), options_.body);
        sender_->send(request, {options_.serverUri}, std::move(onAnswer));
    }

    void sendRegister(std::uint32_t expires, AnswerHandler onAnswer)
    {
        const auto ownAddress = std::ranges::find(
            agent_->listening(), options_.overTcp ? sip::Transport::Tcp : sip::Transport::Udp,
            &sip::TransportAddress::transport);
        send("REGISTER", fmt::format("sip:{}", sip::hostOfAor(options_.aor)), options_.aor,
             fmt::format("Contact: <sip:{}@{}{}>\r\nExpires: {}\r\n", options_.userPart,
                         ownAddress->hostPort(), options_.overTcp ? ";transport=tcp" : "", expires),
             std::move(onAnswer));
    }

    /// Registers our contact and refreshes it before it expires.
    void registerContact()
    {
        sendRegister(options_.expires, [this](const Response& response) {
            if (response.status >= 300) {
                print(stderr, fmt::format("restante-phone: {} is not registered: {} {}\n",
                                          options_.aor, response.status, response.phrase));
                return end(kExitFailure);
            }
            registered_ = true;
            reportRegistered();
        });
        refreshLater();
    }

    void reportRegistered() const { print(stderr, fmt::format("registered {}\n", options_.aor)); }

    void refreshLater()
    {
        refreshTimer_.arm(
            std::max(Millis{500}, Millis{std::chrono::seconds{options_.expires}} / 2), [this] {
                sendRegister(options_.expires,
                             [this](const Response& response) { handleRefreshed(response); });
                refreshLater();
            });
    }

    /// Says when refreshing begins to fail, and when it works again.
    void handleRefreshed(const Response& response)
    {
        const bool failed = response.status >= 300;
        if (!registered_ || failed == std::exchange(refreshFails_, failed)) {
            return;
        }
        failed ? print(stderr, fmt::format("not registered any more: {} {}\n", response.status,
                                           response.phrase))
               : reportRegistered();
    }

    void sendMessage()
    {
        send("MESSAGE", options_.to, options_.to,
             options_.body.empty() ? std::string{}
                                   : fmt::format("Content-Type: {}\r\n", options_.contentType),
             [this](const Response& response) {
                 print(stdout, fmt::format("{} {}\n", response.status, response.phrase));
                 end(response.status < 300 ? kExitSuccess : kExitFailure);
             });
    }

    void giveUp()
    {
        print(stderr,
              fmt::format("restante-phone: time is up after {} message(s)\n", printedCount_));
        unregister(kExitFailure);
    }

    /// Removes our contact from the server; waits at most a second for the answer.
    void unregister(int code)
    {
        if (!registered_) {
            return end(code);
        }
        registered_ = false;
        refreshTimer_.cancel();
        sendRegister(0, [this, code](const Response&) { end(code); });
        timeoutTimer_.arm(Millis{1'000}, [this, code] { end(code); });
    }

    void end(int code)
    {
        exitCode_ = code;
        loop_.stop();
    }

    void watchSignals()
    {
        sigset_t endSignals;
        sigemptyset(&endSignals);
        sigaddset(&endSignals, SIGINT);
        sigaddset(&endSignals, SIGTERM);
        sigprocmask(SIG_BLOCK, &endSignals, nullptr);
        const int fd = signalfd(-1, &endSignals, SFD_CLOEXEC | SFD_NONBLOCK);
        signals_ = Watch(loop_, fd, Readiness::Readable, [this, fd](Readiness) {
            signalfd_siginfo info;
            if (read(fd, &info, sizeof(info)) > 0) {
                unregister(kExitSuccess);
            }
        });
    }

    PhoneOptions options_;
    std::string token_ = randomHex(8);  ///< makes Call-IDs and tags of this run unique
    std::uint32_t cseq_ = 0;
    /// Of all MESSAGEs but those answered 480 at the end, to skip retransmissions.
    std::unordered_set<std::string> seenVias_;
    std::uint32_t printedCount_ = 0;
    bool registered_ = false;
    bool refreshFails_ = false;
    int exitCode_ = kExitSuccess;
    sip::SuLoop loop_;
    Timer timeoutTimer_{loop_};
    Timer refreshTimer_{loop_};
    Watch signals_;
    std::unique_ptr<sip::Agent> agent_;
    std::unique_ptr<sip::RequestSender> sender_;
};

int run(int argc, char** argv)
{
    CLI::App app;
    PhoneOptions options;
    declare(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kExitSuccess : kExitUsage;
    }
    if (const auto derived = deriveSettings(options); !derived) {
        print(stderr, "restante-phone: " + derived.error().message + "\n");
        return kExitUsage;
    }
    return Phone(std::move(options)).run();
}

}  // namespace
}  // namespace restante::phone

int main(int argc, char** argv)
{
    try {
        return restante::phone::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "restante-phone: %s\n", error.what());
        return restante::phone::kExitFailure;
    }
}
