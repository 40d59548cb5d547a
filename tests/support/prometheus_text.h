#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace restante::test {

/// A page of /metrics, parsed strictly to find format errors. *Value.*
struct PrometheusText {
    /// "restante_jobs{state=\"ready\"}" -> its value
    std::map<std::string, double> samples;
    std::map<std::string, std::string> types;  ///< of each metric that has a heading
    std::vector<std::string> problems;         ///< violations of the text format 0.0.4

    static PrometheusText read(std::string_view page);

    /// The sum of all series of this metric; for a histogram the number of observations.
    double sum(const std::string& name) const;
};

}  // namespace restante::test
