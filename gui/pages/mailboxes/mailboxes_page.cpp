#include "gui/pages/mailboxes/mailboxes_page.h"

#include "core/job/job_filter.h"
#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/mailboxes/mailbox_text.h"
#include "gui/pages/mailboxes/message_list.h"
#include "gui/pages/mailboxes/person_pane.h"
#include "gui/pages/page_parts.h"
#include "gui/session/store_session.h"
#include "gui/theme/empty_pane.h"
#include "gui/theme/entry_list.h"
#include "gui/theme/icons.h"
#include "gui/theme/message_bar.h"
#include "gui/theme/saved_layout.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <utility>

namespace restante::gui {

namespace {

/// Rows of the first request and of each Show More; and the most in one request.
constexpr std::uint32_t kPageSize = 200;
constexpr std::uint32_t kMaxRows = 500;
/// Messages of one person that are shown.
constexpr std::uint32_t kMaxMessages = 200;
constexpr int kTypingPauseMs = 250;

/// The list with the page behind it; its cursor and numbers are those of the page.
MailboxPage withPage(MailboxPage list, MailboxPage page)
{
    std::set<std::string> listed;
    for (const auto& mailbox : list.mailboxes) {
        listed.insert(mailbox.recipient);
    }
    for (auto& mailbox : page.mailboxes) {
        // It may have moved from the pages that were read before.
        if (!listed.contains(mailbox.recipient)) {
            list.mailboxes.push_back(std::move(mailbox));
        }
    }
    page.mailboxes = std::move(list.mailboxes);
    return page;
}

}  // namespace

MailboxesPage::MailboxesPage(Context context, QWidget* parent) : StorePage(context, parent)
{
    setObjectName(QStringLiteral("mailboxesPage"));
    searchTimer_.setSingleShot(true);
    searchTimer_.setInterval(kTypingPauseMs);
    auto* bar = buildBar();
    setupLayout("mailboxesNotice", bar, buildBody());
    connectAll();
    retranslate();
    updateDisplay();
}

QBoxLayout* MailboxesPage::buildBar()
{
    auto* bar = new QHBoxLayout;
    searchField_ = makeWidget<QLineEdit>("mailboxFilter", this);
    searchField_->setClearButtonEnabled(true);
    searchField_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    searchField_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    countLabel_ = plainLabel(this, "mailboxCount");
    countLabel_->setForegroundRole(QPalette::PlaceholderText);
    bar->addWidget(searchField_, 1);
    bar->addSpacing(fontMetrics().averageCharWidth() * 2);
    bar->addWidget(countLabel_, 1);
    return bar;
}

QWidget* MailboxesPage::buildBody()
{
    splitter_ = makeWidget<QSplitter>("mailboxSides", Qt::Horizontal, this);
    auto* listPane = new QWidget(splitter_);
    listPane->setAutoFillBackground(true);
    listPane->setBackgroundRole(QPalette::Base);
    list_ = makeWidget<EntryList>("mailboxList", listPane);
    moreButton_ = makeWidget<QPushButton>("moreMailboxes", listPane);
    moreButton_->setFlat(true);
    auto* column = tightVBoxLayout(listPane);
    column->addWidget(list_, 1);
    column->addWidget(moreButton_);
    personStack_ = new QStackedWidget(splitter_);
    noPersonPane_ = new EmptyPane(personStack_);
    personPane_ = new PersonPane(context_, personStack_);
    personStack_->addWidget(noPersonPane_);
    personStack_->addWidget(personPane_);
    splitter_->addWidget(listPane);
    splitter_->addWidget(personStack_);
    splitter_->setStretchFactor(0, 0);
    splitter_->setStretchFactor(1, 1);
    const auto charWidth = fontMetrics().averageCharWidth();
    listPane->setMinimumWidth(charWidth * 20);
    splitter_->setSizes({charWidth * 38, charWidth * 120});
    splitter_->setChildrenCollapsible(false);
    splitter_->setHandleWidth(1);
    rememberSplitter(*splitter_, context_.preferences, QStringLiteral("mailboxes/list"));
    return splitter_;
}

void MailboxesPage::connectAll()
{
    connect(searchField_, &QLineEdit::textChanged, &searchTimer_, qOverload<>(&QTimer::start));
    connect(searchField_, &QLineEdit::returnPressed, &searchTimer_,
            [this] { searchTimer_.start(0); });
    connect(&searchTimer_, &QTimer::timeout, this, [this] {
        if (session_ != nullptr) {
            session_->source().cancel(std::exchange(listRequest_, 0));
            page_ = {};
            isListLoaded_ = false;
            isPersonSetByCaller_ = false;
            sinceListRequest_.invalidate();  // in case it is not ready, and asked later
            requestList();
        }
    });
    connect(list_, &EntryList::currentKeyChanged, this, [this](const std::string& key) {
        if (!key.empty()) {
            selectPerson(key);
        }
    });
    connect(moreButton_, &QPushButton::clicked, this, &MailboxesPage::requestMore);
    connect(personPane_, &PersonPane::selectionChanged, this, [this] {
        requestHistory();
        emit selectionChanged();
    });
    connect(personPane_, &PersonPane::deliverRequested, this, [this] {
        emit actionRequested(BulkAction::Verb::Release, personPane_->deliverableMessages());
    });
    connect(personPane_, &PersonPane::writeRequested, this, &MailboxesPage::writeRequested);
    connect(personPane_, &PersonPane::filterRequested, this, &MailboxesPage::filterRequested);
    connect(personPane_, &PersonPane::jobRequested, this, &MailboxesPage::jobRequested);
    connect(emptyPane_, &EmptyPane::pressed, searchField_, &QLineEdit::clear);
}

void MailboxesPage::clear()
{
    isListLoaded_ = false;
    page_ = {};
    person_.clear();
    historyKey_.clear();
    isPersonSetByCaller_ = false;
    list_->setEntries({});
    personPane_->clear();
    sinceListRequest_.invalidate();
    if (session_ != nullptr) {
        connect(&session_->backend(), &Backend::linkChanged, this, [this] {
            if (!isReady()) {
                sinceListRequest_.invalidate();  // how slow it will be then is not known
            }
        });
    }
}

void MailboxesPage::refreshNow()
{
    sinceListRequest_.invalidate();
    refresh();
}

void MailboxesPage::cancelRequests()
{
    searchTimer_.stop();
    if (session_ != nullptr) {
        for (auto* requestId : {&listRequest_, &personRequest_, &historyRequest_}) {
            session_->source().cancel(*requestId);
        }
    }
    listRequest_ = personRequest_ = historyRequest_ = 0;
}

void MailboxesPage::refresh()
{
    // Never two requests at a time to a slow store, and none while the search text is typed.
    if (!isReady() || searchTimer_.isActive()) {
        return;
    }
    if (listRequest_ == 0 && !isListRequestTooSoon()) {
        requestList();
    }
    if (personRequest_ == 0) {
        requestPerson();
    }
}

/// Listing reads all mailboxes: the longer it takes, the longer the pause before the next request.
bool MailboxesPage::isListRequestTooSoon() const
{
    constexpr int kPauseFactor = 20;  // times the duration of the last request
    constexpr qint64 kMaxPauseMs = 60'000;
    return sinceListRequest_.isValid() &&
           sinceListRequest_.elapsed() < std::min(listDurationMs_ * kPauseFactor, kMaxPauseMs);
}

void MailboxesPage::requestList()
{
    if (!isReady()) {
        return;
    }
    sinceListRequest_.start();
    MailboxQuery query;
    query.name = searchField_->text().trimmed().toStdString();
    requestPages(std::move(query), {}, std::max<std::size_t>(page_.mailboxes.size(), kPageSize));
}

/// Reads on behind `list` until it has as many rows as are wanted, or all.
void MailboxesPage::requestPages(MailboxQuery query, MailboxPage list, std::size_t wanted)
{
    query.cursor = list.cursor;
    query.limit =
        static_cast<std::uint32_t>(std::min<std::size_t>(wanted - list.mailboxes.size(), kMaxRows));
    listRequest_ = session_->source().mailboxes(
        query, {this, [this, query, list = std::move(list), wanted](Result<MailboxPage> page) {
                    listRequest_ = 0;
                    if (!page) {
                        startListPause();
                        return fail(tr("The mailboxes could not be read: %1"), page.error());
                    }
                    auto longer = withPage(list, std::move(*page));
                    if (longer.mailboxes.size() < wanted && !longer.cursor.empty()) {
                        return requestPages(query, std::move(longer), wanted);
                    }
                    startListPause();
                    handleList(std::move(longer));
                }});
}

void MailboxesPage::startListPause()
{
    // It is not valid when the link has been another one since.
    listDurationMs_ = sinceListRequest_.isValid() ? sinceListRequest_.restart() : 0;
}

void MailboxesPage::requestMore()
{
    // What is typed now is not yet the name of the list whose next page this is.
    if (!isReady() || page_.cursor.empty() || searchTimer_.isActive()) {
        return;
    }
    session_->source().cancel(listRequest_);
    MailboxQuery query;
    query.name = searchField_->text().trimmed().toStdString();
    query.cursor = page_.cursor;
    query.limit = kPageSize;
    listRequest_ = session_->source().mailboxes(
        std::move(query), {this, [this](Result<MailboxPage> page) {
                               listRequest_ = 0;
                               if (!page) {
                                   return fail(tr("The mailboxes could not be read: %1"),
                                               page.error());
                               }
                               handleList(withPage(std::move(page_), std::move(*page)));
                           }});
}

void MailboxesPage::handleList(MailboxPage page)
{
    notice_->clear();
    isListLoaded_ = true;
    page_ = std::move(page);
    showList();
    if (person_.empty() && !page_.mailboxes.empty()) {
        list_->setCurrentKey(page_.mailboxes.front().recipient);
    }
    updateDisplay();
}

void MailboxesPage::fail(const QString& sentence, const Error& error)
{
    const auto message = QString::fromStdString(error.message);
    notice_->showMessage(Theme::Severity::Bad, sentence.arg(message), message);
    updateDisplay();
}

void MailboxesPage::showPerson(const std::string& recipient)
{
    isPersonSetByCaller_ = true;
    selectPerson(recipient);
    list_->setCurrentKey(recipient);
}

void MailboxesPage::selectPerson(const std::string& recipient)
{
    if (recipient == person_) {
        return;
    }
    person_ = recipient;
    historyKey_.clear();
    if (session_ != nullptr) {
        session_->source().cancel(std::exchange(personRequest_, 0));
        session_->source().cancel(std::exchange(historyRequest_, 0));
    }
    showPane();
    requestPerson();
    emit selectionChanged();
}

/// What is selected in the pane until then is of the person before.
bool MailboxesPage::isPersonShown() const
{
    return !person_.empty() && personPane_->recipient() == person_;
}

void MailboxesPage::requestPerson()
{
    if (!isReady() || person_.empty()) {
        return;
    }
    personRequest_ = session_->source().mailbox(
        {person_, kMaxMessages}, {this, [this](const Result<MailboxContent>& content) {
                                      personRequest_ = 0;
                                      if (!content) {
                                          return fail(tr("The mailbox could not be read: %1"),
                                                      content.error());
                                      }
                                      personPane_->setContent(*content, session_->source().now());
                                      requestHistory();
                                      updateDisplay();
                                      emit selectionChanged();
                                  }});
}

/// Once for each selected message, and again after each new attempt.
void MailboxesPage::requestHistory()
{
    const auto* message = personPane_->historyMessage();
    if (session_ == nullptr || message == nullptr) {
        return;
    }
    const auto key = message->job.id + ' ' + std::to_string(message->attempt);
    if (key == historyKey_) {
        return;
    }
    if (!historyKey_.starts_with(message->job.id + ' ')) {
        personPane_->clearHistory();
        session_->source().cancel(std::exchange(historyRequest_, 0));
        historyKey_.clear();  // what is shown now is of no message
    }
    if (!isReady()) {
        return;
    }
    historyKey_ = key;
    session_->source().cancel(historyRequest_);
    historyRequest_ = session_->source().history(
        message->job.id, {this, [this](const Result<std::vector<HistoryRow>>& history) {
                              historyRequest_ = 0;
                              personPane_->setHistory(history);
                          }});
}

std::vector<const JobView*> MailboxesPage::selectedMessages() const
{
    return isPersonShown() ? personPane_->selectedMessages() : std::vector<const JobView*>{};
}

SelectionSummary MailboxesPage::selection() const
{
    SelectionSummary summary;
    for (const auto* message : selectedMessages()) {
        ++summary.count;
        ++summary.states[message->state];
    }
    return summary;
}

Selection MailboxesPage::selected() const
{
    Selection selection;
    for (const auto* message : selectedMessages()) {
        selection.ids.push_back(message->job.id);
    }
    selection.count = selection.ids.size();
    return selection;
}

std::vector<JobRow> MailboxesPage::knownRows(std::size_t maxRows) const
{
    std::vector<JobRow> rows;
    for (const auto* message : selectedMessages()) {
        if (rows.size() < maxRows) {
            rows.push_back(rowOf(*message));
        }
    }
    return rows;
}

JobsView MailboxesPage::shownView() const
{
    JobsView view;
    if (auto filter = JobFilter::parse(filterFor("to", person_)); filter && !person_.empty()) {
        view.filter = std::move(*filter);
    }
    view.states = {JobState::Held};
    return view;
}

QWidget* MailboxesPage::firstFocus()
{
    return isTableShown() ? static_cast<QWidget*>(list_) : searchField_;
}

bool MailboxesPage::isLoaded() const
{
    return StorePage::isLoaded() && personPane_->recipient() == person_;
}

void MailboxesPage::showList()
{
    const MailboxText texts(context_.preferences,
                            session_ != nullptr ? session_->source().now() : TimePoint{});
    std::vector<Entry> entries;
    entries.reserve(page_.mailboxes.size());
    for (const auto& mailbox : page_.mailboxes) {
        entries.push_back(texts.entryOf(mailbox));
    }
    list_->setEntries(std::move(entries));
    moreButton_->setVisible(!page_.cursor.empty());
}

void MailboxesPage::showPane()
{
    // Shows no person until the new content arrives, never the content of another one.
    const bool isShown = isPersonShown();
    personStack_->setCurrentWidget(isShown ? static_cast<QWidget*>(personPane_) : noPersonPane_);
    if (!isShown) {
        noPersonPane_->setContent(
            person_.empty()
                ? EmptyPane::Content{QStringLiteral("person-unknown"), tr("Nobody is chosen"),
                                     tr("Choose a mailbox to read what waits in "
                                        "it.")}
                : EmptyPane::Content{QStringLiteral("person-unknown"), tr("Loading the mailbox…")});
    }
    personPane_->setRefusal(session_ == nullptr ? tr("There is no connection.")
                                                : session_->commands().refusal());
}

QString MailboxesPage::countText() const
{
    if (!isListLoaded_ || session_ == nullptr) {
        return {};
    }
    const auto mailboxes = tr("%Ln mailbox(es)", "", static_cast<int>(page_.total));
    const auto messages = tr("%Ln message(s)", "", static_cast<int>(page_.messages));
    const auto text = tr("%1, %2").arg(mailboxes, messages);
    return page_.complete ? text : tr("at least %1").arg(text);
}

void MailboxesPage::updateDisplay()
{
    // A person that was requested is shown even when the list is empty.
    showTable(!page_.mailboxes.empty() || isPersonSetByCaller_);
    if (!isTableShown()) {
        showEmptyPane();
    }
    showPane();
    countLabel_->setText(countText());
    emit statusTextChanged(countText());
}

void MailboxesPage::showEmptyPane()
{
    if (session_ == nullptr) {
        emptyPane_->setContent({QStringLiteral("network-server"), tr("Not connected"),
                                tr("Open a connection to see its mailboxes.")});
    } else if (!isListLoaded_) {
        const auto& link = session_->link();
        emptyPane_->setContent(
            {QStringLiteral("network-server"), tr("Loading mailboxes…"),
             link.phase == LinkState::Phase::Connecting ? link.step : link.problem});
    } else if (!searchField_->text().trimmed().isEmpty()) {
        emptyPane_->setContent({QStringLiteral("edit-find"),
                                tr("Nobody is called so"),
                                tr("No message waits for anybody whose address contains “%1”.")
                                    .arg(searchField_->text().trimmed()),
                                {tr("Show All Mailboxes")}});
    } else {
        emptyPane_->setContent(
            {QStringLiteral("channel-sip"), tr("No mailbox has messages"),
             tr("Here stands everybody for whom SIP messages wait, the fullest mailbox first, "
                "with their devices and what was tried. The first row comes when somebody who is "
                "away is sent a message:\n\n%1")
                 .arg(QStringLiteral("restante-phone --user sip:alice@example.org "
                                     "--to sip:bob@example.org --text \"Are you there?\""))});
    }
}

void MailboxesPage::reformat()
{
    showList();
    personPane_->reformat();
}

void MailboxesPage::changeEvent(QEvent* event)
{
    StorePage::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && personPane_ != nullptr) {
        reformat();  // states have other colours
    }
}

void MailboxesPage::retranslate()
{
    searchField_->setPlaceholderText(tr("Find a person"));
    searchField_->setAccessibleName(tr("Find a person"));
    list_->setAccessibleName(tr("Mailboxes, the fullest first"));
    moreButton_->setText(tr("Show More"));
    personPane_->retranslate();
    showList();
    updateDisplay();
}

}  // namespace restante::gui
