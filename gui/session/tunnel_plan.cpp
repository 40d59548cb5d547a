#include "gui/session/tunnel_plan.h"

#include "core/base/text.h"

#include <algorithm>
#include <chrono>

namespace restante::gui {

namespace {

constexpr std::string_view kSpace = " \t\r";

using Kind = LinkProblem::Kind;

/// As long as a name in the DNS; longer than any user's.
constexpr std::size_t kLongestHostName = 253;
/// Of what ssh says, so much is shown.
constexpr std::size_t kLongestWord = 300;

bool isNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

bool isName(std::string_view text, std::string_view also = {})
{
    return !text.empty() && text.size() <= kLongestHostName && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), [also](char c) {
               return isNameCharacter(c) || also.find(c) != std::string_view::npos;
           });
}

bool isIpv6(std::string_view text)
{
    constexpr std::string_view kDigits = "0123456789abcdefABCDEF:.";
    return text.find(':') != std::string_view::npos &&
           text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Host and port, as -L has them; empty = cannot be asked for.
std::string targetOf(const redis::RedisUrl& url)
{
    if (!url.socketPath.empty()) {
        return isPlainPath(url.socketPath) ? url.socketPath : std::string{};
    }
    return isName(url.host) || isIpv6(url.host) ? redis::formatAddress(url.host, url.port)
                                                : std::string{};
}

bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

/// What others said, as it may be shown: one line, not endless.
std::string shown(std::string_view text)
{
    std::string line(trimmed(text, kSpace).substr(0, kLongestWord));
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return line;
}

/// The last line that has `part` in it.
std::string_view lastLineWith(std::string_view said, std::string_view part)
{
    std::string_view found;
    while (!said.empty()) {
        const auto end = std::min(said.find('\n'), said.size());
        const auto line = trimmed(said.substr(0, end), kSpace);
        if (!line.empty() && has(line, part)) {
            found = line;
        }
        said.remove_prefix(std::min(end + 1, said.size()));
    }
    return found;
}

/// What comes after the last ": ".
std::string reasonOf(std::string_view line)
{
    const auto at = line.rfind(": ");
    return shown(at == std::string_view::npos ? line : line.substr(at + 2));
}

}  // namespace

std::string JumpHost::toString() const
{
    const auto name = port != 0 ? redis::formatAddress(host, port) : host;
    return user.empty() ? name : user + "@" + name;
}

std::optional<JumpHost> parseJumpHost(std::string_view text)
{
    JumpHost jump;
    if (const auto at = text.rfind('@'); at != std::string_view::npos) {
        jump.user = text.substr(0, at);
        text.remove_prefix(at + 1);
        if (!isName(jump.user, "@+")) {
            return std::nullopt;
        }
    }
    std::string_view port;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos || !isIpv6(text.substr(1, end - 1))) {
            return std::nullopt;
        }
        jump.host = text.substr(1, end - 1);
        port = text.substr(end + 1);
    } else {
        const auto end = std::min(text.find(':'), text.size());
        jump.host = text.substr(0, end);
        port = text.substr(end);
        if (!isName(jump.host)) {
            return std::nullopt;
        }
    }
    if (!port.empty()) {
        jump.port = wholeNumber<decltype(jump.port)>(port.substr(1)).value_or(0);
        if (port.front() != ':' || jump.port == 0) {
            return std::nullopt;
        }
    }
    return jump;
}

bool isPlainPath(std::string_view path)
{
    constexpr std::string_view kSpecial = R"(%$\"':[])";
    return path.starts_with('/') && std::all_of(path.begin(), path.end(), [kSpecial](char c) {
               const auto byte = static_cast<unsigned char>(c);
               return byte >= 0x20 && byte != 0x7f && kSpecial.find(c) == std::string_view::npos;
           });
}

bool isKeyFile(std::string_view file)
{
    return isPlainPath(file.starts_with("~/") ? file.substr(1) : file);
}

