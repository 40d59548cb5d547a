#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::bench {

/// Keep-alive connections, each with one request in flight, driven by one thread.
struct HttpLoad {
    std::uint16_t port = 0;
    std::uint32_t connections = 64;
    std::uint32_t requests = 0;  ///< in all, each of which is answered
    /// The next request of a connection; `last` is the body of the answer before, empty at first.
    std::function<std::string(std::string_view last)> next;
};

struct HttpLoadResult {
    double perSecond = 0;
    double p99Ms = 0;  ///< from sending a request to its complete answer
};

/// Throws when an answer is neither 200 nor 201, or a connection ends.
HttpLoadResult timedHttpLoad(const HttpLoad& load);
/// Its answers per second.
double runHttpLoad(const HttpLoad& load);

/// Pushes so many jobs of 256 bytes, one a request.
HttpLoadResult
timedHttpPushes(std::uint16_t port, std::uint32_t jobs, std::uint32_t connections = 64);
/// Its jobs per second.
double runHttpPushes(std::uint16_t port, std::uint32_t jobs, std::uint32_t connections = 64);

/// Sends `request` on each of `connections`, calls `sent` when all are on their way, and says when
/// the last of them was answered.
std::chrono::system_clock::time_point timeOfLastAnswer(std::uint16_t port,
                                                       std::uint32_t connections,
                                                       const std::string& request,
                                                       const std::function<void()>& onAllSent);

std::string httpRequest(std::string_view path, std::string_view body);

}  // namespace restante::bench
