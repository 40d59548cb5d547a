#include "gui/base/languages.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace restante::gui {

std::vector<Languages::Language> Languages::all()
{
    return {{QStringLiteral("en"), QStringLiteral("English")},
            {QStringLiteral("zh_CN"), QStringLiteral("简体中文")}};
}

QString Languages::desktopLanguage()
{
    const auto system = QLocale::system();
    const bool simplified =
        system.language() == QLocale::Chinese && system.script() != QLocale::TraditionalHanScript;
    return simplified ? QStringLiteral("zh_CN") : QStringLiteral("en");
}

void Languages::use(const QString& code)
{
    const auto known = all();
    const auto wanted = code.isEmpty() ? desktopLanguage() : code;
    const bool isKnown = std::any_of(known.begin(), known.end(), [&](const Language& language) {
        return language.code == wanted;
    });
    current_ = isKnown ? wanted : QStringLiteral("en");
    setGroupDigits(groupDigits_);
    QCoreApplication::removeTranslator(&qtTranslator_);
    QCoreApplication::removeTranslator(&consoleTranslator_);
    if (qtTranslator_.load(QStringLiteral(":/i18n/qtbase_%1.qm").arg(current_))) {
        QCoreApplication::installTranslator(&qtTranslator_);
    }
    if (consoleTranslator_.load(QStringLiteral(":/i18n/restante_%1.qm").arg(current_))) {
        QCoreApplication::installTranslator(&consoleTranslator_);
    }
}

void Languages::setGroupDigits(bool grouped)
{
    groupDigits_ = grouped;
    // Numbers and dates follow the language, whatever the machine's locale is.
    QLocale locale(current_);
    if (!grouped) {
        locale.setNumberOptions(QLocale::OmitGroupSeparator | QLocale::RejectGroupSeparator);
    }
    QLocale::setDefault(locale);
}

}  // namespace restante::gui
