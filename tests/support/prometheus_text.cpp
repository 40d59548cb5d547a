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

    void take(const std::string& line)
    {
        std::smatch match;
        if (std::regex_match(line, match, kHeading)) {
            heading(match[1], match[2], match[3]);
        } else if (std::regex_match(line, match, kSample)) {
            sample(match[1], match[2], match[3]);
        } else {
            wrong("is neither a heading nor a sample: " + line);
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

    void wrong(const std::string& problem) { page_.problems.push_back(problem); }

    void heading(const std::string& word, const std::string& name, const std::string& rest)
    {
        if (word == "HELP") {
            endMetric();
            name_ = name;
            if (!seen_.insert(name).second) {
                wrong(name + " comes in two places");
            }
            return;
        }
        if (name != name_) {
            wrong("TYPE of " + name + " does not follow its HELP");
        }
        if (rest != "counter" && rest != "gauge" && rest != "histogram") {
            wrong(name + " is a " + rest);
        }
        if (rest == "counter" && !name.ends_with("_total")) {
            wrong(name + " is a counter that does not end in _total");
        }
        page_.types[name] = rest;
    }

    void sample(const std::string& name, const std::string& labels, const std::string& text)
    {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (*end != '\0' || std::isnan(value)) {
            wrong(name + " has the value " + text);
        }
        const auto series = labels.empty() ? name : name + "{" + labels + "}";
        if (!page_.samples.emplace(series, value).second) {
            wrong(series + " comes twice");
        }
        const auto type = page_.types.find(name_);
        if (type == page_.types.end()) {
            wrong(series + " has no heading");
        } else if (type->second == "histogram") {
            histogram(name, labels, value);
        } else if (name != name_) {
            wrong(series + " stands under " + name_);
        }
        if (value < 0 && type != page_.types.end() && type->second != "gauge") {
            wrong(series + " is negative");
        }
    }

    void histogram(const std::string& name, const std::string& labels, double value)
    {
        if (name == name_ + "_bucket") {
            std::smatch match;
            if (!std::regex_search(labels, match, kBound)) {
                return wrong(name + " has no le: " + labels);
            }
            auto& own = buckets_[match.prefix()];
            const double bound = std::strtod(match[2].str().c_str(), nullptr);
            if (bound <= own.bound || value < own.last) {
                wrong(name + " does not grow at " + labels);
            }
            own.bound = bound;
            own.last = value;
        } else if (name == name_ + "_sum") {
            buckets_[labels].sum = true;
        } else if (name == name_ + "_count") {
            auto& own = buckets_[labels];
            own.count = true;
            if (own.last != value || !std::isinf(own.bound)) {
                wrong(name + " is not what its bucket +Inf says");
            }
        } else {
            wrong(name + " stands under the histogram " + name_);
        }
    }

    void endMetric()
    {
        for (const auto& [labels, own] : buckets_) {
            if (!own.sum || !own.count) {
                wrong(name_ + "{" + labels + "} lacks its sum or count");
            }
        }
        buckets_.clear();
    }

    PrometheusText& page_;
    std::string name_;
    std::set<std::string> seen_;
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
        reader.take(line);
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
