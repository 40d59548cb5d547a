#include "core/base/clock.h"
#include "core/base/crypto.h"
#include "core/base/duration.h"
#include "core/base/encoding.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "core/base/version.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/listen_address.h"
#include "sipplugin/message/socket_name.h"
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

namespace restante::phone {

namespace {

constexpr int kSuccess = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

/// What the command line asks for. *Value.*
struct PhoneOptions {
    // As CLI11 fills it.
    std::string user;       ///< whose phone this is, "sip:bob@example.com"
    std::string server;     ///< a SIP URI; empty = the host of `user`
    std::string transport;  ///< empty = what `server` says
    std::string to;         ///< whom to write to; empty = register and listen
    std::string body;
    std::string bodyFile;  ///< which holds the body, unless empty
    std::string contentType = "text/plain";
    bool json = false;
    std::uint32_t count = 0;         ///< end after so many messages, 0 = never
    std::string timeoutText = "0s";  ///< give up after this, 0 = never
    std::uint32_t answer = 200;      ///< to every MESSAGE
    std::uint32_t expires = 3'600;   ///< seconds, of the registration

    // What check() makes of it.
    std::string aor;
    std::string userPart;
    std::string serverUri;  ///< with its transport: who gets our requests
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

Result<void> check(PhoneOptions& options)
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

void say(std::FILE* stream, const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);  // whoever reads our output waits for it
}

tl::unexpected<Error> unreachable(const std::string& host, const char* why)
{
    return failure(ErrorCode::Unavailable, "no way to the server " + host + ": " + why);
}

/// Our address on the way to `host`. May ask the name service, and blocks meanwhile.
Result<std::string> localAddressTowards(const std::string& host)
{
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host.c_str(), "5060", &wanted, &found); error != 0) {
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
std::string printForPeople(const sip::ReceivedRequest& message)
{
    return fmt::format("From: {}  Date: {}\n{}\n", message.header("From").value_or("-"),
                       message.header("Date").value_or("-"), message.body);
}

/// One JSON object; body_base64 instead of body when that is not UTF-8.
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

/// One user's phone: registers for as long as it lives and answers what arrives, or sends one
/// message, until that is done or a signal or the time ends it. *One loop.*
class Phone {
public:
    explicit Phone(PhoneOptions options) : options_(std::move(options)) {}

    /// The exit code.
    int run()
    {
        if (const auto opened = open(); !opened) {
            say(stderr, "restante-phone: " + opened.error().message + "\n");
            return kFailed;
        }
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
    using Answered = sip::RequestSender::Answered;

    /// Binds a free port of the address that faces the server. Unavailable says why not.
    Result<void> open()
    {
        const auto local = TRY(localAddressTowards(options_.host));
        // Both transports: a long message comes by TCP also to a phone that registered over UDP.
        agent_ = TRY(sip::Agent::open(
            loop_, {{{sip::Transport::Udp, local, 0}, {sip::Transport::Tcp, local, 0}}},
            [this](auto request) { handle(*request); }));
        sender_ = std::make_unique<sip::RequestSender>(*agent_);
        return {};
    }

    void handle(sip::IncomingRequest& request)
    {
        const auto& text = request.text();
        if (text.method != "MESSAGE") {
            return request.answer(
                {text.method == "OPTIONS" ? 200 : 405, "", {{"Allow", "MESSAGE, OPTIONS"}}});
        }
        const bool fresh = seen_.insert(std::string{text.header("Via").value_or("")}).second;
        const bool wanted = options_.count == 0 || arrived_ < options_.count;
        // Printed before it is answered: who has the answer may be sure that the text is there.
        if (fresh && wanted && options_.answer < 300) {
            say(stdout, options_.json ? printAsJson(text) : printForPeople(text));
            if (++arrived_ == options_.count) {
                loop_.post([this] { unregister(kSuccess); });
            }
        }
        request.answer({static_cast<int>(options_.answer), "", {}});
    }

    /// `more` are header lines with their ends.
    void send(std::string_view method,
              std::string_view uri,
              std::string_view to,
              std::string_view more,
              Answered answered)
    {
        const auto request = fmt::format("{0} {1} SIP/2.0\r\n"
                                         "Max-Forwards: 70\r\n"
                                         "From: <{2}>;tag={3}\r\n"
                                         "To: <{4}>\r\n"
                                         "Call-ID: {3}-{0}\r\n"
                                         "CSeq: {5} {0}\r\n"
                                         "{6}User-Agent: restante-phone\r\n"
                                         "Content-Length: {7}\r\n\r\n{8}",
                                         method, uri, options_.aor, token_, to, ++cseq_, more,
                                         options_.body.size(), options_.body);
        sender_->send(request, {options_.serverUri}, std::move(answered));
    }

    void sendRegister(std::uint32_t expires, Answered answered)
    {
        const auto ours = std::ranges::find(
            agent_->listening(), options_.overTcp ? sip::Transport::Tcp : sip::Transport::Udp,
            &sip::ListenAddress::transport);
        send("REGISTER", fmt::format("sip:{}", sip::hostOfAor(options_.aor)), options_.aor,
             fmt::format("Contact: <sip:{}@{}{}>\r\nExpires: {}\r\n", options_.userPart,
                         ours->hostPort(), options_.overTcp ? ";transport=tcp" : "", expires),
             std::move(answered));
    }

    /// Tells the server where we are, and again before it forgets.
    void registerContact()
    {
        sendRegister(options_.expires, [this](const Response& response) {
            if (response.status >= 300) {
                say(stderr, fmt::format("restante-phone: {} is not registered: {} {}\n",
                                        options_.aor, response.status, response.phrase));
                return end(kFailed);
            }
            registered_ = true;
            say(stderr, fmt::format("registered {}\n", options_.aor));
        });
        refreshLater();
    }

    void refreshLater()
    {
        refresh_.arm(std::chrono::seconds{options_.expires} / 2, [this] {
            sendRegister(options_.expires, [](const auto&) {});
            refreshLater();
        });
    }

    void sendMessage()
    {
        send("MESSAGE", options_.to, options_.to,
             options_.body.empty() ? std::string{}
                                   : fmt::format("Content-Type: {}\r\n", options_.contentType),
             [this](const Response& response) {
                 say(stdout, fmt::format("{} {}\n", response.status, response.phrase));
                 end(response.status < 300 ? kSuccess : kFailed);
             });
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
        refresh_.cancel();
        sendRegister(0, [this, code](const Response&) { end(code); });
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

    PhoneOptions options_;
    std::string token_ = randomHex(8);  ///< makes Call-IDs and tags of this run unique
    std::uint32_t cseq_ = 0;
    std::unordered_set<std::string> seen_;  ///< requests whose retransmissions are not printed
    std::uint32_t arrived_ = 0;
    bool registered_ = false;
    int code_ = kSuccess;
    sip::SuLoop loop_;
    Timer timeout_{loop_};
    Timer refresh_{loop_};
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
        return app.exit(error) == 0 ? kSuccess : kUsage;
    }
    if (const auto checked = check(options); !checked) {
        say(stderr, "restante-phone: " + checked.error().message + "\n");
        return kUsage;
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
        return restante::phone::kFailed;
    }
}