tl::expected<TunnelPlan, LinkProblem> planTunnel(const std::string& jumpHost,
                                                 const std::string& key,
                                                 const redis::RedisUrl& url,
                                                 Millis timeout)
{
    const auto jump = parseJumpHost(jumpHost);
    if (!jump) {
        return tl::unexpected(LinkProblem{Kind::BadJumpHost, shown(jumpHost), {}});
    }
    if (!key.empty() && !isKeyFile(key)) {
        return tl::unexpected(LinkProblem{Kind::BadKeyFile, shown(key), {}});
    }
    if (!url.sentinels.empty() || !url.nodes.empty()) {
        return tl::unexpected(LinkProblem{Kind::NoTunnelForSentinels, {}, {}});
    }
    TunnelPlan plan{*jump, key, targetOf(url), timeout};
    if (plan.to.empty()) {
        return tl::unexpected(LinkProblem{Kind::BadTunnelTarget, shown(url.location()), {}});
    }
    return plan;
}

std::vector<std::string> sshWords(const TunnelPlan& plan, const std::string& socket)
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(plan.timeout).count();
    std::vector<std::string> words{"ssh", "-N", "-T", "-x", "-a"};
    const auto option = [&words](const std::string& text) {
        words.insert(words.end(), {"-o", text});
    };
    option("BatchMode=yes");  // nobody sits at a terminal
    option("ConnectTimeout=" + std::to_string(std::max<long>(seconds, 1)));
    // A path that has died is noticed, though nothing is asked meanwhile.
    option("ServerAliveInterval=15");
    option("ServerAliveCountMax=2");
    // A connection of its own, so that it ends with us and says to us what goes wrong.
    option("ControlMaster=no");
    option("ControlPath=none");
    option("RemoteCommand=none");
    // Other forwardings that the user has configured for this host may be taken already.
    option("ExitOnForwardFailure=no");
    option("StreamLocalBindMask=0177");
    option("LogLevel=INFO");  // refusals behind the tunnel are told from there on
    option("PermitLocalCommand=yes");
    option("LocalCommand=echo '" + std::string(kTunnelIsOpen) + "'");
    if (!plan.key.empty()) {
        words.insert(words.end(), {"-i", plan.key});
    }
    if (!plan.jump.user.empty()) {
        words.insert(words.end(), {"-l", plan.jump.user});
    }
    if (plan.jump.port != 0) {
        words.insert(words.end(), {"-p", std::to_string(plan.jump.port)});
    }
    words.insert(words.end(), {"-L", socket + ":" + plan.to, "--", plan.jump.host});
    return words;
}

LinkProblem jumpProblemOf(std::string_view said, const TunnelPlan& plan)
{
    const auto jump = plan.jump.toString();
    if (has(said, "HOST IDENTIFICATION HAS CHANGED")) {
        return {Kind::HostKeyChanged, jump, {}};
    }
    if (has(said, "Host key verification failed") || has(said, "host key is known for")) {
        return {Kind::HostKeyUnknown, jump, {}};
    }
    if (has(said, "Could not resolve hostname")) {
        return {Kind::UnknownJumpHost, plan.jump.host,
                reasonOf(lastLineWith(said, "Could not resolve hostname"))};
    }
    if (has(said, "Permission denied (") || has(said, "Too many authentication failures")) {
        if (!plan.key.empty() && has(said, "Identity file") && has(said, "not accessible")) {
            return {Kind::NoKeyFile, plan.key, reasonOf(lastLineWith(said, "not accessible"))};
        }
        return {Kind::KeyRefused, jump, {}};
    }
    if (has(said, "connect to host")) {
        return {Kind::JumpUnreachable, jump, reasonOf(lastLineWith(said, "connect to host"))};
    }
    return {Kind::TunnelFailed, jump, shown(lastLineWith(said, ""))};
}

LinkProblem targetProblemOf(std::string_view said, const TunnelPlan& plan)
{
    const auto line = lastLineWith(said, ": open failed: ");
    const auto jump = plan.jump.toString();
    if (line.empty()) {
        return {};
    }
    if (has(line, "administratively prohibited")) {
        return {Kind::TargetForbidden, plan.to, jump};
    }
    if (has(line, "Connection refused")) {
        return {Kind::TargetRefused, plan.to, jump};
    }
    const auto reason = reasonOf(line);
    // Of a socket, the server keeps to itself what is wrong with it.
    if (reason == "open failed" && plan.to.starts_with('/')) {
        return {Kind::TargetNoSocket, plan.to, jump};
    }
    return {Kind::TargetUnreachable, plan.to, jump + ": " + reason};
}

}  // namespace restante::gui
