#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace restante::bench {

/// A server that prints one line beginning with "ready " when it serves; ended with SIGTERM (and
/// SIGKILL after 10 s) when it goes out of scope.
class Child {
public:
    /// Throws std::runtime_error when the program ends or 30 s pass without that line.
    explicit Child(const std::vector<std::string>& command);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();

    const std::string& readyLine() const noexcept { return ready_; }

private:
    pid_t pid_ = -1;
    int output_ = -1;  ///< kept open, so that what it prints later does not end it
    std::string ready_;
};

}  // namespace restante::bench
