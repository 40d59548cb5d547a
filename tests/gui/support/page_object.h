#pragma once

#include <QString>
#include <QWidget>

#include <stdexcept>
#include <string>

namespace restante::gui::test {

/// A page or a dialog of the console as a test handles it: a small value that owns nothing. What
/// its accessors answer is never null: a widget that is missing throws, which fails the test and
/// names it.
class PageObject {
public:
    /// Null, a dialog that is not open, throws as well.
    explicit PageObject(const QWidget* root)
        : root_(required(root, "the page or dialog itself", QStringLiteral("the test")))
    {
    }

protected:
    template <class T>
    static T* required(T* found, const char* what, const QString& where)
    {
        if (found == nullptr) {
            throw std::runtime_error(std::string("there is no ") + what + " in " +
                                     where.toStdString());
        }
        return found;
    }
    template <class T>
    T* named(const char* name) const
    {
        return required(root_->findChild<T*>(QString::fromLatin1(name)), name, root_->objectName());
    }
    /// Every one of that name.
    template <class T>
    QList<T*> all(const char* name) const
    {
        return root_->findChildren<T*>(QString::fromLatin1(name));
    }
    /// Of a class that the page has one of.
    template <class T>
    T* only() const
    {
        return required(root_->findChild<T*>(), T::staticMetaObject.className(),
                        root_->objectName());
    }
    /// The first widget of the class whose text has these words.
    template <class T>
    T* saying(const char* words) const
    {
        for (auto* widget : root_->findChildren<T*>()) {
            if (widget->text().contains(QLatin1String(words))) {
                return widget;
            }
        }
        return required<T>(nullptr, words, root_->objectName());
    }

private:
    const QWidget* root_;
};

/// The newest of that class that the owner has; null = none.
template <class Widget>
Widget* newestOf(const QWidget& owner)
{
    const auto found = owner.findChildren<Widget*>();
    return found.isEmpty() ? nullptr : found.back();
}

}  // namespace restante::gui::test
