#include "core/base/file_descriptor.h"
#include "core/base/service_manager.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace restante {
namespace {

using testing::HasSubstr;

/// A service manager's end of the socket.
class Listener {
public:
    explicit Listener(const std::string& path)
        : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(
            ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    }
    /// Empty when nothing has come.
    std::string next() const
    {
        std::array<char, 4'096> text{};
        const auto size = ::recv(socket_.get(), text.data(), text.size(), 0);
        return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
    }

private:
    FileDescriptor socket_;
};

class ServiceManagerTest : public test::LoopFixture {
protected:
    ~ServiceManagerTest() override
    {
        for (const auto* variable : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
            ::unsetenv(variable);
        }
    }

    test::TempDir directory_;
};

TEST_F(ServiceManagerTest, isToldHowTheServiceStands)
{
    const Listener listener(directory_ / "notify");
    ServiceManager manager(loop_);
    EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr) << "no child speaks for us";
    EXPECT_EQ(listener.next(), "");
    manager.notifyReady("serving");
    EXPECT_EQ(listener.next(), "READY=1\nSTATUS=serving");
    manager.notifyStopping();
    EXPECT_EQ(listener.next(), "STOPPING=1");
    EXPECT_EQ(listener.next(), "") << "nobody asked for a watchdog";
}

TEST_F(ServiceManagerTest, isFedWhileTheLoopTurns)
{
    const Listener listener(directory_ / "notify");
    ::setenv("WATCHDOG_USEC", "100000", 1);
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
    ServiceManager manager(loop_);
    manager.notifyReady("");
    EXPECT_THAT(listener.next(), HasSubstr("READY=1"));
    int beats = 0;
    EXPECT_TRUE(runUntil([&] {
        beats += listener.next() == "WATCHDOG=1" ? 1 : 0;
        return beats == 3;
    }));
}

TEST_F(ServiceManagerTest, isNotFedForAnotherProcess)
{
    const Listener listener(directory_ / "notify");
    ::setenv("WATCHDOG_USEC", "100000", 1);
    ::setenv("WATCHDOG_PID", "1", 1);
    ServiceManager manager(loop_);
    manager.notifyReady("");
    EXPECT_THAT(listener.next(), HasSubstr("READY=1"));
    EXPECT_EQ(listener.next(), "");
}

TEST_F(ServiceManagerTest, isNotNeeded)
{
    ServiceManager manager(loop_);
    manager.notifyReady("serving");
    manager.notifyStopping();
}

}  // namespace
}  // namespace restante
