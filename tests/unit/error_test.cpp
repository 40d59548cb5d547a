#include "core/base/error.h"
#include "core/base/result.h"
#include "core/json/document.h"

#include <gtest/gtest.h>

namespace restante {

TEST(Error, namesTheFieldThatIsWrongAndWhatItMayBe)
{
    const auto error = invalidField("ttr", "is 1s to 24h").value();

    EXPECT_EQ(error.code, ErrorCode::Invalid);
    EXPECT_EQ(error.message, "ttr: is 1s to 24h");
    EXPECT_EQ(error.field, "ttr");
    EXPECT_EQ(error.detail(), "is 1s to 24h");
}

TEST(Error, withoutAFieldIsItsMessageWhole)
{
    const Error error{ErrorCode::Unavailable, "redis: it does not answer"};

    EXPECT_EQ(error.field, "");
    EXPECT_EQ(error.detail(), "redis: it does not answer");
}

TEST(Error, keepsItsMessageWhenSomebodyPutWordsBeforeTheField)
{
    auto error = invalidField("topic", "is 1-128 printable characters").value();
    error.message.insert(0, "line 3: ");

    EXPECT_EQ(error.detail(), "line 3: topic: is 1-128 printable characters");
}

TEST(FieldError, isTheErrorOfTheFieldAndBack)
{
    const auto problem = json::fieldErrorOf(json::errorOf({"headers[2].name", "is a token"}));

    EXPECT_EQ(problem.field, "headers[2].name");
    EXPECT_EQ(problem.detail, "is a token");
}

TEST(FieldError, takesNoWordOfAMessageForAField)
{
    const auto problem = json::fieldErrorOf({ErrorCode::Invalid, "topic: it only looks like one"});

    EXPECT_EQ(problem.field, "");
    EXPECT_EQ(problem.detail, "topic: it only looks like one");
}

}  // namespace restante
