#include "gui/pages/mailboxes/person_pane.h"

#include "core/job/job_filter.h"
#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/detail/delivery_step.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/payload_text.h"
#include "gui/pages/detail/sequence_diagram.h"
#include "gui/pages/mailboxes/mailbox_text.h"
#include "gui/pages/mailboxes/message_list.h"
#include "gui/pages/page_parts.h"
#include "gui/pages/pane_parts.h"
#include "gui/theme/elided_label.h"
#include "gui/theme/entry_list.h"
#include "gui/theme/icons.h"
#include "gui/theme/saved_layout.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

/// A title above a list, or above a sentence that replaces it.
QWidget* section(QWidget* parent, QLabel* title, QLabel* emptyText, QWidget* list)
{
    auto* container = new QWidget(parent);
    container->setAutoFillBackground(true);
    container->setBackgroundRole(QPalette::Base);
    for (auto* label : {title, emptyText}) {
        label->setMargin(label->fontMetrics().height() / 3);
    }
    auto* column = tightVBoxLayout(container);
    column->addWidget(title);
    column->addWidget(separator(container));
    column->addWidget(emptyText, 1);
    column->addWidget(list, 1);
    return container;
}

/// Every request that was sent, oldest first: an attempt without a device has none.
std::vector<DeliveryStep> deliverySteps(const std::vector<HistoryRow>& history)
{
    std::vector<DeliveryStep> steps;
    for (const auto& row : history) {
        for (const auto& line : textOf(row.note).split(u'\n', Qt::SkipEmptyParts)) {
            if (auto step = parseAttemptLine(line)) {
                steps.push_back(std::move(*step));
            }
        }
    }
    return steps;
}

/// Whether it was tried to deliver the message, and nobody has kept what was sent.
bool hasUnknownAttempts(const std::vector<HistoryRow>& history)
{
    return std::ranges::any_of(history, [](const HistoryRow& row) {
        return !row.noteIsKnown && (row.transition == "claim" || row.transition == "mark");
    });
}

}  // namespace

PersonPane::PersonPane(Context context, QWidget* parent) : QWidget(parent), context_(context)
{
    setObjectName(QStringLiteral("personPane"));
    auto* column = tightVBoxLayout(this);
    column->addWidget(buildHeader());
    column->addWidget(separator(this));

    messagesTitle_ = sectionTitle(this, "messagesTitle");
    noMessagesLabel_ = emptyListLabel(this, "noMessages");
    messageList_ = makeWidget<MessageList>("messages", this);
    messageList_->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* split = makeWidget<QSplitter>("personSides", Qt::Horizontal, this);
    split->addWidget(section(split, messagesTitle_, noMessagesLabel_, messageList_));
    split->addWidget(buildDevicesAndAttempts());
    setupSplitter(*split, context_.preferences, QStringLiteral("mailboxes/sides"));
    column->addWidget(split, 1);

    connect(messageList_, &MessageList::opened, this, &PersonPane::jobRequested);
    connect(messageList_, &MessageList::selectedIdsChanged, this, &PersonPane::selectionChanged);
    for (const auto id : {ActionId::RunNow, ActionId::Reschedule, ActionId::Hold, ActionId::Trash,
                          ActionId::CopyId}) {
        messageList_->addAction(context_.actions[id]);
    }
    retranslate();
    clear();
}

QWidget* PersonPane::buildHeader()
{
    auto* header = new QWidget(this);
    auto* column = spacedVBoxLayout(header);
    auto* titleRow = new QHBoxLayout;
    titleLabel_ = makeWidget<ElidedLabel>("personTitle", header);
    applyHeadingFont(*titleLabel_);
    deliverButton_ = makeWidget<QPushButton>("deliverNow", header);
    deliverButton_->setIcon(icon(QStringLiteral("media-playback-start")));
    writeButton_ = makeWidget<QPushButton>("writeMessage", header);
    writeButton_->setIcon(icon(QStringLiteral("document-new")));
    moreButton_ = makeWidget<QPushButton>("morePerson", header);
    auto* menu = new QMenu(moreButton_);
    showJobsAction_ = menu->addAction(icon(QStringLiteral("view-list-details")), QString());
    copyAction_ = menu->addAction(icon(QStringLiteral("edit-copy")), QString());
    moreButton_->setMenu(menu);
    titleRow->addWidget(titleLabel_, 1);
    for (auto* button : {deliverButton_, writeButton_, moreButton_}) {
        titleRow->addWidget(button);
    }
    column->addLayout(titleRow);
    auto* stateRow = new QHBoxLayout;
    stateIcon_ = new QLabel(header);
    stateLabel_ = plainLabel(header, "personState");
    stateRow->addWidget(stateIcon_);
    stateRow->addWidget(stateLabel_, 1);
    column->addLayout(stateRow);
    outlookLabel_ = wrappedLabel(header, "personOutlook");
    column->addWidget(outlookLabel_);

    connect(deliverButton_, &QPushButton::clicked, this, &PersonPane::deliverRequested);
    connect(writeButton_, &QPushButton::clicked, this,
            [this] { emit writeRequested(textOf(recipient())); });
    connect(showJobsAction_, &QAction::triggered, this,
            [this] { emit filterRequested(QString::fromStdString(filterFor("to", recipient()))); });
    connect(copyAction_, &QAction::triggered, this,
            [this] { QApplication::clipboard()->setText(textOf(recipient())); });
    return header;
}

