#include "tests/support/redis_server.h"

#include "core/redis/server/server_defaults.h"
#include "tests/support/eventually.h"
#include "tests/support/file_content.h"
#include "tests/support/free_port.h"

#include <hiredis/hiredis.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace restante::test {

namespace {

struct FreeContext {
    void operator()(redisContext* context) const noexcept { redisFree(context); }
};
using Context = std::unique_ptr<redisContext, FreeContext>;

struct FreeReply {
    void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
};
using RawReply = std::unique_ptr<redisReply, FreeReply>;

RawReply call(redisContext& context, const std::vector<std::string>& command)
{
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const auto& argument : command) {
        texts.push_back(argument.data());
        sizes.push_back(argument.size());
    }
    RawReply reply{static_cast<redisReply*>(
        redisCommandArgv(&context, static_cast<int>(command.size()), texts.data(), sizes.data()))};
    if (!reply) {
        throw std::runtime_error("test redis: " + std::string(context.errstr));
    }
    return reply;
}

redis::Reply convert(const redisReply& raw)
{
    switch (raw.type) {
    case REDIS_REPLY_INTEGER: return {std::int64_t{raw.integer}};
    case REDIS_REPLY_NIL: return {};
    case REDIS_REPLY_ARRAY: {
        redis::Reply::Array items;
        for (std::size_t i = 0; i < raw.elements; ++i) {
            items.push_back(convert(*raw.element[i]));
        }
        return {std::move(items)};
    }
    case REDIS_REPLY_ERROR: throw std::runtime_error(std::string(raw.str, raw.len));
    default: return {std::string(raw.str, raw.len)};
    }
}

/// The child's side of fork(): only async-signal-safe calls until exec.
[[noreturn]] void
executeServer(const std::vector<const char*>& arguments, const char* log, pid_t parent)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(127);
    }
    const int out = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execvp(arguments[0], const_cast<char* const*>(arguments.data()));
    ::_exit(127);
}

}  // namespace

RedisServer::RedisServer(Settings settings)
    : directory_(settings.where),
      settings_(std::move(settings)),
      port_(settings_.tcp ? freePort() : 0)
{
    restart();
}

RedisServer::~RedisServer()
{
    kill9();
}

redis::RedisUrl RedisServer::url() const
{
    redis::RedisUrl url;
    url.socketPath = socketPath();
    return url;
}

redis::RedisUrl RedisServer::tcpUrl() const
{
    redis::RedisUrl url;
    url.port = port_;
    return url;
}

void RedisServer::kill9()
{
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        process_ = -1;
    }
}

void RedisServer::launch()
{
    kill9();
    std::vector<std::string> words{redis::serverProgram(),
                                   "--port",
                                   std::to_string(port_),
                                   "--bind",
                                   "127.0.0.1",
                                   "--unixsocket",
                                   socketPath(),
                                   "--dir",
                                   directory_.path(),
                                   "--save",
                                   "",
                                   "--appendonly",
                                   settings_.appendOnly == AppendOnly::Yes ? "yes" : "no",
                                   "--appendfsync",
                                   "always"};
    words.insert(words.end(), settings_.extra.begin(), settings_.extra.end());
    std::vector<const char*> arguments;
    for (const auto& word : words) {
        arguments.push_back(word.c_str());
    }
    arguments.push_back(nullptr);
    const std::string log = directory_ / "log";
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ == 0) {
        executeServer(arguments, log.c_str(), parent);
    }
}

void RedisServer::restart()
{
    launch();
    const auto settled = [this] { return hasEnded() || answers(); };
    if (!eventually(settled, Millis{20'000}) || process_ < 0) {
        throw std::runtime_error(redis::serverProgram() +
                                 " does not answer: " + contentOf(directory_ / "log"));
    }
}

void RedisServer::pause()
{
    ::kill(process_, SIGSTOP);
}

void RedisServer::resume()
{
    ::kill(process_, SIGCONT);
}

redis::Reply RedisServer::send(const std::vector<std::string>& command) const
{
    const timeval timeout{10, 0};
    const Context context{redisConnectUnixWithTimeout(socketPath().c_str(), timeout)};
    if (!context || context->err != 0) {
        throw std::runtime_error("test redis: cannot connect");
    }
    redisSetTimeout(context.get(), timeout);
    if (!settings_.password.empty()) {
        call(*context, {"AUTH", settings_.password});
    }
    return convert(*call(*context, command));
}

bool RedisServer::hasEnded()
{
    if (process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) == process_) {
        process_ = -1;
    }
    return process_ < 0;
}

bool RedisServer::answers() const
{
    try {
        send({"PING"});
        return true;
    } catch (const std::runtime_error& refused) {
        // A server that requires a password is up; one that is loading is not.
        return std::strncmp(refused.what(), "NOAUTH", 6) == 0;
    }
}

RedisServer& sharedRedis()
{
    static RedisServer server;
    server.send({"FLUSHALL"});
    server.send({"SCRIPT", "FLUSH"});
    return server;
}

}  // namespace restante::test
