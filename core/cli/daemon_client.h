#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/config/config.h"
#include "core/delivery/http_client.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::cli {

/// Sends one request and waits for the answer, at most `timeout`. *One thread*, which it blocks.
delivery::HttpResult
askOnce(delivery::HttpRequest request, Millis timeout, const std::filesystem::path& caFile = {});

/// Asks the daemon of a configuration over HTTP, with the first token of its token file that may do
/// everything, if this user may read it (core/base/secret_file.h), and if it is really the daemon
/// that listens there: another process that has taken its port must not get the token. *One
/// thread*, which it blocks.
class DaemonClient {
public:
    /// None when the configuration does not say where the daemon listens: http.listen is off or
    /// "any free port".
    static std::optional<DaemonClient> of(const Config& config);

    delivery::HttpResult get(std::string_view path, Millis timeout) const;
    const std::string& url() const noexcept { return url_; }
    /// Why requests carry no token, which explains a 401, and what to do; empty = they carry one.
    const std::string& tokenProblem() const noexcept { return tokenProblem_; }

private:
    std::string url_;  ///< "http://127.0.0.1:9277"
    std::string token_;
    std::string tokenProblem_;
    std::filesystem::path caFile_;  ///< its own certificate, when it speaks TLS
};

/// A scrape of /metrics. *Value.*
class Scrape {
public:
    using Labels = std::map<std::string, std::string>;
    struct Sample {
        Labels labels;
        double value = 0;
    };

    /// Lines that are no samples are skipped.
    static Scrape parse(std::string_view text);

    /// Empty when there is no such metric.
    const std::vector<Sample>& of(const std::string& name) const;
    /// The sum of all samples that have these labels.
    double sum(const std::string& name, const Labels& labels = {}) const;
    bool has(const std::string& name) const { return !of(name).empty(); }

private:
    std::map<std::string, std::vector<Sample>> samples_;
};

/// The `quantile` (0 to 1) of what a histogram counted between two scrapes: the upper bound of its
/// bucket, in seconds; none when nothing was counted, infinite above the last bound.
std::optional<double> quantileOf(const Scrape& before,
                                 const Scrape& after,
                                 const std::string& histogram,
                                 double quantile);

}  // namespace restante::cli