QWidget* PersonPane::buildDevicesAndAttempts()
{
    devicesTitle_ = sectionTitle(this, "devicesTitle");
    noDevicesLabel_ = emptyListLabel(this, "noDevices");
    deviceList_ = makeWidget<EntryList>("devices", this);
    attemptsTitle_ = sectionTitle(this, "attemptsTitle");
    noAttemptsLabel_ = emptyListLabel(this, "noAttempts");
    attemptList_ = makeWidget<EntryList>("sentRequests", this);
    for (auto* list : {deviceList_, attemptList_}) {
        list->setSelectionMode(QAbstractItemView::NoSelection);
    }
    auto* splitter = makeWidget<QSplitter>("personParts", Qt::Vertical, this);
    splitter->addWidget(section(splitter, devicesTitle_, noDevicesLabel_, deviceList_));
    splitter->addWidget(section(splitter, attemptsTitle_, noAttemptsLabel_, attemptList_));
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    splitter->setSizes({300, 400});
    rememberSplitter(*splitter, context_.preferences, QStringLiteral("mailboxes/parts"));
    return splitter;
}

void PersonPane::clear()
{
    content_ = {};
    history_.reset();
    reformat();
}

void PersonPane::setContent(const MailboxContent& content, TimePoint now)
{
    if (content.mailbox.recipient != recipient()) {
        history_.reset();
        messageList_->setMessages({});
    }
    content_ = content;
    now_ = now;
    reformat();
}

void PersonPane::setHistory(const Result<std::vector<HistoryRow>>& history)
{
    history_ = history;
    showAttempts();
}

void PersonPane::clearHistory()
{
    history_.reset();
    showAttempts();
}

void PersonPane::setRefusal(const QString& refusal)
{
    refusal_ = refusal;
    updateButtons();
}

void PersonPane::reformat()
{
    const MailboxText texts(context_.preferences, now_);
    const auto& mailbox = content_.mailbox;
    titleLabel_->setFullText(MailboxText::personOf(recipient()), textOf(recipient()));
    Entry entry;
    MailboxText::setIconAndColor(entry, mailbox);
    const auto iconSize = fontMetrics().height();
    stateIcon_->setPixmap(icon(entry.icon).pixmap(QSize(iconSize, iconSize), devicePixelRatioF()));
    stateLabel_->setText(texts.reachability(mailbox));
    auto palette = stateLabel_->palette();
    palette.setColor(QPalette::WindowText, entry.foreground);
    stateLabel_->setPalette(palette);
    outlookLabel_->setText(texts.nextAttemptAndExpiry(content_));
    std::vector<Entry> devices;
    for (const auto& device : mailbox.devices) {
        devices.push_back(texts.entryOf(device));
    }
    showListOrText(
        noDevicesLabel_, deviceList_,
        devices.empty()
            ? tr("No device has registered here in the last 30 days. Whoever is registered "
                 "with another server is not known here.")
            : QString());
    deviceList_->setEntries(std::move(devices));
    showMessages();
    showAttempts();
    updateButtons();
}

void PersonPane::showMessages()
{
    const MailboxText texts(context_.preferences, now_);
    const TimeText times(context_.preferences);
    std::vector<ShownMessage> shown;
    for (const auto& view : content_.messages) {
        auto text = MailboxText::excerptOf(view.job);
        ShownMessage message;
        message.id = view.job.id;
        message.state = view.state;
        message.sender = MailboxText::personOf(view.job.sender);
        message.time = texts.clock(view.job.created);
        message.text = std::move(text.text);
        message.note =
            text.isTruncated ? tr("There is more of it: open the message to read all.") : QString();
        message.tip = textOf(view.job.sender) + u'\n' + times.absolute(view.job.created);
        if (!view.lastError.empty()) {
            message.tip += u'\n' + tr("last answer: %1").arg(textOf(view.lastError).left(200));
        }
        shown.push_back(std::move(message));
    }
    const auto waiting = content_.mailbox.waiting;
    const auto hidden = waiting > shown.size() ? waiting - shown.size() : 0;
    messagesTitle_->setText(
        hidden == 0 ? tr("%Ln message(s) waiting", "", static_cast<int>(waiting))
                    : tr("The newest %1 of %Ln message(s)", "", static_cast<int>(waiting))
                          .arg(numberText(shown.size())));
    showListOrText(noMessagesLabel_, messageList_,
                   shown.empty() ? tr("What is sent to this person while no device can be reached "
                                      "stands here until it is delivered.")
                                 : QString());
    messageList_->setMessages(std::move(shown));
}

