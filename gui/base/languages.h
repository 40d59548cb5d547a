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
        QString name;  ///< in itself
    };
    static std::vector<Language> all();
    /// Which of them fits what the desktop asks for.
    static QString ofDesktop();

    /// The console's own texts and those of Qt (the buttons of its dialogs). Empty = ofDesktop();
    /// an unknown one is English.
    void use(const QString& code);
    /// Whether thousands are separated in numbers.
    void setGroupDigits(bool grouped);
    bool grouped() const noexcept { return grouped_; }
    const QString& current() const noexcept { return current_; }

private:
    QTranslator own_;
    QTranslator ofQt_;
    QString current_;
    bool grouped_ = true;
};

}  // namespace restante::gui
