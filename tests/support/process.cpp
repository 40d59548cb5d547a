#include "tests/support/process.h"

#include "core/base/file_descriptor.h"
#include "tests/support/eventually.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace restante::test {

namespace {

constexpr Millis kRemainingOutputTimeout{2'000};

struct Pipe {
    FileDescriptor readEnd;
    FileDescriptor writeEnd;
};

Pipe makePipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    return {FileDescriptor{ends[0]}, FileDescriptor{ends[1]}};
}

/// The arguments or the environment in the form of exec. Borrows the texts.
std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (auto& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string>
environmentWith(const std::vector<std::pair<std::string, std::string>>& added)
{
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const auto replaced = [&](const auto& one) { return text.starts_with(one.first + "="); };
        if (std::none_of(added.begin(), added.end(), replaced)) {
            variables.emplace_back(text);
        }
    }
    for (const auto& [name, value] : added) {
        variables.push_back(name + "=" + value);
    }
    return variables;
}

struct ChildSetup {
    std::vector<char*> words;
    std::vector<char*> environment;
    const char* directory;
    int input;
    int output;
    int errors;
    pid_t parent;
};

/// The child's side of fork(): only async-signal-safe calls until exec.
[[noreturn]] void executeChild(const ChildSetup& setup)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool orphaned = ::getppid() != setup.parent;
    if (orphaned || (*setup.directory != '\0' && ::chdir(setup.directory) != 0)) {
        ::_exit(127);
    }
    ::dup2(setup.input, STDIN_FILENO);
    ::dup2(setup.output, STDOUT_FILENO);
    ::dup2(setup.errors, STDERR_FILENO);
    ::execvpe(setup.words[0], setup.words.data(), setup.environment.data());
    ::_exit(127);
}

}  // namespace

struct Process::State {
    /// One stream of the child: filled by the reader, under the mutex.
    struct Stream {
        FileDescriptor fd;
        std::string text;
        bool open = true;
    };

    pid_t id = -1;
    std::optional<int> status;
    FileDescriptor input;
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::array<Stream, 2> streams;  ///< output, errors
    FileDescriptor stop;            ///< closing it ends the reader
    std::thread reader;

    void readUntilClosed(int stopped);
    void readStream(Stream& stream);
    std::optional<std::string> lineWith(std::string_view text) const;
    bool closed() const { return !streams[0].open && !streams[1].open; }
    void reap(int options);
};

void Process::State::readStream(Stream& stream)
{
    std::array<char, 65'536> chunk;
    const auto size = ::read(stream.fd.get(), chunk.data(), chunk.size());
    const std::lock_guard lock(mutex);
    if (size > 0) {
        stream.text.append(chunk.data(), static_cast<std::size_t>(size));
    } else {
        stream.open = false;
    }
    changed.notify_all();
}

void Process::State::readUntilClosed(int stopped)
{
    while (!closed()) {
        std::array<pollfd, 3> watched{};
        watched[0] = {streams[0].open ? streams[0].fd.get() : -1, POLLIN, 0};
        watched[1] = {streams[1].open ? streams[1].fd.get() : -1, POLLIN, 0};
        watched[2] = {stopped, POLLIN, 0};
        ::poll(watched.data(), watched.size(), -1);
        // Errors first, so that a test that waits for an output line finds what was logged before.
        for (std::size_t i = streams.size(); i-- > 0;) {
            if (watched[i].revents != 0) {
                readStream(streams[i]);
            }
        }
        if (watched[2].revents != 0) {
            return;
        }
    }
}

std::optional<std::string> Process::State::lineWith(std::string_view text) const
{
    for (const auto& stream : streams) {
        const auto found = stream.text.find(text);
        if (found == std::string::npos) {
            continue;
        }
        const auto before = stream.text.rfind('\n', found);
        const auto begin = before == std::string::npos ? 0 : before + 1;
        const auto end = stream.text.find('\n', found);
        if (end != std::string::npos) {
            return stream.text.substr(begin, end - begin);
        }
    }
    return std::nullopt;
}

void Process::State::reap(int options)
{
    int raw = 0;
    if (!status && ::waitpid(id, &raw, options) == id) {
        status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
    }
}