void PersonPane::showAttempts()
{
    std::vector<Entry> entries;
    QString emptyText;
    const auto* job = historyMessage();
    if (job == nullptr) {
        emptyText = tr("Nothing is tried while nothing waits.");
    } else if (!history_) {
        emptyText = tr("Asking the journal…");
    } else if (!*history_) {
        emptyText = tr("The attempts are in the journal, and there is none: %1")
                        .arg(textOf(history_->error().message));
    } else {
        const TimeText times(context_.preferences);
        const auto steps = deliverySteps(**history_);
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            const auto style = styleOf(step->outcome);
            Entry entry;
            entry.key = std::to_string(steps.rend() - step);
            entry.title = step->answer.isEmpty() ? style.word : step->answer;
            entry.badge = step->took ? TimeText::duration(*step->took) : QString();
            entry.detail = tr("%1 · %2").arg(times.absolute(step->sent), step->target);
            entry.icon = style.icon;
            entry.tip =
                step->via.isEmpty() ? step->target : tr("%1 via %2").arg(step->target, step->via);
            for (auto* text : {&entry.title, &entry.detail}) {
                std::transform(text->begin(), text->end(), text->begin(), visibleSymbol);
            }
            entries.push_back(std::move(entry));
        }
        emptyText = !entries.empty() ? QString()
                    : hasUnknownAttempts(**history_)
                        ? tr("What was sent is not known, because no journal keeps it.")
                        : tr("No request has left for this message yet.");
    }
    attemptsTitle_->setText(!selectedMessages().empty() ? tr("Requests sent for this message")
                            : content_.messages.size() < content_.mailbox.waiting
                                ? tr("Requests sent for the oldest message shown")
                                : tr("Requests sent for the oldest message"));
    showListOrText(noAttemptsLabel_, attemptList_, emptyText);
    attemptList_->setEntries(std::move(entries));
}

const JobView* PersonPane::historyMessage() const
{
    const auto selected = selectedMessages();
    if (!selected.empty()) {
        return selected.front();
    }
    return content_.messages.empty() ? nullptr : &content_.messages.front();
}

std::vector<const JobView*> PersonPane::selectedMessages() const
{
    std::vector<const JobView*> selected;
    for (const auto& id : messageList_->selectedIds()) {
        const auto found = std::ranges::find(content_.messages, id,
                                             [](const JobView& view) { return view.job.id; });
        if (found != content_.messages.end()) {
            selected.push_back(&*found);
        }
    }
    return selected;
}

Selection PersonPane::deliverableMessages() const
{
    Selection selection;
    for (const auto& view : content_.messages) {
        if (view.state == JobState::Held) {
            selection.ids.push_back(view.job.id);
        }
    }
    selection.count = selection.ids.size();
    return selection;
}

void PersonPane::updateButtons()
{
    const auto count = deliverableMessages().count;
    deliverButton_->setEnabled(refusal_.isEmpty() && count > 0);
    deliverButton_->setToolTip(
        literalTip(!refusal_.isEmpty() ? refusal_
                   : count == 0        ? tr("No message waits that could be delivered")
                                       : tr("Try to deliver what waits, without waiting longer")));
    writeButton_->setEnabled(refusal_.isEmpty() && !recipient().empty());
    writeButton_->setToolTip(
        literalTip(refusal_.isEmpty() ? tr("Write a message to this person") : refusal_));
    for (auto* action : {showJobsAction_, copyAction_}) {
        action->setEnabled(!recipient().empty());
    }
}

void PersonPane::retranslate()
{
    deliverButton_->setText(tr("Deliver Now"));
    writeButton_->setText(tr("Write…"));
    moreButton_->setText(tr("More"));
    showJobsAction_->setText(tr("Show the Jobs of This Person"));
    copyAction_->setText(tr("Copy Address"));
    devicesTitle_->setText(tr("Devices"));
    messageList_->setAccessibleName(tr("Messages that wait, the newest last"));
    deviceList_->setAccessibleName(tr("Devices of this person"));
    attemptList_->setAccessibleName(tr("Requests that were sent, the newest first"));
    reformat();
}

}  // namespace restante::gui
