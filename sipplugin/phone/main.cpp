#include "core/base/clock.h"
#include "core/base/crypto.h"
#include "core/base/duration.h"
#include "core/base/encoding.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/version.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/listen_address.h"
#include "sipplugin/message/socket_name.h"
#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/request_sender.h"

#include <CLI/CLI.hpp>
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
#include <variant>

namespace restante::phone {

namespace {

constexpr int kSuccess = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

/// What the command line asks for. *Value.*
struct PhoneOptions {
    std::string aor;     ///< whose phone this is, "sip:bob@example.com"
    std::string user;    ///< the user part
    std::string server;  ///< a SIP URI with transport: who gets our requests
    std::string host;    ///< of the server, without brackets
    sip::Transport transport = sip::Transport::Udp;

    std::string to;  ///< whom to write to; empty = register and listen
    std::string body;
    std::string contentType = "text/plain";

    bool json = false;
    std::uint32_t count = 0;        ///< end after so many messages, 0 = never
    Millis timeout{0};              ///< give up after this, 0 = never
    std::uint32_t answer = 200;     ///< to every MESSAGE
    std::uint32_t expires = 3'600;  ///< seconds, of the registration
};

/// What CLI11 fills, before it is checked.
struct Words {
    std::string user;
    std::string server;
    std::string transport;
    std::string to;
    std::string text;
    std::string bodyFile;
    std::string contentType = "text/plain";
    std::string timeout = "0s";
    bool once = false;
};

void declare(CLI::App& app, Words& words, PhoneOptions& options)
{
    app.description("A small SIP phone for text messages: registers and prints every MESSAGE that "
                    "arrives, or sends one.");
    app.footer("Exit codes: 0 done, 1 refused, no answer or time-out, 2 wrong usage.");
    app.add_option("--user", words.user, "Whose phone this is: sip:bob@host[:port]")->required();
    app.add_option("--server", words.server,
                   "Where to register and send: sip:host[:port][;transport=tcp]; default: the "
                   "host of --user");
    app.add_option("--transport", words.transport, "udp (default) or tcp")
        ->check(CLI::IsMember({"udp", "tcp"}));
    app.add_option("--answer", options.answer, "Answer every MESSAGE with this status, such as 480")
        ->check(CLI::Range(200, 699));
    app.add_option("--expires", options.expires, "Seconds that the registration lasts")
        ->check(CLI::Range(1, 86'400));
    app.add_flag("--json", options.json, "Print each message as one JSON object a line");
    auto* once = app.add_flag("--once", words.once, "End after one message");
    app.add_option("--count", options.count, "End after so many messages")->excludes(once);
    app.add_option("--timeout", words.timeout, "Give up after this, such as 30s");
    auto* to = app.add_option("--to", words.to, "Send one message to this address and end");
    auto* text = app.add_option("--text", words.text, "Its text")->needs(to);
    app.add_option("--body-file", words.bodyFile, "Its body, from a file")
        ->needs(to)
        ->excludes(text)
        ->check(CLI::ExistingFile);
    app.add_option("--content-type", words.contentType, "Its type")->needs(to);
    app.set_version_flag("--version", std::string{version()});
}

Result<void> readAddresses(const Words& words, PhoneOptions& options)
{
    auto user = sip::parseSipUri(words.user);
    auto aor = sip::canonicalAor(words.user);
    auto server = sip::parseSipUri(words.server.empty() ? words.user : words.server);
    if (!user || !aor || !server) {
        return tl::unexpected(!user ? user.error() : !aor ? aor.error() : server.error());
    }
    const auto* parameter = server->param("transport");
    const bool tcp =
        words.transport == "tcp" || (words.transport.empty() && parameter != nullptr &&
                                     sip::parseTransport(*parameter) == sip::Transport::Tcp);
    options.aor = *aor;
    options.user = user->user;
    options.transport = tcp ? sip::Transport::Tcp : sip::Transport::Udp;
    options.host = sip::withoutBrackets(server->host);
    options.server = "sip:" + server->host +
                     (server->port != 0 ? ":" + std::to_string(server->port) : "") +
                     (tcp ? ";transport=tcp" : "");
    return {};
}

Result<void> readMessage(const Words& words, PhoneOptions& options)
{
    if (words.to.empty()) {
        return {};
    }
    auto to = sip::parseSipUri(words.to);
    if (!to) {
        return tl::unexpected(to.error());
    }
    options.to = words.to;
    options.contentType = words.contentType;
    options.body = words.text;
    if (!words.bodyFile.empty()) {
        auto body = readFile(words.bodyFile);
        if (!body) {
            return failure(ErrorCode::Invalid,
                           "--body-file \"" + words.bodyFile + "\" cannot be read");
        }
        options.body = std::move(*body);
    }
    return {};
}

Result<PhoneOptions> check(const Words& words, PhoneOptions options)
{
    auto timeout = parseDuration(words.timeout);
    if (!timeout) {
        return tl::unexpected(timeout.error());
    }
    options.timeout = *timeout;
    options.count = words.once ? 1 : options.count;
    if (auto read = readAddresses(words, options); !read) {
        return tl::unexpected(read.error());
    }
    if (auto read = readMessage(words, options); !read) {
        return tl::unexpected(read.error());
    }
    return options;
}

/// The options, or the exit code when help, the version or an error was printed.
std::variant<PhoneOptions, int> readOptions(int argc, char** argv)
{
    CLI::App app;
    Words words;
    PhoneOptions options;
    declare(app, words, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsage;
    }
    auto checked = check(words, std::move(options));
    if (!checked) {
        std::fprintf(stderr, "restante-phone: %s\n", checked.error().message.c_str());
        return kUsage;
    }
    return *checked;
}

void say(std::FILE* stream, const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);  // whoever reads our output waits for it
}

tl::unexpected<Error> noWay(const std::string& host, const char* why)
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
        return noWay(host, gai_strerror(error));
    }
    sip::SocketName server;
    std::memcpy(&server.storage, found->ai_addr, found->ai_addrlen);
    server.length = found->ai_addrlen;
    freeaddrinfo(found);
    auto local = sip::localAddressTo(server);
    return local.empty() ? Result<std::string>{noWay(host, std::strerror(errno))} : local;
}

/// One user's phone: registers for as long as it lives, answers what arrives, sends. *One loop.*
class Phone {
public:
    /// A MESSAGE that has arrived, once however often it is retransmitted; valid during the call.
    using Arrived = std::function<void(const sip::ReceivedRequest&)>;
    using Done = std::function<void(const sip::RequestSender::Response&)>;

