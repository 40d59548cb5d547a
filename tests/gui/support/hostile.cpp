#include "tests/gui/support/hostile.h"

#include "tests/gui/support/wait.h"

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QMessageBox>
#include <QTextDocument>
#include <QTextEdit>
#include <QToolTip>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace restante::gui::test {

namespace {

/// Both as it came and as it looks when it has been escaped for rich text.
bool mentions(const QString& text, const QString& markup)
{
    return text.contains(markup) || text.contains(markup.toHtmlEscaped());
}

bool isLiteral(const QString& text, const QString& markup, bool isPlain)
{
    return !mentions(text, markup) || asRead(text, isPlain).contains(markup);
}

QString nameOf(const QObject& object)
{
    return QStringLiteral("%1 %2").arg(QString::fromLatin1(object.metaObject()->className()),
                                       object.objectName());
}

void lookAtModel(const QAbstractItemView& view, const QString& markup, QStringList& found)
{
    const auto* model = view.model();
    // Some hundreds are enough: they are all made by the same formula.
    const int rows = model == nullptr ? 0 : std::min(model->rowCount(), 200);
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < model->columnCount(); ++column) {
            const auto index = model->index(row, column);
            for (const auto role : {Qt::StatusTipRole, Qt::WhatsThisRole}) {
                if (!isLiteral(index.data(role).toString(), markup, false)) {
                    found.append(nameOf(view) +
                                 QStringLiteral(" row %1 column %2").arg(row).arg(column));
                }
            }
        }
    }
}

bool isLiteralWidget(QWidget& widget, const QString& markup)
{
    if (const auto* box = qobject_cast<QMessageBox*>(&widget)) {
        return isLiteral(box->text(), markup, box->textFormat() == Qt::PlainText) &&
               isLiteral(box->informativeText(), markup, box->textFormat() == Qt::PlainText);
    }
    if (const auto* label = qobject_cast<QLabel*>(&widget)) {
        return isLiteral(label->text(), markup, label->textFormat() == Qt::PlainText);
    }
    if (const auto* text = qobject_cast<QTextEdit*>(&widget)) {
        return !mentions(text->toHtml(), markup) || text->toPlainText().contains(markup);
    }
    return true;
}

}  // namespace

Bait::Bait()
{
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* place = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || ::bind(socket_, place, size) != 0 || ::listen(socket_, 8) != 0 ||
        ::getsockname(socket_, place, &size) != 0) {
        throw std::runtime_error("no socket on the loopback");
    }
    port_ = ntohs(address.sin_port);
}

Bait::~Bait()
{
    ::close(socket_);
}

std::string Bait::markup() const
{
    return "<b>x</b><img src=http://127.0.0.1:" + std::to_string(port_) + "/x.png>";
}

bool Bait::taken() const
{
    const int visitor = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (visitor < 0) {
        return false;
    }
    ::close(visitor);
    return true;
}

QString asRead(const QString& shown, bool isPlain)
{
    if (isPlain || !Qt::mightBeRichText(shown)) {
        return shown;
    }
    QTextDocument document;
    document.setHtml(shown);
    return document.toPlainText();
}

QStringList notLiteral(const QString& markup)
{
    QStringList found;
    const auto tip = [&](const QObject& of, const QString& text) {
        if (!isLiteral(text, markup, false)) {
            found.append(nameOf(of) + QStringLiteral(" tip: ") + text);
        }
    };
    for (auto* widget : QApplication::allWidgets()) {
        if (!isLiteralWidget(*widget, markup)) {
            found.append(nameOf(*widget));
        }
        tip(*widget, widget->toolTip());
        tip(*widget, widget->statusTip());
        tip(*widget, widget->whatsThis());
        for (const auto* action : widget->actions()) {
            tip(*action, action->toolTip());
            tip(*action, action->statusTip());
        }
        if (const auto* view = qobject_cast<QAbstractItemView*>(widget)) {
            lookAtModel(*view, markup, found);
        }
    }
    found.removeDuplicates();
    return found;
}

QStringList notLiteralTips(const QWidget& root, const QString& markup)
{
    QStringList found;
    for (auto* view : root.findChildren<QAbstractItemView*>()) {
        if (!view->isVisible() || qobject_cast<QHeaderView*>(view) != nullptr) {
            continue;
        }
        auto* port = view->viewport();
        for (int y = 4; y < port->height(); y += std::max(8, view->sizeHintForRow(0))) {
            for (int x = 4; x < port->width(); x += 24) {
                const QPoint at(x, y);
                QHelpEvent rests(QEvent::ToolTip, at, port->mapToGlobal(at));
                QCoreApplication::sendEvent(port, &rests);
                const auto text = QToolTip::text();
                if (!isLiteral(text, markup, false)) {
                    found.append(nameOf(*view) + QStringLiteral(": ") + text);
                }
            }
        }
    }
    QToolTip::hideText();
    found.removeDuplicates();
    return found;
}

}  // namespace restante::gui::test
