#include "tests/support/ssh_server.h"

#include "tests/support/free_port.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <pwd.h>
#include <stdexcept>
#include <unistd.h>
#include <utility>
#include <vector>

namespace restante::test {

namespace {

using Words = std::vector<std::string>;

/// An sshd that is not root accepts only the user that it runs as.
std::string userName()
{
    if (::geteuid() == 0) {
        return "nobody";
    }
    const auto* user = ::getpwuid(::geteuid());
    return user != nullptr ? user->pw_name : "nobody";
}

std::string firstLineOf(const std::filesystem::path& file)
{
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

std::vector<pid_t> childrenOf(pid_t parent)
{
    std::vector<pid_t> all;
    const auto number = std::to_string(parent);
    std::ifstream children("/proc/" + number + "/task/" + number + "/children");
    for (pid_t child = 0; children >> child;) {
        all.push_back(child);
    }
    return all;
}

}  // namespace

SshServer::SshServer(std::string configuration) : port_(freePort())
{
    const auto make = [this](const std::string& name) {
        mustRun({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory_ / name});
    };
    make("host");
    make("key");
    make("stranger");
    std::filesystem::create_directory(programs());
    std::ofstream(programs() / "ssh")
        << "#!/bin/sh\nexec /usr/bin/ssh -F '" << (directory_ / "client").string() << "' \"$@\"\n";
    std::filesystem::permissions(programs() / "ssh", std::filesystem::perms::owner_all);
    std::ofstream(directory_ / "server")
        << "ListenAddress 127.0.0.1:" << port_ << "\nHostKey " << (directory_ / "host").string()
        << "\nPidFile none\nAuthorizedKeysFile " << (directory_ / "key.pub").string()
        << "\nStrictModes no\nUsePAM yes\nPasswordAuthentication no\n"
           "KbdInteractiveAuthentication no\n"
        << configuration;
    configureClient(KnownHostKey::Right, key());
    if (::geteuid() == 0) {
        mustRun({"chown", "-R", userName(), directory_.path()});
    }
    restart();
}

SshServer::~SshServer()
{
    kill9();
}

std::string SshServer::address() const
{
    return userName() + "@127.0.0.1:" + std::to_string(port_);
}

void SshServer::configureClient(KnownHostKey known, const std::filesystem::path& key)
{
    std::ofstream hosts(directory_ / "hosts");
    if (known != KnownHostKey::None) {
        const auto shown = known == KnownHostKey::Right ? "host.pub" : "stranger.pub";
        hosts << "[127.0.0.1]:" << port_ << " " << firstLineOf(directory_ / shown) << "\n";
    }
    std::ofstream(directory_ / "client")
        << "UserKnownHostsFile " << (directory_ / "hosts").string()
        << "\nGlobalKnownHostsFile none\nIdentitiesOnly yes\nIdentityAgent none\nIdentityFile "
        << key.string() << "\n";
}

void SshServer::kill9()
{
    if (process_ == nullptr) {
        return;
    }
    // Its connections are sessions of their own, which outlive it.
    auto serving = childrenOf(process_->id());
    for (std::size_t at = 0; at < serving.size(); ++at) {
        const auto theirs = childrenOf(serving[at]);
        std::copy(theirs.begin(), theirs.end(), std::back_inserter(serving));
    }
    process_->kill9();
    for (const auto one : serving) {
        ::kill(one, SIGKILL);
    }
    process_.reset();
}

void SshServer::restart()
{
    kill9();
    Words words{"/usr/sbin/sshd", "-D", "-e", "-f", directory_ / "server"};
    if (::geteuid() == 0) {
        const Words other{"setpriv",        "--reuid=nobody",   "--regid=nogroup",
                          "--clear-groups", "--pdeathsig=KILL", "--"};
        words.insert(words.begin(), other.begin(), other.end());
    }
    process_ = std::make_unique<Process>(Process::Command{std::move(words), {}, "/tmp"});
    if (!process_->waitForLine("Server listening on")) {
        throw std::runtime_error("test ssh: sshd does not start: " + process_->allOutput());
    }
}

std::size_t SshServer::clients() const
{
    return process_ != nullptr ? childrenOf(process_->id()).size() : 0;
}

ProgramPath::ProgramPath(const std::filesystem::path& directory, Others others)
{
    const auto* path = std::getenv("PATH");
    before_ = path != nullptr ? path : "";
    const auto with = directory.string() + (others == Others::Too ? ":" + before_ : "");
    ::setenv("PATH", with.c_str(), 1);
}

ProgramPath::~ProgramPath()
{
    ::setenv("PATH", before_.c_str(), 1);
}

}  // namespace restante::test
