#include "core/cli/daemon_client.h"

#include "core/base/epoll_loop.h"
#include "core/base/network.h"
#include "core/base/secret_file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/cli/finding.h"
#include "core/cli/local_ports.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace restante::cli {

namespace {

/// The secret of the first line that may do everything; http.token_file in docs/operations.md.
Result<std::string> adminTokenIn(const std::filesystem::path& path)
{
    const auto text = TRY(readSecretFile("http.token_file", path));
    for (const auto line : split(text, '\n')) {
        const auto words = splitWords(line, " \t\r");
        if (words.empty() || words.front().starts_with('#')) {
            continue;
        }
        if (words.size() == 1 ||
            (words.size() == 3 &&
             std::ranges::count(split(words[1], ','), std::string_view("admin")) > 0)) {
            return std::string(words.back());
        }
    }
    return invalid("http.token_file {} has no token that may do everything; give one "
                   "the right \"admin\"",
                   path.string());
}

/// The address to connect to for a listening address; the loopback address for "any address".
SocketAddress connectableAddress(SocketAddress address)
{
    if (isAnyAddress(address.host)) {
        address.host = address.host.find('.') == std::string::npos ? "::1" : "127.0.0.1";
    }
    return address;
}

/// `name="value",...` up to the brace; the value's escapes are undone.
Scrape::Labels labelsIn(std::string_view text)
{
    Scrape::Labels labels;
    while (!text.empty()) {
        const auto equals = text.find("=\"");
        if (equals == std::string_view::npos) {
            break;
        }
        const std::string name(text.substr(0, equals));
        std::string value;
        auto offset = equals + 2;
        for (; offset < text.size() && text[offset] != '"'; ++offset) {
            const bool escaped = text[offset] == '\\' && offset + 1 < text.size();
            offset += escaped ? 1 : 0;
            value += escaped && text[offset] == 'n' ? '\n' : text[offset];
        }
        labels[name] = value;
        text.remove_prefix(std::min(text.size(), offset + 1));
        if (text.starts_with(',')) {
            text.remove_prefix(1);
        }
    }
    return labels;
}

}  // namespace

std::optional<DaemonClient> DaemonClient::of(const Config& config)
{
    const auto& http = config.http;
    if (!http.listen || http.listen->port == 0) {
        return std::nullopt;
    }
    DaemonClient client;
    const bool tls = !http.tls.certificate.empty();
    client.url_ =
        fmt::format("{}://{}", tls ? "https" : "http", connectableAddress(*http.listen).toString());
    client.caFile_ = http.tls.certificate;
    if (http.tokenFile.empty()) {
        client.tokenProblem_ = "the configuration that was read has no http.token_file; is it the "
                               "one that restanted reads?";
        return client;
    }
    const auto process = daemonProcess(config);
    if (process <= 0 || process != processOn(*http.listen, Transport::Tcp)) {
        client.tokenProblem_ =
            "the token is shown to restanted alone, and it is not known to be what listens there; "
            "run this as root or as the daemon's user, where the daemon runs";
        return client;
    }
    auto token = adminTokenIn(http.tokenFile);
    client.token_ = token.value_or("");
    client.tokenProblem_ = token ? "" : "no token is shown: " + token.error().message;
    return client;
}

delivery::HttpResult
askOnce(delivery::HttpRequest request, Millis timeout, const std::filesystem::path& caFile)
{
    EpollLoop loop;
    delivery::HttpClient client(loop, {.policy = AddressPolicy::everything(), .caFile = caFile});
    std::optional<delivery::HttpResult> result;
    request.timeout = timeout;
    client.send(std::move(request),
                [&](delivery::HttpResult received) { result.emplace(std::move(received)); });
    loop.runUntil([&] { return result.has_value(); }, 2 * timeout);
    using delivery::HttpError;
    return result ? std::move(*result)
                  : tl::unexpected(HttpError{HttpError::Kind::Timeout, "no answer"});
}

delivery::HttpResult DaemonClient::get(std::string_view path, Millis timeout) const
{
    // A thousand topics on a few channels, two samples each.
    constexpr std::size_t kLargestScrape = 8'000'000;
    delivery::HttpRequest request{.method = "GET", .url = url_ + std::string(path)};
    request.answerLimit = kLargestScrape;
    if (!token_.empty()) {
        request.headers.emplace_back("Authorization", "Bearer " + token_);
    }
    return askOnce(std::move(request), timeout, caFile_);
}

Scrape Scrape::parse(std::string_view text)
{
    Scrape scrape;
    for (const auto line : split(text, '\n')) {
        const auto space = line.rfind(' ');
        if (line.starts_with('#') || space == std::string_view::npos) {
            continue;
        }
        const auto series = line.substr(0, space);
        const auto brace = std::min(series.find('{'), series.size());
        const auto labels = series.substr(std::min(brace + 1, series.size()));
        scrape.samples_[std::string(series.substr(0, brace))].push_back(
            {labelsIn(labels), leadingNumber<double>(line.substr(space + 1))});
    }
    return scrape;
}

const std::vector<Scrape::Sample>& Scrape::of(const std::string& name) const
{
    static const std::vector<Sample> kNone;
    const auto found = samples_.find(name);
    return found == samples_.end() ? kNone : found->second;
}

double Scrape::sum(const std::string& name, const Labels& labels) const
{
    double sum = 0;
    for (const auto& sample : of(name)) {
        const bool hasLabels =
            std::includes(sample.labels.begin(), sample.labels.end(), labels.begin(), labels.end());
        sum += hasLabels ? sample.value : 0;
    }
    return sum;
}

std::optional<double>
quantileOf(const Scrape& before, const Scrape& after, const std::string& histogram, double quantile)
{
    const auto observed = after.sum(histogram + "_count") - before.sum(histogram + "_count");
    if (observed <= 0) {
        return std::nullopt;
    }
    const auto buckets = histogram + "_bucket";
    std::map<double, double> cumulativeCounts;  // by bound, over all series
    for (const auto& sample : after.of(buckets)) {
        const auto bound = sample.labels.find("le");
        if (bound != sample.labels.end()) {
            cumulativeCounts[leadingNumber<double>(bound->second)] +=
                sample.value - before.sum(buckets, sample.labels);
        }
    }
    for (const auto& [bound, count] : cumulativeCounts) {
        if (count >= quantile * observed) {
            return bound;
        }
    }
    return std::numeric_limits<double>::infinity();
}

}  // namespace restante::cli
