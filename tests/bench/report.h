#pragma once

#include <functional>
#include <string>
#include <vector>

namespace restante::bench {

/// One line of the table: what was measured, by the bare library and by Restante in the same run.
struct Row {
    std::string path;
    double bare = 0;
    double restante = 0;
    std::string unit;    ///< "k/s", "ms", "B"
    std::string target;  ///< what is to be reached, in words
    bool met = false;

    double ratio() const { return bare > 0 ? restante / bare : 0; }
};

/// Collects rows and prints them as a Markdown table. *Value.*
class Report {
public:
    void add(Row row);
    std::string markdown() const;

private:
    std::vector<Row> rows_;
};

}  // namespace restante::bench
