#pragma once

#include "core/queue/delay_queue.h"

#include <QString>
#include <QTimeZone>

#include <optional>
#include <string>

namespace restante::gui {

/// What somebody has typed to make a job. *Value.*
struct JobForm {
    QString id;  ///< empty = a generated one
    QString topic;
    Channel channel = Channel::Pull;
    QString recipient;
    QString sender;
    QString bizKey;
    QString contentType;
    QString headers;  ///< "Name: value", one a line
    std::string body;
    int priority = 5;
    QString ttr;                       ///< a duration; empty = 60 s
    QString expires;                   ///< a duration from now; empty = never
    QString retry;                     ///< empty = the channel's
    QString delay;                     ///< a duration; empty = at once
    std::optional<TimePoint> at = {};  ///< wins over delay
};

/// The push that the form asks for, checked as far as that can be done without the store. Invalid
/// begins with the field as the store calls it: "topic: ...". *Pure.*
Result<PushOrder> orderOf(const JobForm& form, TimePoint now);
/// A form that makes such a job again: without its id, due at once.
JobForm formOf(const JobView& view);

/// "topic" of "topic: is 1-128 ..."; empty when the message names none.
std::string fieldOf(const std::string& message);

}  // namespace restante::gui
