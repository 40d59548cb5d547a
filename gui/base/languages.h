#pragma once

#include <QString>
#include <QTranslator>

#include <vector>

namespace restante::gui {

/// The languages that the console speaks, switched while it runs: every window is told by
/// QEvent::LanguageChange. *Thread of the window.*
class Languages {
public:
    struct Language {
        QString code;  ///< "en", "zh_CN"
        QString name;  ///< in that language
    };
    static std::vector<Language> all();
    /// The code of the language that fits the desktop's locale.
    static QString desktopLanguage();

    /// Loads the texts of the console and of Qt (the buttons of its dialogs). Empty =
    /// desktopLanguage(); an unknown code is English.
    void use(const QString& code);
    /// Whether thousands are separated in numbers.
    void setGroupDigits(bool grouped);
    bool groupsDigits() const noexcept { return groupDigits_; }
    /// The code of the language in use.
    const QString& current() const noexcept { return current_; }

private:
    QTranslator consoleTranslator_;
    QTranslator qtTranslator_;
    QString current_;
    bool groupDigits_ = true;
};

}  // namespace restante::gui
