#include "tests/bench/server.h"

#include <csignal>
#include <stdexcept>
#include <utility>

namespace restante::bench {

Server::Server(std::vector<std::string> words, Millis timeout)
    : process_({std::move(words), {}, {}})
{
    const auto line = process_.waitForLine("ready ", timeout);
    if (!line) {
        throw std::runtime_error("bench: a server did not become ready: " + process_.everything());
    }
    readyLine_ = *line;
}

Server::~Server()
{
    process_.signal(SIGTERM);
    process_.waitForExit();
}

}  // namespace restante::bench