    /// Binds a free port of the address that faces the server. Unavailable says why not.
    static Result<std::unique_ptr<Phone>>
    open(sip::SuLoop& loop, PhoneOptions options, Arrived arrived);

    /// Tells the server where we are, again before it forgets; `done` gets its first answer.
    void registerContact(Done done);
    /// Takes that back.
    void unregister(Done done);
    void sendMessage(Done done);

private:
    Phone(sip::SuLoop& loop, PhoneOptions options, Arrived arrived)
        : loop_(loop),
          options_(std::move(options)),
          arrived_(std::move(arrived)),
          token_(randomHex(8)),
          refresh_(loop)
    {
    }

    void handle(std::unique_ptr<sip::IncomingRequest> request);
    void sendRegister(std::uint32_t expires, Done done);
    std::string contact() const;

    sip::SuLoop& loop_;
    PhoneOptions options_;
    Arrived arrived_;
    std::string address_;  ///< ours, "127.0.0.1:40123"
    std::string token_;    ///< makes Call-IDs and tags of this run unique
    std::uint32_t cseq_ = 0;
    std::unordered_set<std::string> seen_;  ///< requests whose retransmissions are not printed
    Timer refresh_;
    std::unique_ptr<sip::Agent> agent_;
    std::unique_ptr<sip::RequestSender> sender_;
};

Result<std::unique_ptr<Phone>> Phone::open(sip::SuLoop& loop, PhoneOptions options, Arrived arrived)
{
    auto local = localAddressTowards(options.host);
    if (!local) {
        return tl::unexpected(local.error());
    }
    std::unique_ptr<Phone> phone(new Phone(loop, std::move(options), std::move(arrived)));
    // Both transports: a long message comes by TCP also to a phone that registered over UDP.
    auto agent = sip::Agent::open(
        loop, {{{sip::Transport::Udp, *local, 0}, {sip::Transport::Tcp, *local, 0}}},
        [raw = phone.get()](auto request) { raw->handle(std::move(request)); });
    if (!agent) {
        return tl::unexpected(agent.error());
    }
    phone->agent_ = std::move(*agent);
    for (const auto& listening : phone->agent_->listening()) {
        if (listening.transport == phone->options_.transport) {
            phone->address_ = listening.print().substr(4);  // without "udp:"
        }
    }
    phone->sender_ = std::make_unique<sip::RequestSender>(*phone->agent_);
    return phone;
}

std::string Phone::contact() const
{
    return fmt::format("sip:{}@{}{}", options_.user, address_,
                       options_.transport == sip::Transport::Tcp ? ";transport=tcp" : "");
}

void Phone::handle(std::unique_ptr<sip::IncomingRequest> request)
{
    const auto& text = request->text();
    if (text.method == "OPTIONS") {
        return request->answer({200, "", {{"Allow", "MESSAGE, OPTIONS"}}});
    }
    if (text.method != "MESSAGE") {
        return request->answer({405, "", {{"Allow", "MESSAGE, OPTIONS"}}});
    }
    const bool fresh = seen_.insert(std::string{text.header("Via").value_or("")}).second;
    // Printed before it is answered: who has the answer may be sure that the text is there.
    if (fresh && options_.answer < 300) {
        arrived_(text);
    }
    request->answer({static_cast<int>(options_.answer), "", {}});
}

void Phone::registerContact(Done done)
{
    sendRegister(options_.expires, std::move(done));
    const auto half = std::chrono::seconds{options_.expires} / 2;
    refresh_.arm(half, [this] { registerContact([](const auto&) {}); });
}

void Phone::unregister(Done done)
{
    refresh_.cancel();
    sendRegister(0, std::move(done));
}

void Phone::sendRegister(std::uint32_t expires, Done done)
{
    const auto domain = options_.aor.substr(options_.aor.find('@') + 1);
    sender_->send(fmt::format("REGISTER sip:{} SIP/2.0\r\n"
                              "Max-Forwards: 70\r\n"
                              "From: <{}>;tag={}\r\n"
                              "To: <{}>\r\n"
                              "Call-ID: {}-registration\r\n"
                              "CSeq: {} REGISTER\r\n"
                              "Contact: <{}>\r\n"
                              "Expires: {}\r\n"
                              "User-Agent: restante-phone\r\n"
                              "Content-Length: 0\r\n\r\n",
                              domain, options_.aor, token_, options_.aor, token_, ++cseq_,
                              contact(), expires),
                  {options_.server, "", false}, std::move(done));
}

void Phone::sendMessage(Done done)
{
    const auto type = options_.body.empty()
                          ? std::string{}
                          : fmt::format("Content-Type: {}\r\n", options_.contentType);
    sender_->send(fmt::format("MESSAGE {} SIP/2.0\r\n"
                              "Max-Forwards: 70\r\n"
                              "From: <{}>;tag={}\r\n"
                              "To: <{}>\r\n"
                              "Call-ID: {}-message\r\n"
                              "CSeq: 1 MESSAGE\r\n"
                              "{}User-Agent: restante-phone\r\n"
                              "Content-Length: {}\r\n\r\n{}",
                              options_.to, options_.aor, token_, options_.to, token_, type,
                              options_.body.size(), options_.body),
                  {options_.server, "", false}, std::move(done));
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

/// Plays what the options ask for, until a signal or the time ends it. *One loop.*
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
