#include "gui/pages/jobs/error_bar.h"

#include "gui/theme/time_text.h"

#include <QEvent>

namespace restante::gui {

namespace {

QString wordOf(const Error& error)
{
    const auto word = name(error.code);
    return QString::fromLatin1(word.data(), static_cast<qsizetype>(word.size()));
}

}  // namespace

ErrorBar::ErrorBar(QWidget* parent) : MessageBar(parent)
{
    setObjectName(QStringLiteral("troubleBar"));
    tick_.setInterval(1'000);
    connect(&tick_, &QTimer::timeout, this, &ErrorBar::rewrite);
}

void ErrorBar::setContent(const std::optional<Error>& error, bool hasRows)
{
    error_ = error;
    hasRows_ = hasRows && lastGood_.isValid();
    if (!error_) {
        tick_.stop();
        clear();
        return;
    }
    tick_.start();
    rewrite();
}

void ErrorBar::fresh()
{
    lastGood_.start();
}

void ErrorBar::rewrite()
{
    const auto message = QString::fromStdString(error_->message);
    auto text = tr("The store did not answer as it should: %1 (%2)").arg(message, wordOf(*error_));
    if (hasRows_) {
        text += u'\n' + tr("What is shown is %1 old.")
                            .arg(TimeText::duration(Millis{lastGood_.elapsed() / 1'000 * 1'000}));
    }
    showMessage(Theme::Meaning::Bad, text, QStringLiteral("%1: %2").arg(wordOf(*error_), message));
}

void ErrorBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange && error_) {
        rewrite();
    }
    MessageBar::changeEvent(event);
}

}  // namespace restante::gui
