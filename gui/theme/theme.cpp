#include "gui/theme/theme.h"

#include "gui/theme/console_style.h"

#include <QApplication>
#include <QCoreApplication>
#include <QWidget>

namespace restante::gui {

namespace {

Scheme& chosen()
{
    static Scheme scheme = Scheme::Light;
    return scheme;
}

/// Qt 6.4 cannot tell what the desktop prefers; the palette it begins with can.
Scheme ofDesktop()
{
    static const bool kDark = QPalette().color(QPalette::Window).lightness() < 128;
    return kDark ? Scheme::Dark : Scheme::Light;
}

QPalette lightPalette()
{
    QPalette p;
    const QColor ink(0x1c, 0x21, 0x28);
    const QColor window(0xf3, 0xf4, 0xf6);
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, ink);
    p.setColor(QPalette::Base, Qt::white);
    p.setColor(QPalette::AlternateBase, QColor(0xf7, 0xf8, 0xfa));
    p.setColor(QPalette::Text, ink);
    p.setColor(QPalette::PlaceholderText, QColor(0x66, 0x6e, 0x7b));
    p.setColor(QPalette::Button, QColor(0xe9, 0xeb, 0xef));
    p.setColor(QPalette::ButtonText, ink);
    p.setColor(QPalette::BrightText, Qt::white);
    p.setColor(QPalette::Light, Qt::white);
    p.setColor(QPalette::Midlight, QColor(0xe5, 0xe7, 0xeb));
    p.setColor(QPalette::Mid, QColor(0xc3, 0xc8, 0xd0));
    p.setColor(QPalette::Dark, QColor(0x9a, 0xa1, 0xac));
    p.setColor(QPalette::Shadow, QColor(0x6b, 0x72, 0x80));
    p.setColor(QPalette::Highlight, QColor(0x1f, 0x5f, 0xbf));
    p.setColor(QPalette::HighlightedText, Qt::white);
    p.setColor(QPalette::Link, QColor(0x1a, 0x56, 0xb0));
    p.setColor(QPalette::LinkVisited, QColor(0x6d, 0x3f, 0xa8));
    p.setColor(QPalette::ToolTipBase, QColor(0x1c, 0x21, 0x28));
    p.setColor(QPalette::ToolTipText, QColor(0xf3, 0xf4, 0xf6));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        p.setColor(QPalette::Disabled, role, QColor(0x7a, 0x81, 0x8c));
    }
    p.setColor(QPalette::Disabled, QPalette::Highlight, QColor(0xc3, 0xc8, 0xd0));
    return p;
}

QPalette darkPalette()
{
    QPalette p;
    const QColor ink(0xe4, 0xe7, 0xec);
    p.setColor(QPalette::Window, QColor(0x1d, 0x21, 0x28));
    p.setColor(QPalette::WindowText, ink);
    p.setColor(QPalette::Base, QColor(0x15, 0x18, 0x1e));
    p.setColor(QPalette::AlternateBase, QColor(0x19, 0x1d, 0x24));
    p.setColor(QPalette::Text, ink);
    p.setColor(QPalette::PlaceholderText, QColor(0x8d, 0x95, 0xa3));
    p.setColor(QPalette::Button, QColor(0x2a, 0x30, 0x3a));
    p.setColor(QPalette::ButtonText, ink);
    p.setColor(QPalette::BrightText, Qt::white);
    p.setColor(QPalette::Light, QColor(0x3a, 0x42, 0x4e));
    p.setColor(QPalette::Midlight, QColor(0x31, 0x38, 0x43));
    p.setColor(QPalette::Mid, QColor(0x3f, 0x47, 0x54));
    p.setColor(QPalette::Dark, QColor(0x10, 0x13, 0x18));
    p.setColor(QPalette::Shadow, Qt::black);
    p.setColor(QPalette::Highlight, QColor(0x2f, 0x6f, 0xcf));
    p.setColor(QPalette::HighlightedText, Qt::white);
    p.setColor(QPalette::Link, QColor(0x7a, 0xb0, 0xf5));
    p.setColor(QPalette::LinkVisited, QColor(0xc0, 0x9d, 0xf0));
    p.setColor(QPalette::ToolTipBase, QColor(0x2a, 0x30, 0x3a));
    p.setColor(QPalette::ToolTipText, ink);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        p.setColor(QPalette::Disabled, role, QColor(0x7a, 0x82, 0x90));
    }
    p.setColor(QPalette::Disabled, QPalette::Highlight, QColor(0x3f, 0x47, 0x54));
    return p;
}

struct StatePaint {
    const char* icon;
    QRgb light;
    QRgb dark;
    QRgb lightSeries;
    QRgb darkSeries;
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
    chosen() = resolved(scheme);
    QApplication::setStyle(new ConsoleStyle);
    QApplication::setPalette(palette(chosen()));
}

Scheme Theme::current()
{
    return chosen();
}

Scheme Theme::resolved(Scheme scheme)
{
    // Asked for each time, so that the desktop's palette is looked at before ours replaces it.
    const auto desktop = ofDesktop();
    return scheme == Scheme::System ? desktop : scheme;
}

QPalette Theme::palette(Scheme scheme)
{
    return resolved(scheme) == Scheme::Dark ? darkPalette() : lightPalette();
}

StateStyle Theme::style(JobState state)
{
    return style(state, chosen());
}

StateStyle Theme::style(JobState state, Scheme scheme)
{
    const auto paint = paintOf(state);
    const bool dark = scheme == Scheme::Dark;
    return {QString::fromLatin1(paint.icon), QColor(dark ? paint.dark : paint.light),
            QColor(dark ? paint.darkSeries : paint.lightSeries)};
}

Tint Theme::tint(Meaning meaning)
{
    return tint(meaning, chosen());
}

Tint Theme::tint(Meaning meaning, Scheme scheme)
{
    const bool dark = scheme == Scheme::Dark;
    switch (meaning) {
    case Meaning::Good:
        return dark ? Tint{QColor(0x1b, 0x33, 0x22), QColor(0xbf, 0xe8, 0xc9)}
                    : Tint{QColor(0xe3, 0xf4, 0xe6), QColor(0x1b, 0x4d, 0x28)};
    case Meaning::Warning:
        return dark ? Tint{QColor(0x3d, 0x30, 0x12), QColor(0xf3, 0xd8, 0x9a)}
                    : Tint{QColor(0xfd, 0xf1, 0xd0), QColor(0x5c, 0x3f, 0x00)};
    case Meaning::Bad:
        return dark ? Tint{QColor(0x43, 0x1c, 0x1b), QColor(0xff, 0xc6, 0xc1)}
                    : Tint{QColor(0xfb, 0xe0, 0xde), QColor(0x7a, 0x17, 0x11)};
    case Meaning::Notice: break;
    }
    return dark ? Tint{QColor(0x1b, 0x2c, 0x47), QColor(0xc4, 0xdc, 0xff)}
                : Tint{QColor(0xe2, 0xec, 0xfa), QColor(0x17, 0x3f, 0x7a)};
}

void applyTint(QWidget& widget, const Tint& tint)
{
    auto palette = widget.palette();
    palette.setColor(QPalette::Window, tint.paper);
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
