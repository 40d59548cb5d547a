#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace restante::test {

/// A page of /metrics, read as strictly as a scraper that wants to find mistakes. *Value.*
struct PrometheusText {
    /// "restante_jobs{state=\"ready\"}" -> its value
    std::map<std::string, double> samples;
    std::map<std::string, std::string> types;  ///< of each metric that has a heading
    std::vector<std::string> problems;         ///< what the text format 0.0.4 does not allow

    static PrometheusText read(std::string_view page);

    /// Of all series of this metric; of a histogram how often it has observed.
    double sum(const std::string& name) const;
};

}  // namespace restante::test
