#include "tests/support/prometheus_text.h"

#include <cmath>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

namespace restante::test {

namespace {

const std::string kName = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const std::string kLabel = R"([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*")";
const std::regex kHeading("# (HELP|TYPE) (" + kName + ") (.+)");
const std::regex kSample("(" + kName + R"()(?:\{()" + kLabel + "(?:," + kLabel +
                         R"()*)\})? (\S+))");
const std::regex kBound(R"((,?)le="([^"]*)\"$)");

class Reader {
public:
    explicit Reader(PrometheusText& page) : page_(page) {}

    void readLine(const std::string& line)
    {
        std::smatch match;
        if (std::regex_match(line, match, kHeading)) {
            readHeading(match[1], match[2], match[3]);
        } else if (std::regex_match(line, match, kSample)) {
            readSample(match[1], match[2], match[3]);
        } else {
            addProblem("is neither a heading nor a sample: " + line);
        }
    }

    void finish() { endMetric(); }

private:
    struct Buckets {
        double last = -1;
        double bound = -INFINITY;
        bool sum = false;
        bool count = false;
    };

    void addProblem(const std::string& problem) { page_.problems.push_back(problem); }

    void readHeading(const std::string& word, const std::string& name, const std::string& rest)
    {
        if (word == "HELP") {
            endMetric();
            name_ = name;
            if (!seenNames_.insert(name).second) {
                addProblem(name + " comes in two places");
            }
            return;
        }
        if (name != name_) {
            addProblem("TYPE of " + name + " does not follow its HELP");
        }
        if (rest != "counter" && rest != "gauge" && rest != "histogram") {
            addProblem(name + " is a " + rest);
        }
        if (rest == "counter" && !name.ends_with("_total")) {
            addProblem(name + " is a counter that does not end in _total");
        }
        page_.types[name] = rest;
    }

    void readSample(const std::string& name, const std::string& labels, const std::string& text)
    {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (*end != '\0' || std::isnan(value)) {
            addProblem(name + " has the value " + text);
        }
        const auto series = labels.empty() ? name : name + "{" + labels + "}";
        if (!page_.samples.emplace(series, value).second) {
            addProblem(series + " comes twice");
        }
        const auto type = page_.types.find(name_);
        if (type == page_.types.end()) {
            addProblem(series + " has no heading");
        } else if (type->second == "histogram") {
            readHistogramSample(name, labels, value);
        } else if (name != name_) {
            addProblem(series + " stands under " + name_);
        }
        if (value < 0 && type != page_.types.end() && type->second != "gauge") {
            addProblem(series + " is negative");
        }
    }

    void readHistogramSample(const std::string& name, const std::string& labels, double value)
    {
        if (name == name_ + "_bucket") {
            std::smatch match;
            if (!std::regex_search(labels, match, kBound)) {
                return addProblem(name + " has no le: " + labels);
            }
            auto& buckets = buckets_[match.prefix()];
            const double bound = std::strtod(match[2].str().c_str(), nullptr);
            if (bound <= buckets.bound || value < buckets.last) {
                addProblem(name + " does not grow at " + labels);
            }
            buckets.bound = bound;
            buckets.last = value;
        } else if (name == name_ + "_sum") {
            buckets_[labels].sum = true;
        } else if (name == name_ + "_count") {
            auto& buckets = buckets_[labels];
            buckets.count = true;
            if (buckets.last != value || !std::isinf(buckets.bound)) {
                addProblem(name + " is not what its bucket +Inf says");
            }
        } else {
            addProblem(name + " stands under the histogram " + name_);
        }
    }

    void endMetric()
    {
        for (const auto& [labels, buckets] : buckets_) {
            if (!buckets.sum || !buckets.count) {
                addProblem(name_ + "{" + labels + "} lacks its sum or count");
            }
        }
        buckets_.clear();
    }

    PrometheusText& page_;
    std::string name_;
    std::set<std::string> seenNames_;
    std::map<std::string, Buckets> buckets_;  ///< of the histogram being read, by labels
};

}  // namespace

PrometheusText PrometheusText::read(std::string_view page)
{
    PrometheusText text;
    if (!page.ends_with('\n')) {
        text.problems.emplace_back("does not end with a line feed");
    }
    Reader reader(text);
    std::istringstream lines{std::string(page)};
    for (std::string line; std::getline(lines, line);) {
        reader.readLine(line);
    }
    reader.finish();
    return text;
}

double PrometheusText::sum(const std::string& name) const
{
    const auto type = types.find(name);
    const bool histogram = type != types.end() && type->second == "histogram";
    const auto wanted = histogram ? name + "_count" : name;
    double sum = 0;
    for (const auto& [series, value] : samples) {
        if (series.substr(0, series.find('{')) == wanted) {
            sum += value;
        }
    }
    return sum;
}

}  // namespace restante::test
