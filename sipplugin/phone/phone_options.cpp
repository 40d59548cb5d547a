#include "sipplugin/phone/phone_options.h"

#include "core/base/duration.h"
#include "core/base/file.h"
#include "core/base/version.h"
#include "sipplugin/message/aor.h"

#include <CLI/CLI.hpp>
#include <cstdio>

namespace restante::phone {

namespace {

constexpr int kUsage = 2;

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

}  // namespace

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

}  // namespace restante::phone
