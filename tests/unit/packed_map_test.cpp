#include "core/redis/store/packed_map.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace restante::redis {

using nlohmann::json;

TEST(PackedMap, isNothingWithoutEntries)
{
    EXPECT_EQ(PackedMap().bytes(), "");
    EXPECT_EQ(PackedMap().addIf("replace", false).bytes(), "");
}

TEST(PackedMap, isReadBackByAnotherReader)
{
    const auto bytes = PackedMap()
                           .addIf("replace", true)
                           .add("limit", std::uint64_t{1'000})
                           .add("by", "olga\n")
                           .bytes();
    EXPECT_EQ(json::from_msgpack(bytes),
              json({{"replace", true}, {"limit", 1'000}, {"by", "olga\n"}}));
}

TEST(PackedMap, takesTextsOfAnyLength)
{
    for (const std::size_t size : {0U, 31U, 32U, 255U, 256U, 65'535U, 65'536U}) {
        const std::string text(size, 'x');
        EXPECT_EQ(json::from_msgpack(PackedMap().add("why", text).bytes()), json({{"why", text}}))
            << size;
    }
}

}  // namespace restante::redis
