#include "tests/gui/support/confirm_dialog_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(PageObjects, nameTheWidgetThatIsMissingAndThePageThatMissesIt)
{
    QWidget page;
    page.setObjectName(QStringLiteral("confirmDialog"));
    const ConfirmDialogObject object(&page);
    EXPECT_THAT([&] { object.cancel(); },
                ThrowsMessage<std::runtime_error>(HasSubstr("no cancelButton in confirmDialog")));
    QPushButton button(&page);
    button.setObjectName(QStringLiteral("cancelButton"));
    EXPECT_EQ(object.cancel(), &button);
}

TEST(PageObjects, refuseADialogThatIsNotOpen)
{
    EXPECT_THROW(ConfirmDialogObject{nullptr}, std::runtime_error);
}

}  // namespace restante::gui::test
