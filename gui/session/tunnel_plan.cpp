#include "gui/session/tunnel_plan.h"

#include "core/base/text.h"

#include <algorithm>
#include <chrono>

namespace restante::gui {

namespace {

constexpr std::string_view kWhitespace = " \t\r";

using ProblemKind = LinkProblem::Kind;

/// As long as a name in the DNS; longer than any user's.
constexpr std::size_t kMaxHostNameLength = 253;
/// Of what ssh says, so much is shown.
constexpr std::size_t kMaxShownLength = 300;

bool isNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

bool isName(std::string_view text, std::string_view extraCharacters = {})
{
    return !text.empty() && text.size() <= kMaxHostNameLength && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), [extraCharacters](char c) {
               return isNameCharacter(c) || extraCharacters.find(c) != std::string_view::npos;
           });
}

bool isIpv6(std::string_view text)
{
    constexpr std::string_view kDigits = "0123456789abcdefABCDEF:.";
    return text.find(':') != std::string_view::npos &&
           text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Host and port, or the path of a socket, as -L has them; empty = cannot be asked for.
std::string targetOf(const redis::RedisUrl& url)
{
    if (!url.socketPath.empty()) {
        return isPlainPath(url.socketPath) ? url.socketPath : std::string{};
    }
    return isName(url.host) || isIpv6(url.host) ? redis::formatAddress(url.host, url.port)
                                                : std::string{};
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

/// What others said, as it may be shown: one line, not endless.
std::string printable(std::string_view text)
{
    std::string line(trimmed(text, kWhitespace).substr(0, kMaxShownLength));
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return line;
}

/// The last line that has `part` in it.
std::string_view lastLineWith(std::string_view output, std::string_view part)
{
    std::string_view found;
    while (!output.empty()) {
        const auto end = std::min(output.find('\n'), output.size());
        const auto line = trimmed(output.substr(0, end), kWhitespace);
        if (!line.empty() && contains(line, part)) {
            found = line;
        }
        output.remove_prefix(std::min(end + 1, output.size()));
    }
    return found;
}

/// What comes after the last ": ".
std::string reasonOf(std::string_view line)
{
    const auto at = line.rfind(": ");
    return printable(at == std::string_view::npos ? line : line.substr(at + 2));
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
                                                 const std::string& keyFile,
                                                 const redis::RedisUrl& url,
                                                 Millis timeout)
{
    const auto jump = parseJumpHost(jumpHost);
    if (!jump) {
        return tl::unexpected(LinkProblem{ProblemKind::BadJumpHost, printable(jumpHost), {}});
    }
    if (!keyFile.empty() && !isKeyFile(keyFile)) {
        return tl::unexpected(LinkProblem{ProblemKind::BadKeyFile, printable(keyFile), {}});
    }
    if (!url.sentinels.empty() || !url.nodes.empty()) {
        return tl::unexpected(LinkProblem{ProblemKind::NoTunnelForSentinels, {}, {}});
    }
    TunnelPlan plan{*jump, keyFile, targetOf(url), timeout};
    if (plan.target.empty()) {
        return tl::unexpected(
            LinkProblem{ProblemKind::BadTunnelTarget, printable(url.location()), {}});
    }
    return plan;
}

std::vector<std::string> sshCommand(const TunnelPlan& plan, const std::string& socket)
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(plan.timeout).count();
    std::vector<std::string> command{"ssh", "-N", "-T", "-x", "-a"};
    const auto option = [&command](const std::string& text) {
        command.insert(command.end(), {"-o", text});
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
    if (!plan.keyFile.empty()) {
        command.insert(command.end(), {"-i", plan.keyFile});
    }
    if (!plan.jump.user.empty()) {
        command.insert(command.end(), {"-l", plan.jump.user});
    }
    if (plan.jump.port != 0) {
        command.insert(command.end(), {"-p", std::to_string(plan.jump.port)});
    }
    command.insert(command.end(), {"-L", socket + ":" + plan.target, "--", plan.jump.host});
    return command;
}

LinkProblem jumpProblemOf(std::string_view output, const TunnelPlan& plan)
{
    const auto jump = plan.jump.toString();
    if (contains(output, "HOST IDENTIFICATION HAS CHANGED")) {
        return {ProblemKind::HostKeyChanged, jump, {}};
    }
    if (contains(output, "Host key verification failed") ||
        contains(output, "host key is known for")) {
        return {ProblemKind::HostKeyUnknown, jump, {}};
    }
    if (contains(output, "Could not resolve hostname")) {
        return {ProblemKind::UnknownJumpHost, plan.jump.host,
                reasonOf(lastLineWith(output, "Could not resolve hostname"))};
    }
    if (contains(output, "Permission denied (") ||
        contains(output, "Too many authentication failures")) {
        if (!plan.keyFile.empty() && contains(output, "Identity file") &&
            contains(output, "not accessible")) {
            return {ProblemKind::NoKeyFile, plan.keyFile,
                    reasonOf(lastLineWith(output, "not accessible"))};
        }
        return {ProblemKind::KeyRefused, jump, {}};
    }
    if (contains(output, "connect to host")) {
        return {ProblemKind::JumpUnreachable, jump,
                reasonOf(lastLineWith(output, "connect to host"))};
    }
    return {ProblemKind::TunnelFailed, jump, printable(lastLineWith(output, ""))};
}

LinkProblem targetProblemOf(std::string_view output, const TunnelPlan& plan)
{
    const auto line = lastLineWith(output, ": open failed: ");
    const auto jump = plan.jump.toString();
    if (line.empty()) {
        return {};
    }
    if (contains(line, "administratively prohibited")) {
        return {ProblemKind::TargetForbidden, plan.target, jump};
    }
    if (contains(line, "Connection refused")) {
        return {ProblemKind::TargetRefused, plan.target, jump};
    }
    const auto reason = reasonOf(line);
    // Of a socket, the server keeps to itself what is wrong with it.
    if (reason == "open failed" && plan.target.starts_with('/')) {
        return {ProblemKind::TargetSocketFailed, plan.target, jump};
    }
    return {ProblemKind::TargetUnreachable, plan.target, jump + ": " + reason};
}

}  // namespace restante::gui
