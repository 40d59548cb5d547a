#include "gui/pages/jobs/filter_edit.h"

#include "gui/pages/jobs/filter_text.h"
#include "gui/theme/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QScopedValueRollback>
#include <QStringListModel>

namespace restante::gui {

namespace {

constexpr qsizetype kMaxCompletions = 50;

QStringList fieldNames()
{
    QStringList names;
    for (const auto field : JobFilter::fields()) {
        names.append(QString::fromLatin1(field));
    }
    names.sort();
    return names;
}

QStringList fixedValuesOf(const QString& field)
{
    QStringList words;
    if (field == QLatin1String("state")) {
        for (const auto state : kJobStates) {
            words.append(QString::fromLatin1(name(state)));
        }
        words << QStringLiteral("live") << QStringLiteral("ended");
    } else if (field == QLatin1String("kind") || field == QLatin1String("channel")) {
        for (const auto channel : {Channel::Pull, Channel::Sip, Channel::Sms, Channel::Webhook}) {
            words.append(QString::fromLatin1(name(channel)));
        }
    } else if (field == QLatin1String("method")) {
        words << QStringLiteral("MESSAGE") << QStringLiteral("POST");
    } else if (field == QLatin1String("due") || field == QLatin1String("age") ||
               field == QLatin1String("expires")) {
        words << QStringLiteral("1m") << QStringLiteral("10m") << QStringLiteral("1h")
              << QStringLiteral("1d") << QStringLiteral("7d");
    }
    return words;
}

}  // namespace

FilterEdit::FilterEdit(QWidget* parent)
    : QLineEdit(parent),
      completer_(new QCompleter(this)),
      completionModel_(new QStringListModel(this))
{
    setObjectName(QStringLiteral("filterEdit"));
    setMaxLength(static_cast<int>(JobFilter::kLongest));
    completer_->setModel(completionModel_);
    completer_->setWidget(this);
    completer_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    connect(completer_, QOverload<const QString&>::of(&QCompleter::activated), this,
            &FilterEdit::insertCompletion);
    connect(this, &QLineEdit::textEdited, this, &FilterEdit::showCompletions);
    connect(this, &QLineEdit::textChanged, this, &FilterEdit::updateParseResult);
    updateParseResult();
}

void FilterEdit::showAppliedFilter(const QString& filter)
{
    appliedFilter_ = filter;
    setText(filter);
    updateParseResult();
}

void FilterEdit::updateParseResult()
{
    ParseResult parseResult;
    const auto trimmedText = text().trimmed();
    const auto bytes = trimmedText.toStdString();
    auto parsed = JobFilter::parse(bytes);
    if (!parsed) {
        filter_.reset();
        const auto& problem = parsed.error();
        parseResult.kind = ParseResult::Kind::Wrong;
        parseResult.detail = QString::fromStdString(problem.detail);
        const auto column = std::min(problem.column - 1, bytes.size());
        // Of the text as it stands there, with the blanks before it.
        parseResult.column = static_cast<int>(
            text().indexOf(trimmedText) +
            QString::fromUtf8(bytes.data(), static_cast<qsizetype>(column)).size() + 1);
    } else {
        parseResult.kind = parsed->empty()        ? ParseResult::Kind::Empty
                           : parsed->plan().scans ? ParseResult::Kind::Scans
                                                  : ParseResult::Kind::Valid;
        filter_ = std::move(*parsed);
    }
    parseResult_ = parseResult;
    applyTint();
    emit parseResultChanged();
}

void FilterEdit::applyTint()
{
    const QScopedValueRollback quiet(applyingTint_, true);
    auto colors = palette();
    const auto general = Theme::palette(Theme::current());
    colors.setColor(QPalette::Base, general.color(QPalette::Base));
    colors.setColor(QPalette::Text, general.color(QPalette::Text));
    colors.setColor(QPalette::PlaceholderText, general.color(QPalette::PlaceholderText));
    if (parseResult_.kind != ParseResult::Kind::Empty) {
        const auto shade =
            Theme::tint(parseResult_.kind == ParseResult::Kind::Valid   ? Theme::Severity::Good
                        : parseResult_.kind == ParseResult::Kind::Scans ? Theme::Severity::Warning
                                                                        : Theme::Severity::Bad);
        colors.setColor(QPalette::Base, shade.background);
        colors.setColor(QPalette::Text, shade.text);
    }
    setPalette(colors);
}

QStringList FilterEdit::completions() const
{
    const auto word = wordAtCursor(text(), cursorPosition());
    QStringList candidates;
    if (word.field.isEmpty()) {
        if (word.typed.isEmpty()) {
            return {};
        }
        for (const auto& name : fieldNames()) {
            candidates.append(name + u':');
        }
    } else {
        candidates = fixedValuesOf(word.field);
        for (const auto& value : fieldValues_ ? fieldValues_(word.field) : QStringList()) {
            const auto newText = quoted(value);
            if (!candidates.contains(newText)) {
                candidates.append(newText);
            }
        }
    }
    QStringList matching;
    for (const auto& candidate : candidates) {
        auto bare = candidate;
        if (bare.remove(u'"').startsWith(word.typed, Qt::CaseInsensitive) && bare != word.typed &&
            matching.size() < kMaxCompletions) {
            matching.append(candidate);
        }
    }
    return matching;
}

void FilterEdit::showCompletions()
{
    showingHistory_ = false;
    completionModel_->setStringList(completions());
    if (completionModel_->rowCount() == 0) {
        completer_->popup()->hide();
        return;
    }
    completer_->complete();
}

void FilterEdit::insertCompletion(const QString& completion)
{
    if (showingHistory_) {
        setText(completion);
        return;
    }
    const auto word = wordAtCursor(text(), cursorPosition());
    auto newText = text();
    newText.replace(word.from, word.to - word.from, completion);
    setText(newText);
    setCursorPosition(word.from + static_cast<int>(completion.size()));
    if (completion.endsWith(u':')) {
        showCompletions();
    }
}

void FilterEdit::showHistory()
{
    if (history_.isEmpty()) {
        return;
    }
    showingHistory_ = true;
    completionModel_->setStringList(history_);
    completer_->complete();
}

void FilterEdit::addTerm(const QString& term)
{
    if (term.isEmpty()) {
        return;
    }
    // An invalid text is replaced by the applied filter.
    setText(withTerm(filter_ ? text() : appliedFilter_, term));
    if (filter_) {
        emit applyRequested();
    }
}

void FilterEdit::beginField(const QString& field)
{
    auto at = cursorPosition();
    auto newText = text();
    const auto term =
        (at > 0 && !newText.at(at - 1).isSpace() ? QStringLiteral(" ") : QString()) + field + u':';
    newText.insert(at, term);
    at += static_cast<int>(term.size());
    setText(newText);
    setFocus();
    setCursorPosition(at);
    showCompletions();
}

void FilterEdit::keyPressEvent(QKeyEvent* event)
{
    auto* popup = completer_->popup();
    const bool open = popup->isVisible();
    const bool chosen = open && popup->currentIndex().isValid();
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (chosen) {
            event->ignore();  // the completer's
            return;
        }
        popup->hide();
        if (filter_) {
            emit applyRequested();
        }
        return;
    case Qt::Key_Tab:
        if (chosen) {
            event->ignore();
            return;
        }
        break;
    case Qt::Key_Escape:
        if (open) {
            popup->hide();
        } else if (text() != appliedFilter_) {
            setText(appliedFilter_);
        } else {
            emit leaveRequested();
        }
        return;
    case Qt::Key_Down:
        if (!open) {
            showHistory();
            return;
        }
        break;
    default: break;
    }
    QLineEdit::keyPressEvent(event);
}

void FilterEdit::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasFormat(kTermMimeType)) {
        event->acceptProposedAction();
        return;
    }
    QLineEdit::dragEnterEvent(event);
}

void FilterEdit::dropEvent(QDropEvent* event)
{
    if (!event->mimeData()->hasFormat(kTermMimeType)) {
        QLineEdit::dropEvent(event);
        return;
    }
    event->acceptProposedAction();
    addTerm(QString::fromUtf8(event->mimeData()->data(kTermMimeType)));
}

void FilterEdit::changeEvent(QEvent* event)
{
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !applyingTint_) {
        applyTint();
    }
}

}  // namespace restante::gui
