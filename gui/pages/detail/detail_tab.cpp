#include "gui/pages/detail/detail_tab.h"

#include "gui/theme/icons.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFontMetrics>
#include <QLabel>
#include <QPointer>
#include <QResizeEvent>
#include <QSaveFile>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>

namespace restante::gui {

namespace {

QString write(const QString& path, const QByteArray& content)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit()) {
        return {};
    }
    return QCoreApplication::translate("SaveFile", "%1 could not be written: %2")
        .arg(path, file.errorString());
}

}  // namespace

DetailTab::DetailTab(Context context, JobWatch& watch, QWidget* parent)
    : QWidget(parent),
      context_(context),
      watch_(watch)
{
}

void DetailTab::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QWidget::changeEvent(event);
}

void SideBySide::showEvent(QShowEvent* event)
{
    fit();
    QSplitter::showEvent(event);
}

void SideBySide::resizeEvent(QResizeEvent* event)
{
    // Before it is seen it has sizes that nobody chose.
    if (isVisible()) {
        fit();
    }
    QSplitter::resizeEvent(event);
}

void SideBySide::fit()
{
    // In letters of the font: two tables of a few columns each.
    constexpr int kLettersForBoth = 85;
    const int needed = fontMetrics().averageCharWidth() * kLettersForBoth;
    const auto fitting = width() < needed ? Qt::Vertical : Qt::Horizontal;
    if (fitting != orientation()) {
        setOrientation(fitting);
    }
}

QLabel* plainLabel(QWidget* parent, const char* objectName)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QString::fromLatin1(objectName));
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel* wrappedLabel(QWidget* parent, const char* objectName)
{
    auto* label = plainLabel(parent, objectName);
    label->setWordWrap(true);
    return label;
}

QToolButton* barButton(QWidget* parent, const char* iconName, Qt::ToolButtonStyle style)
{
    auto* button = new QToolButton(parent);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolButtonStyle(style);
    if (iconName != nullptr) {
        button->setIcon(icon(QString::fromLatin1(iconName)));
    }
    return button;
}

QVBoxLayout* tightColumn(QWidget* owner)
{
    auto* column = new QVBoxLayout(owner);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

void saveFile(const QString& path,
              const QByteArray& content,
              QObject* receiver,
              std::function<void(const QString& problem)> done)
{
    QPointer<QObject> guard(receiver);
    QThreadPool::globalInstance()->start([path, content, guard, done = std::move(done)] {
        const auto problem = write(path, content);
        // By way of the application: the receiver may die while this thread is on its way to it.
        QMetaObject::invokeMethod(QCoreApplication::instance(), [guard, done, problem] {
            if (guard != nullptr) {
                done(problem);
            }
        });
    });
}

}  // namespace restante::gui
