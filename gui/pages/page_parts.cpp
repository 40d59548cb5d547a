#include "gui/pages/page_parts.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

namespace restante::gui {

namespace {

class LanguageWatch : public QObject {
public:
    LanguageWatch(QWidget* widget, std::function<void()> retranslate)
        : QObject(widget),
          retranslate_(std::move(retranslate))
    {
        widget->installEventFilter(this);
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::LanguageChange) {
            retranslate_();
        }
        return QObject::eventFilter(watched, event);
    }

private:
    std::function<void()> retranslate_;
};

}  // namespace

QLabel* plainLabel(QWidget* parent, const char* name)
{
    auto* label = makeWidget<QLabel>(name, parent);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel* wrappedLabel(QWidget* parent, const char* name)
{
    auto* label = plainLabel(parent, name);
    label->setWordWrap(true);
    return label;
}

QVBoxLayout* tightColumn(QWidget* owner)
{
    auto* column = new QVBoxLayout(owner);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

void onLanguageChange(QWidget* widget, std::function<void()> retranslate)
{
    new LanguageWatch(widget, std::move(retranslate));
}

QFileDialog* fileDialog(const FileQuestion& question,
                        QWidget* parent,
                        const std::function<void(const QString& file)>& then)
{
    auto* dialog = makeWidget<QFileDialog>(question.name, parent, question.title, question.start,
                                           question.filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(question.mode);
    dialog->setDefaultSuffix(question.suffix);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, then);
    return dialog;
}

void resizeColumns(QTableView& table, const std::vector<int>& letters)
{
    const auto letter = table.fontMetrics().averageCharWidth();
    for (std::size_t at = 0; at < letters.size(); ++at) {
        table.horizontalHeader()->resizeSection(static_cast<int>(at), letters[at] * letter);
    }
}

}  // namespace restante::gui
