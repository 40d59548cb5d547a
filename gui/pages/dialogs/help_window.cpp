#include "gui/pages/dialogs/help_window.h"

#include "core/base/version.h"
#include "core/job/job_filter.h"
#include "gui/actions/action_registry.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/icons.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <utility>

namespace restante::gui {

namespace {

QString row(const QString& left, const QString& right)
{
    return QStringLiteral("<tr><td style='padding:2px 16px 2px 0'><code>%1</code></td>"
                          "<td style='padding:2px 0'>%2</td></tr>")
        .arg(left.toHtmlEscaped(), right.toHtmlEscaped());
}

QString section(const QString& title, const QString& body)
{
    return QStringLiteral("<h3>%1</h3>%2").arg(title.toHtmlEscaped(), body);
}

QString paragraph(const QString& text)
{
    return QStringLiteral("<p>%1</p>").arg(text.toHtmlEscaped());
}

}  // namespace

HelpWindow::HelpWindow(Context context, QWidget* parent)
    : QDialog(parent),
      context_(context),
      text_(makeWidget<QTextBrowser>("helpText", this))
{
    setObjectName(QStringLiteral("helpWindow"));
    text_->setOpenLinks(false);
    text_->setFrameShape(QFrame::NoFrame);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* column = new QVBoxLayout(this);
    column->addWidget(text_, 1);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 40);
    onLanguageChange(this, [this] { retranslate(); });
    retranslate();
}

QString HelpWindow::filterText() const
{
    const std::pair<QString, QString> lines[] = {
        {QStringLiteral("bob@example.org"), tr("contained in an address, the topic or the error")},
        {QStringLiteral("state:dead"), tr("a field has this value")},
        {QStringLiteral("topic:order,billing"), tr("one of these values")},
        {QStringLiteral("to:+8613*"), tr("any text in place of the star")},
        {QStringLiteral("attempts>3  size>=10k"), tr("more or less than a number")},
        {QStringLiteral("due<1h  age>7d"), tr("due within the hour; pushed more than a week ago")},
        {QStringLiteral("created:2026-11-01..2026-11-07"), tr("from one day to another")},
        {QStringLiteral("-err:486"), tr("not so")},
        {QStringLiteral("(topic:a OR topic:b) state:held"), tr("either, and in groups")},
        {QStringLiteral("\"big order\""), tr("a phrase with spaces")},
    };
    QString table;
    for (const auto& [text, meaning] : lines) {
        table += row(text, meaning);
    }
    QStringList fields;
    for (const auto field : JobFilter::fields()) {
        fields.append(QString::fromLatin1(field.data(), static_cast<qsizetype>(field.size())));
    }
    return QStringLiteral("<table>%1</table>").arg(table) +
           paragraph(tr("Fields: %1.").arg(fields.join(QStringLiteral(", ")))) +
           paragraph(tr("A green box can be answered at once. A yellow one is valid, but the store "
                        "must look at every job: it can be stopped at any time. A red one cannot "
                        "be read, and says where."));
}

QString HelpWindow::keysText() const
{
    QString table;
    for (const auto* action : context_.actions.all()) {
        if (!action->shortcut().isEmpty()) {
            table +=
                row(action->shortcut().toString(QKeySequence::NativeText), action->statusTip());
        }
    }
    return QStringLiteral("<table>%1</table>").arg(table);
}

void HelpWindow::retranslate()
{
    setWindowTitle(tr("Help"));
    text_->setAccessibleName(tr("Help"));
    text_->setHtml(
        section(tr("Filters"), filterText()) +
        section(tr("Acting on jobs"),
                paragraph(tr("An action applies to exactly what is selected. Select All Matching "
                             "takes every job that the filter finds, on the screen or not; single "
                             "rows can be taken out again.")) +
                    paragraph(tr("Moving to the trash, holding and rescheduling can be undone. "
                                 "Deleting for good cannot, and asks first."))) +
        section(tr("The other pages"),
                paragraph(tr("Topics shows what waits in each topic and how late it is, and pauses "
                             "topics. Monitor draws rates, backlog and lateness from the moment of "
                             "connecting on, and what went in and out before as the journal "
                             "has it; what nobody knows stays a gap. Audit lists what people "
                             "changed."))) +
        section(tr("Keys"), keysText()));
}

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent)
{
    setObjectName(QStringLiteral("aboutDialog"));
    setWindowTitle(tr("About Restante"));
    auto* drawing = new QLabel(this);
    const auto iconSize = fontMetrics().height() * 3;
    drawing->setPixmap(icon(QStringLiteral("view-list-details"))
                           .pixmap(QSize(iconSize, iconSize), devicePixelRatioF()));
    drawing->setAlignment(Qt::AlignTop);
    auto* name = new QLabel(tr("Restante Console"), this);
    auto large = name->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    large.setBold(true);
    name->setFont(large);
    const auto version = QString::fromStdString(std::string(restante::version()));
    auto* text = new QLabel(
        tr("Version %1, on Qt %2 (built with %3)")
                .arg(version, QString::fromLatin1(qVersion()), QStringLiteral(QT_VERSION_STR)) +
            QStringLiteral("\n\n") + tr("Looks at the jobs of a Restante store, and steers them.") +
            QStringLiteral("\n\n") + tr("It is made with:") +
            QStringLiteral("\n  Qt 6 - LGPL 3\n  QtKeychain - BSD, 3 clauses\n  hiredis - BSD, "
                           "3 clauses\n  OpenSSL 3 - Apache 2.0\n  SOCI - Boost 1.0\n  "
                           "nlohmann/json - MIT\n  spdlog, fmt, toml++ - MIT\n  CLI11 - BSD, "
                           "3 clauses\n  tl::expected - CC0"),
        this);
    text->setTextFormat(Qt::PlainText);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* textColumn = new QVBoxLayout;
    textColumn->addWidget(name);
    textColumn->addWidget(text, 1);
    auto* top = new QHBoxLayout;
    top->setSpacing(16);
    top->addWidget(drawing);
    top->addLayout(textColumn, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addLayout(top, 1);
    column->addWidget(buttons);
}

}  // namespace restante::gui
