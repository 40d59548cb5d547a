// What is on the screen can be read in light and in dark, on every kind of row, without
// colours, and in the charts.

#include "gui/pages/monitor/chart_box.h"
#include "gui/pages/monitor/monitor_page.h"
#include "gui/theme/icons.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "tests/gui/support/contrast.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QCheckBox>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

/// Wears each scheme in turn, and goes back to light.
class Contrast : public testing::TestWithParam<Scheme> {
protected:
    Contrast() { Theme::apply(GetParam()); }
    ~Contrast() override { Theme::apply(Scheme::Light); }

    static QColor colorOf(QPalette::ColorGroup group, QPalette::ColorRole role)
    {
        return Theme::palette(GetParam()).color(group, role);
    }
};

struct RowLook {
    const char* name;
    QStyle::State state;
    QPalette::ColorRole background = QPalette::Base;
};
constexpr QStyle::State kPlain = QStyle::State_Enabled | QStyle::State_Active;
const RowLook kRows[] = {
    {"a row", kPlain},
    {"every other row", kPlain, QPalette::AlternateBase},
    {"a row below the mouse", kPlain | QStyle::State_MouseOver},
    {"a selected row", kPlain | QStyle::State_Selected},
    {"a selected row below the mouse", kPlain | QStyle::State_Selected | QStyle::State_MouseOver},
    {"a selected row of a table without focus", QStyle::State_Enabled | QStyle::State_Selected}};

/// A cell as the tables paint it, larger, so that letters have points that have its colour all
/// through.
QImage
paintedCell(const RowLook& row, const QString& text, const QIcon& picture, const QColor& foreground)
{
    QTableView table;
    applyTableStyle(table);
    QStandardItemModel model(1, 1);
    model.setData(model.index(0, 0), text, Qt::DisplayRole);
    model.setData(model.index(0, 0), picture, Qt::DecorationRole);
    model.setData(model.index(0, 0), foreground, Qt::ForegroundRole);
    table.setModel(&model);
    QStyleOptionViewItem option;
    option.initFrom(&table);
    option.widget = &table;
    option.palette = QApplication::palette();
    option.state = row.state;
    option.rect = QRect(0, 0, 320, 60);
    option.decorationSize = QSize(40, 40);
    option.decorationPosition = QStyleOptionViewItem::Left;
    option.displayAlignment = Qt::AlignLeading | Qt::AlignVCenter;
    option.showDecorationSelected = true;
    option.font.setPixelSize(36);
    option.fontMetrics = QFontMetrics(option.font);
    QImage image(option.rect.size(), QImage::Format_RGB32);
    image.fill(option.palette.color(row.background));
    QPainter painter(&image);
    table.style()->drawPrimitive(QStyle::PE_PanelItemViewRow, &option, &painter, &table);
    QStyledItemDelegate().paint(&painter, option, model.index(0, 0));
    return image;
}

QImage drawnState(JobState state)
{
    QImage image(16, 16, QImage::Format_RGB32);
    image.fill(QApplication::palette().color(QPalette::Base));
    QPainter painter(&image);
    icon(Theme::style(state).icon).paint(&painter, image.rect());
    return image;
}

std::string nameOf(JobState state)
{
    return Theme::stateName(state).toStdString();
}

}  // namespace

TEST_P(Contrast, everyStateIsReadableOnEveryKindOfRow)
{
    for (const auto state : kJobStates) {
        const auto stateStyle = Theme::style(state);
        for (const auto& row : kRows) {
            const auto word =
                painted(paintedCell(row, Theme::stateName(state), {}, stateStyle.foreground));
            EXPECT_GE(word.contrast, kReadable) << nameOf(state) << " on " << row.name << ": "
                                                << word.foreground.name().toStdString() << " on "
                                                << word.background.name().toStdString();
            const auto sign =
                painted(paintedCell(row, {}, icon(stateStyle.icon), stateStyle.foreground));
            EXPECT_GE(sign.contrast, kReadable)
                << "the icon of " << nameOf(state) << " on " << row.name;
        }
    }
}

TEST_P(Contrast, everyStateHasAWordAndAnIconOfItsOwnWithoutColours)
{
    for (const auto one : kJobStates) {
        EXPECT_GE(painted(drawnState(one)).contrast, kReadable) << nameOf(one);
        for (const auto other : kJobStates) {
            if (one == other) {
                continue;
            }
            EXPECT_NE(nameOf(one), nameOf(other));
            // A clear sixteenth of the drawing is another one: what a hand or a cross takes.
            EXPECT_GE(differenceInGrey(drawnState(one), drawnState(other)), 1.0 / 16)
                << nameOf(one) << " and " << nameOf(other);
        }
    }
}