Process::Process(Command command) : state_(std::make_unique<State>())
{
    // Writing to a child that has ended must not end this process.
    ::signal(SIGPIPE, SIG_IGN);
    auto input = makePipe();
    auto output = makePipe();
    auto errors = makePipe();
    auto stop = makePipe();
    auto environment = environmentWith(command.environment);
    const ChildSetup setup{pointersTo(command.words),
                           pointersTo(environment),
                           command.directory.c_str(),
                           input.readEnd.get(),
                           output.writeEnd.get(),
                           errors.writeEnd.get(),
                           ::getpid()};
    state_->id = ::fork();
    if (state_->id == 0) {
        executeChild(setup);
    }
    if (state_->id < 0) {
        throw std::system_error(errno, std::generic_category(), "fork for " + command.words[0]);
    }
    // Both sides do it, because either may run first.
    ::setpgid(state_->id, state_->id);
    state_->input = std::move(input.writeEnd);
    state_->streams[0].fd = std::move(output.readEnd);
    state_->streams[1].fd = std::move(errors.readEnd);
    state_->stop = std::move(stop.writeEnd);
    state_->reader = std::thread([state = state_.get(), stopped = std::move(stop.readEnd)] {
        state->readUntilClosed(stopped.get());
    });
}

Process::~Process()
{
    ::kill(-state_->id, SIGKILL);
    state_->reap(0);
    // A process that left the group may still hold the pipes: the reader must not wait for it.
    state_->stop = FileDescriptor{};
    state_->reader.join();
}

pid_t Process::id() const noexcept
{
    return state_->id;
}

bool Process::running()
{
    state_->reap(WNOHANG);
    return !state_->status;
}

std::optional<std::string> Process::waitForLine(std::string_view text, Millis timeout)
{
    std::unique_lock lock(state_->mutex);
    std::optional<std::string> line;
    state_->changed.wait_for(lock, timeout, [&] {
        line = state_->lineWith(text);
        return line || state_->closed();
    });
    return line;
}

std::optional<int> Process::waitForExit(Millis timeout)
{
    if (!eventually([this] { return !running(); }, timeout)) {
        return std::nullopt;
    }
    // Its last output is still in the pipes. Other processes may keep these open.
    std::unique_lock lock(state_->mutex);
    state_->changed.wait_for(lock, kRemainingOutputTimeout, [this] { return state_->closed(); });
    return state_->status;
}

void Process::write(std::string_view text)
{
    while (!text.empty()) {
        const auto size = ::write(state_->input.get(), text.data(), text.size());
        if (size < 0) {
            throw std::system_error(errno, std::generic_category(), "write to a child");
        }
        text.remove_prefix(static_cast<std::size_t>(size));
    }
}

void Process::closeInput() noexcept
{
    state_->input = FileDescriptor{};
}

void Process::signal(int number) noexcept
{
    if (running()) {
        ::kill(state_->id, number);
    }
}

void Process::kill9() noexcept
{
    signal(SIGKILL);
    state_->reap(0);
}

std::string Process::output() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->streams[0].text;
}

std::string Process::errors() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->streams[1].text;
}

Finished run(Process::Command command, Millis timeout)
{
    const auto name = command.words.at(0);
    Process process(std::move(command));
    process.closeInput();
    const auto status = process.waitForExit(timeout);
    if (!status) {
        throw std::runtime_error(name + " still runs:\n" + process.allOutput());
    }
    return {*status, process.output(), process.errors()};
}

void mustRun(const std::vector<std::string>& words)
{
    // The first start of a database takes long on a busy disk.
    const auto finished = run({words, {}, "/tmp"}, Millis{120'000});
    if (finished.status != 0) {
        throw std::runtime_error("test: " + words.front() + " ... " + words.back() + ": " +
                                 finished.output + finished.errors);
    }
}

std::filesystem::path sourceDirectory()
{
    const char* directory = std::getenv("RESTANTE_SOURCE_DIR");
    return directory != nullptr ? directory : std::filesystem::current_path();
}

std::filesystem::path builtProgram(std::string_view name)
{
    const char* build = std::getenv("RESTANTE_BUILD_DIR");
    const auto root = build != nullptr ? std::filesystem::path(build)
                                       : std::filesystem::current_path() / "build/dev";
    for (const auto* folder : {"bin", "core", "sipplugin", "gui"}) {
        if (auto program = root / folder / name; std::filesystem::exists(program)) {
            return program;
        }
    }
    throw std::runtime_error(std::string(name) + " is not built in " + root.string());
}

}  // namespace restante::test
