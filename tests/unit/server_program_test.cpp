#include "core/redis/server/server_check.h"
#include "core/redis/server/server_defaults.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>

namespace restante::redis {

namespace {

/// A variable of the environment for one test.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name)
    {
        if (const char* before = std::getenv(name); before != nullptr) {
            before_ = before;
        }
        ::setenv(name, value.c_str(), 1);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable()
    {
        if (before_) {
            ::setenv(name_, before_->c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }

private:
    const char* name_;
    std::optional<std::string> before_ = {};
};

class ServerProgram : public testing::Test {
protected:
    void have(const std::string& program) const
    {
        std::ofstream(folder_ / program) << "#!/bin/sh\n";
        std::filesystem::permissions(folder_ / program, std::filesystem::perms::owner_all);
    }

    const test::TempDir folder_;
    const Variable path_{"PATH", folder_.path().string()};
    const Variable named_{"RESTANTE_REDIS_SERVER", ""};
};

}  // namespace

TEST_F(ServerProgram, isRedisWhereThereIsOne)
{
    have("valkey-server");
    have("redis-server");
    EXPECT_EQ(serverProgram(), "redis-server");
    EXPECT_TRUE(isProgram("redis-server"));
}

TEST_F(ServerProgram, isValkeyWhereThereIsOnlyThat)
{
    have("valkey-server");
    EXPECT_EQ(serverProgram(), "valkey-server");
}

TEST_F(ServerProgram, isNamedRedisWhereThereIsNeither)
{
    EXPECT_EQ(serverProgram(), "redis-server");
    EXPECT_FALSE(isProgram("redis-server"));
}

TEST_F(ServerProgram, isWhatTheEnvironmentNames)
{
    have("redis-server");
    const auto path = (folder_ / "mine").string();
    const Variable named("RESTANTE_REDIS_SERVER", path);
    EXPECT_EQ(serverProgram(), path);
    EXPECT_FALSE(isProgram(path));
    have("mine");
    EXPECT_TRUE(isProgram(path));
}

TEST(ServerName, tellsValkeyFromTheRedisThatItIsCompatibleWith)
{
    const auto redis = serverNameOf("8.0.2", "");
    EXPECT_EQ(redis.product, "Redis");
    EXPECT_EQ(redis.version, "8.0.2");
    const auto valkey = serverNameOf("7.2.4", "8.1.1");
    EXPECT_EQ(valkey.product, "Valkey");
    EXPECT_EQ(valkey.version, "8.1.1");
}

}  // namespace restante::redis
