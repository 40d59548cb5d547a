#pragma once

#include "tests/support/process.h"

#include <string>
#include <vector>

namespace restante::bench {

/// A server that prints one line with "ready " when it serves; stopped as an operator would.
class Server {
public:
    /// Throws when that line does not come.
    explicit Server(std::vector<std::string> words, Millis timeout = test::kProcessTimeout);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    const std::string& readyLine() const noexcept { return readyLine_; }

private:
    test::Process process_;
    std::string readyLine_;
};

}  // namespace restante::bench
