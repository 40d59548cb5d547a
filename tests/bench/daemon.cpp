#include "tests/bench/daemon.h"

#include "tests/support/free_port.h"
#include "tests/support/tls_socket.h"

#include <cstdlib>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace restante::bench {

namespace {

std::vector<std::string> wordsFor(const Setting& setting,
                                  const std::filesystem::path& stateDir,
                                  Daemon::Serves serves,
                                  std::uint16_t tlsPort,
                                  const std::vector<std::string>& further)
{
    std::vector<std::string> words{setting.restanted};
    const auto set = [&](std::string keyAndValue) {
        words.emplace_back("--set");
        words.push_back(std::move(keyAndValue));
    };
    set("state_dir=" + stateDir.string());
    using enum Daemon::Serves;
    if (serves == SipAndTls) {
        const auto tls = test::loopbackTls();
        set(fmt::format("sip.listen=127.0.0.1:0,tls:127.0.0.1:{}", tlsPort));
        set("sip.tls.certificate=" + tls->certificate.string());
        set("sip.tls.key=" + tls->key.string());
        set("sip.tls.ca=" + tls->ca.string());
    } else {
        set(serves == Sip || serves == SipAndHttp ? "sip.listen=127.0.0.1:0" : "sip.listen=");
    }
    set(serves == Http || serves == SipAndHttp ? "http.listen=127.0.0.1:0" : "http.listen=off");
    set("sip.limits.per_sender=0");  // one sender writes it all
    set("redis.fsync=" + setting.fsync);
    set("journal.mode=" + setting.journal);
    set("log.level=error");
    for (const auto& one : further) {
        set(one);
    }
    return words;
}

}  // namespace

Daemon::Daemon(const Setting& setting, Serves serves, DaemonOptions options)
    : stateDir_(options.stateDir.empty() ? ownDir_.emplace().path() : std::move(options.stateDir)),
      tlsPort_(serves == Serves::SipAndTls ? test::freePort() : std::uint16_t{0}),
      server_("restanted",
              wordsFor(setting, stateDir_, serves, tlsPort_, options.set),
              options.readyTimeout)
{
}

std::uint16_t Daemon::sipPort() const
{
    return portIn(server_.readyLine(), "udp:127.0.0.1:");
}

std::uint16_t Daemon::httpPort() const
{
    return portIn(server_.readyLine(), "http=127.0.0.1:");
}

std::string Daemon::redisUrl() const
{
    const auto& ready = server_.readyLine();
    const auto url = ready.find("redis=") + 6;
    return ready.substr(url, ready.find(' ', url) - url);
}

std::string lastWordsOf(Server& bare, Daemon& restanted)
{
    const auto ours = restanted.lastWords();
    const auto theirs = bare.lastWords();
    return ours.empty() || theirs.empty() ? ours + theirs : ours + "; " + theirs;
}

std::uint16_t portIn(const std::string& readyLine, const std::string& name)
{
    const auto found = readyLine.find(name);
    const auto from = found == std::string::npos ? readyLine.find(' ') + 1 : found + name.size();
    return static_cast<std::uint16_t>(std::strtoul(readyLine.c_str() + from, nullptr, 10));
}

}  // namespace restante::bench