TEST_P(Contrast, whatIsDisabledOrStaleIsSeen)
{
    using enum QPalette::ColorRole;
    const std::pair<QPalette::ColorRole, QPalette::ColorRole> pairs[] = {{WindowText, Window},
                                                                         {Text, Base},
                                                                         {Text, AlternateBase},
                                                                         {ButtonText, Button},
                                                                         {ButtonText, Window}};
    for (const auto& [text, background] : pairs) {
        EXPECT_GE(
            contrast(colorOf(QPalette::Disabled, text), colorOf(QPalette::Disabled, background)),
            kSeen)
            << text << " on " << background;
    }
    // The notes below fields and the texts of empty fields are to be read.
    for (const auto background : {Window, Base, AlternateBase}) {
        EXPECT_GE(contrast(colorOf(QPalette::Active, PlaceholderText),
                           colorOf(QPalette::Active, background)),
                  kReadable)
            << background;
    }
    for (const auto group : {QPalette::Active, QPalette::Inactive}) {
        EXPECT_GE(contrast(colorOf(group, HighlightedText), colorOf(group, Highlight)), kReadable);
    }
}

TEST_P(Contrast, theChosenLineOfAMenuKeepsItsIcon)
{
    QStyleOptionMenuItem line;
    line.palette = QApplication::palette();
    line.rect = QRect(0, 0, 200, 24);
    line.icon = icon(QStringLiteral("edit-copy"));
    line.maxIconWidth = 20;
    line.state = QStyle::State_Enabled | QStyle::State_Selected;
    line.menuItemType = QStyleOptionMenuItem::Normal;
    line.checkType = QStyleOptionMenuItem::NotCheckable;
    QMenu menu;
    QImage image(line.rect.size(), QImage::Format_RGB32);
    image.fill(line.palette.color(QPalette::Window));
    QPainter painter(&image);
    QApplication::style()->drawControl(QStyle::CE_MenuItem, &line, &painter, &menu);
    painter.end();
    EXPECT_GE(painted(image.copy(2, 2, 30, 20)).contrast, kReadable);
}

TEST_P(Contrast, bannersAreReadableInWhateverColourAConnectionHas)
{
    WindowOnStore whole;
    const auto* banner = whole.ui().banner();
    for (int hue = 0; hue < 360; hue += 30) {
        for (const int value : {60, 130, 190, 255}) {
            ConnectionProfile profile;
            profile.name = QStringLiteral("coloured");
            profile.color = QColor::fromHsv(hue, 200, value);
            whole.openFake({}, profile);
            const auto colors = banner->palette();
            EXPECT_GE(contrast(colors.color(QPalette::WindowText), colors.color(QPalette::Window)),
                      kReadable)
                << profile.color.name().toStdString();
        }
    }
}

TEST_P(Contrast, theLinesOfAChartAreSeenAndToldApart)
{
    WindowOnStore whole;
    const auto& boxes = whole.window.monitor().charts();
    ASSERT_EQ(boxes.size(), 3U);
    for (auto* box : boxes) {
        const auto& entries = box->entries();
        for (std::size_t at = 0; at < entries.size(); ++at) {
            const auto colour = [](const ChartBox::LegendEntry& entry) {
                return GetParam() == Scheme::Dark ? entry.dark : entry.light;
            };
            const auto one = colour(entries[at]);
            EXPECT_GE(contrast(one, colorOf(QPalette::Active, QPalette::Base)), kSeen)
                << one.name().toStdString();
            for (auto next = at + 1; next < entries.size(); ++next) {
                const auto other = colour(entries[next]);
                const auto both = (one.name() + u' ' + other.name()).toStdString();
                constexpr double kUnlike = 20;
                constexpr double kUnlikeStill = 8;
                EXPECT_GE(distance(one, other), kUnlike) << both;
                // Who cannot tell the colours apart has the dashes.
                EXPECT_TRUE(entries[at].pen != entries[next].pen ||
                            distance(withoutGreen(one), withoutGreen(other)) >= kUnlikeStill)
                    << both;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Schemes,
                         Contrast,
                         testing::Values(Scheme::Light, Scheme::Dark),
                         [](const auto& scheme) {
                             return scheme.param == Scheme::Dark ? "dark" : "light";
                         });

}  // namespace restante::gui::test
