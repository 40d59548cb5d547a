#pragma once

#include "tests/bench/cpu_meter.h"
#include "tests/support/process.h"

#include <string>
#include <vector>

namespace restante::bench {

/// A server that prints one line with "ready " when it serves; stopped as an operator would.
class Server {
public:
    /// `name` is its name in the table. Throws when that line does not come, and says whether there
    /// is no such program, it has ended, or it has printed nothing yet.
    Server(std::string name,
           std::vector<std::string> words,
           Millis timeout = test::kProcessTimeout);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    const std::string& readyLine() const noexcept { return readyLine_; }
    /// For a failed row: whether it has ended, and the last line of its errors; "" when neither.
    std::string lastWords();
    /// The server and its child processes.
    std::vector<WatchedProcess> processes() const { return processTree(process_.id(), name_); }

private:
    std::string name_;
    test::Process process_;
    std::string readyLine_;
};

}  // namespace restante::bench
