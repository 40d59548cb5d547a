#include "gui/theme/theme.h"

#include "core/reminder/reminder_plan.h"
#include "gui/theme/console_style.h"

#include <QApplication>
#include <QCoreApplication>
#include <QWidget>

namespace restante::gui {

namespace {

Scheme& appliedScheme()
{
    static Scheme scheme = Scheme::Light;
    return scheme;
}

/// Qt 6.4 cannot tell what the desktop prefers; the palette it begins with can.
Scheme desktopScheme()
{
    static const bool kDark = QPalette().color(QPalette::Window).lightness() < 128;
    return kDark ? Scheme::Dark : Scheme::Light;
}

struct RoleColor {
    QPalette::ColorGroup group;
    QPalette::ColorRole role;
    QRgb light;
    QRgb dark;
};

// clang-format off: one role a line.
constexpr RoleColor kPalette[]{
    {QPalette::All, QPalette::Window, 0xfff3f4f6, 0xff1d2128},
    {QPalette::All, QPalette::WindowText, 0xff1c2128, 0xffe4e7ec},
    {QPalette::All, QPalette::Base, 0xffffffff, 0xff15181e},
    {QPalette::All, QPalette::AlternateBase, 0xfff7f8fa, 0xff191d24},
    {QPalette::All, QPalette::Text, 0xff1c2128, 0xffe4e7ec},
    {QPalette::All, QPalette::PlaceholderText, 0xff666e7b, 0xff8d95a3},
    {QPalette::All, QPalette::Button, 0xffe9ebef, 0xff2a303a},
    {QPalette::All, QPalette::ButtonText, 0xff1c2128, 0xffe4e7ec},
    {QPalette::All, QPalette::BrightText, 0xffffffff, 0xffffffff},
    {QPalette::All, QPalette::Light, 0xffffffff, 0xff3a424e},
    {QPalette::All, QPalette::Midlight, 0xffe5e7eb, 0xff313843},
    {QPalette::All, QPalette::Mid, 0xffc3c8d0, 0xff3f4754},
    {QPalette::All, QPalette::Dark, 0xff9aa1ac, 0xff101318},
    {QPalette::All, QPalette::Shadow, 0xff6b7280, 0xff000000},
    {QPalette::All, QPalette::Highlight, 0xff1f5fbf, 0xff2f6fcf},
    {QPalette::All, QPalette::HighlightedText, 0xffffffff, 0xffffffff},
    {QPalette::All, QPalette::Link, 0xff1a56b0, 0xff7ab0f5},
    {QPalette::All, QPalette::LinkVisited, 0xff6d3fa8, 0xffc09df0},
    {QPalette::All, QPalette::ToolTipBase, 0xff1c2128, 0xff2a303a},
    {QPalette::All, QPalette::ToolTipText, 0xfff3f4f6, 0xffe4e7ec},
    {QPalette::Disabled, QPalette::WindowText, 0xff7a818c, 0xff7a8290},
    {QPalette::Disabled, QPalette::Text, 0xff7a818c, 0xff7a8290},
    {QPalette::Disabled, QPalette::ButtonText, 0xff7a818c, 0xff7a8290},
    {QPalette::Disabled, QPalette::Highlight, 0xffc3c8d0, 0xff3f4754},
};
// clang-format on

struct TintPaint {
    struct {
        QRgb background;
        QRgb text;
    } light, dark;
};
/// By Theme::Severity.
constexpr TintPaint kTints[]{
    {{0xffe3f4e6, 0xff1b4d28}, {0xff1b3322, 0xffbfe8c9}},
    {{0xfffdf1d0, 0xff5c3f00}, {0xff3d3012, 0xfff3d89a}},
    {{0xfffbe0de, 0xff7a1711}, {0xff431c1b, 0xffffc6c1}},
    {{0xffe2ecfa, 0xff173f7a}, {0xff1b2c47, 0xffc4dcff}},
};

struct StatePaint {
    const char* icon;
    QRgb light;
    QRgb dark;
    QRgb lightChart;
    QRgb darkChart;
};

StatePaint paintOf(JobState state)
{
    switch (state) {
    case JobState::Scheduled:
        return {"state-scheduled", 0xff3f5673, 0xff9db4d1, 0xff5d6b85, 0xff8391a8};
    case JobState::Ready: return {"state-ready", 0xff1f5fbf, 0xff7ab0f5, 0xff2f78d8, 0xff4a8be0};
    case JobState::Leased: return {"state-leased", 0xff0f6f6b, 0xff5fd0c8, 0xff1f8f6a, 0xff3fb87f};
    case JobState::Held: return {"state-held", 0xff7a5200, 0xffe5b95c, 0xffb07a0a, 0xffd09a2d};
    case JobState::Dead: return {"state-dead", 0xffb3261e, 0xffff8f86, 0xffc8433a, 0xffd9534a};
    case JobState::Trashed:
        return {"state-trashed", 0xff5b6270, 0xffa3abb8, 0xff767e8c, 0xff8b93a1};
    case JobState::Done: return {"state-done", 0xff256b35, 0xff7fd193, 0xff3a8a4d, 0xff4aa760};
    }
    return {"state-scheduled", 0xff000000, 0xffffffff, 0xff707070, 0xff909090};
}

}  // namespace

void Theme::apply(Scheme scheme)
{
    appliedScheme() = resolved(scheme);
    QApplication::setStyle(new ConsoleStyle);
    QApplication::setPalette(palette(appliedScheme()));
}

Scheme Theme::current()
{
    return appliedScheme();
}

Scheme Theme::resolved(Scheme scheme)
{
    // Asked for each time, so that the desktop's palette is looked at before ours replaces it.
    const auto desktop = desktopScheme();
    return scheme == Scheme::System ? desktop : scheme;
}

QPalette Theme::palette(Scheme scheme)
{
    const bool dark = resolved(scheme) == Scheme::Dark;
    QPalette palette;
    for (const auto& [group, role, light, darkColor] : kPalette) {
        palette.setColor(group, role, QColor(dark ? darkColor : light));
    }
    return palette;
}

StateStyle Theme::style(JobState state, Scheme scheme)
{
    const auto paint = paintOf(state);
    const bool dark = scheme == Scheme::Dark;
    return {QString::fromLatin1(paint.icon), QColor(dark ? paint.dark : paint.light),
            QColor(dark ? paint.darkChart : paint.lightChart)};
}

Tint Theme::tint(Severity severity, Scheme scheme)
{
    const auto& [light, dark] = kTints[static_cast<std::size_t>(severity)];
    const auto& [background, text] = scheme == Scheme::Dark ? dark : light;
    return {QColor(background), QColor(text)};
}

QColor Theme::foreground(Severity severity, Scheme scheme)
{
    switch (severity) {
    case Severity::Good: return style(JobState::Done, scheme).foreground;
    case Severity::Warning: return style(JobState::Held, scheme).foreground;
    case Severity::Bad: return style(JobState::Dead, scheme).foreground;
    case Severity::Notice: return style(JobState::Scheduled, scheme).foreground;
    }
    return {};
}

void applyTint(QWidget& widget, const Tint& tint)
{
    auto palette = widget.palette();
    palette.setColor(QPalette::Window, tint.background);
    palette.setColor(QPalette::WindowText, tint.text);
    widget.setPalette(palette);
}

QString Theme::stateName(JobState state)
{
    switch (state) {
    case JobState::Scheduled: return QCoreApplication::translate("State", "Scheduled");
    case JobState::Ready: return QCoreApplication::translate("State", "Ready");
    case JobState::Leased: return QCoreApplication::translate("State", "Leased");
    case JobState::Held: return QCoreApplication::translate("State", "Held");
    case JobState::Dead: return QCoreApplication::translate("State", "Dead");
    case JobState::Trashed: return QCoreApplication::translate("State", "Trash");
    case JobState::Done: return QCoreApplication::translate("State", "Done");
    }
    return {};
}

QString Theme::topicName(const std::string& topic)
{
    return topic == reminder::kSeriesTopic ? QCoreApplication::translate("Topic", "Reminders")
                                           : QString::fromStdString(topic);
}

QString Theme::channelName(Channel channel)
{
    switch (channel) {
    case Channel::Pull: return QCoreApplication::translate("Channel", "Pull");
    case Channel::Sip: return QCoreApplication::translate("Channel", "SIP");
    case Channel::Sms: return QCoreApplication::translate("Channel", "SMS");
    case Channel::Webhook: return QCoreApplication::translate("Channel", "Webhook");
    }
    return {};
}

}  // namespace restante::gui
