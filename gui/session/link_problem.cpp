#include "gui/session/link_problem.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>

namespace restante::gui {

namespace {

struct LinkText {
    Q_DECLARE_TR_FUNCTIONS(LinkText)

public:
    using Link = LinkProblem::Kind;
    using Probe = redis::ProbeProblem::Kind;
    using Tls = redis::TlsError::Kind;
    /// The values of %1 and %2 in the sentence.
    enum Placeholders { Nothing, Object, Detail, ObjectDetail, User, UserDetail };
    template <class Kind>
    struct Sentence {
        Kind kind;
        Placeholders placeholders;
        const char* text;
    };
    struct Step {
        LinkStep step;
        const char* activity;
        const char* name;
    };

    static constexpr Sentence<Link> kSentences[] = {
        {Link::BadConfiguration, ObjectDetail,
         QT_TR_NOOP("The configuration %1 cannot be used: %2")},
        {Link::BadAddress, Detail, QT_TR_NOOP("The address cannot be read: %1")},
        {Link::NoSsh, Detail,
         QT_TR_NOOP("The program ssh cannot be started (%1). Install OpenSSH's client.")},
        {Link::UnknownJumpHost, ObjectDetail,
         QT_TR_NOOP("The host %1 that the tunnel goes through is not known (%2). Check its name, "
                    "and the network.")},
        {Link::JumpUnreachable, ObjectDetail,
         QT_TR_NOOP("%1, which the tunnel goes through, cannot be reached: %2.")},
        {Link::JumpSilent, Object,
         QT_TR_NOOP("%1 has not let ssh in within half a minute. Does an agent or a security key "
                    "wait for you?")},
        {Link::HostKeyUnknown, Object,
         QT_TR_NOOP("ssh does not know the key of %1 yet, or may not trust it. Log in there once "
                    "in a terminal, compare the key, and accept it.")},
        {Link::HostKeyChanged, Object,
         QT_TR_NOOP("%1 shows another key than the one that ssh knows. Somebody may listen in: ask "
                    "who runs it, before you remove the old key.")},
        {Link::KeyRefused, Object,
         QT_TR_NOOP("%1 lets nobody in with the keys that ssh has here. Enter the right user and "
                    "key, or add the key to ssh's agent: a passphrase cannot be asked for.")},
        {Link::NoKeyFile, ObjectDetail, QT_TR_NOOP("The key %1 cannot be read: %2.")},
        {Link::BadJumpHost, Object,
         QT_TR_NOOP("“%1” is no host for a tunnel. Enter [user@]host[:port], of letters, digits, "
                    "dots, underscores and hyphens, not beginning with a hyphen.")},
        {Link::BadKeyFile, Object,
         QT_TR_NOOP("“%1” is no file for a key. Enter its whole path, or one that begins with ~/, "
                    "without quotes, colons, brackets, %, $ and \\.")},
        {Link::NoTunnelForSentinels, Nothing,
         QT_TR_NOOP("Sentinels and clusters cannot be reached through a tunnel: the addresses they "
                    "give are not those of its end. Enter the host of the master itself, or leave "
                    "the tunnel out.")},
        {Link::BadTunnelTarget, Object,
         QT_TR_NOOP("%1 cannot be the end of a tunnel. Enter a host of letters, digits, dots and "
                    "hyphens, or the whole path of a socket.")},
        {Link::TargetRefused, ObjectDetail,
         QT_TR_NOOP("The tunnel is open, but nobody listens at %1 behind %2. Is Redis running "
                    "there, and is the port right?")},
        {Link::TargetForbidden, ObjectDetail,
         QT_TR_NOOP("The tunnel is open, but %2 does not let it go on to %1 (AllowTcpForwarding, "
                    "PermitOpen). Ask who runs it.")},
        {Link::TargetSocketFailed, ObjectDetail,
         QT_TR_NOOP("The tunnel is open, but the socket %1 cannot be reached there (%2). Is Redis "
                    "running, and may you use the socket?")},
        {Link::TargetUnreachable, ObjectDetail,
         QT_TR_NOOP("The tunnel is open, but %1 cannot be reached behind it (%2).")},
        {Link::Secret, Detail, QT_TR_NOOP("The password could not be read from the keychain: %1")},
        {Link::Lost, Object, QT_TR_NOOP("The connection to %1 was lost.")},
        {Link::NoJournal, Nothing,
         QT_TR_NOOP("This connection names no journal, so there is no history. Enter its address "
                    "in the connection.")},
        {Link::JournalOff, Nothing,
         QT_TR_NOOP("The daemon keeps no journal (journal.mode is off), so there is no history.")},
        {Link::NoJournalFile, Object,
         QT_TR_NOOP("There is no journal at %1. Check its address in the connection.")},
        {Link::ColdJobsWithoutJournal, Nothing,
         QT_TR_NOOP(
             "Jobs that are due in a long while are in the journal alone "
             "(queue.hot_horizon), and this connection has none: they are not shown, counted "
             "or changed, and nobody knows how many they are. Enter the journal's address in "
             "the connection.")},
        {Link::ColdJobsOfAnother, Object,
         QT_TR_NOOP("Jobs that are due in a long while are in the journal alone "
                    "(queue.hot_horizon), and %1 is the journal of another store: they are not "
                    "shown, counted or changed, and nobody knows how many they are. Correct the "
                    "journal's address in the connection.")},
        {Link::ColdJobsUnread, Detail,
         QT_TR_NOOP(
             "Jobs that are due in a long while are in the journal alone "
             "(queue.hot_horizon), which cannot be read (%1): they are not shown, counted or "
             "changed, and nobody knows how many they are. Start its database, or correct "
             "its address in the connection, and connect again.")},
    };
    static constexpr Sentence<Probe> kProbeSentences[] = {
        {Probe::NoSuchSocket, Object,
         QT_TR_NOOP(
             "There is no socket %1. Is the daemon running, and is this its configuration?")},
        {Probe::SocketForbidden, Object,
         QT_TR_NOOP("This user may not use the socket %1. Start the console as the daemon's user, "
                    "or ask for the permission.")},
        {Probe::UnknownHost, ObjectDetail,
         QT_TR_NOOP("The host %1 is not known (%2). Check its name, and the network.")},
        {Probe::Refused, Object,
         QT_TR_NOOP("Nobody listens at %1. Is Redis running there, and is the port right?")},
        {Probe::TimedOut, Object,
         QT_TR_NOOP(
             "%1 did not answer in time. A firewall may be in the way, or Redis is overloaded.")},
        {Probe::Unreachable, ObjectDetail, QT_TR_NOOP("%1 cannot be reached: %2.")},
        {Probe::NotRedis, Object,
         QT_TR_NOOP("What listens at %1 does not talk like Redis. Is it another service, or is the "
                    "port another one's?")},
        {Probe::WantsTls, Object,
         QT_TR_NOOP("What listens at %1 hangs up without a word. If it wants TLS, switch TLS on in "
                    "the connection.")},
        {Probe::Unverified, Object,
         QT_TR_NOOP(
             "Whoever answers at %1 is believed, and could read and change everything. Switch the "
             "verification on, and name the authority that issued the certificate.")},
        {Probe::NoMaster, ObjectDetail,
         QT_TR_NOOP("No sentinel knows the master “%1” (%2). Check its name, and the addresses of "
                    "the sentinels.")},
        {Probe::NoNode, Detail,
         QT_TR_NOOP("The Redis Cluster cannot be entered: %1. Check the addresses of its nodes.")},
        {Probe::PasswordMissing, Nothing,
         QT_TR_NOOP("Redis wants a password. Enter one in the connection.")},
        {Probe::PasswordWrong, User,
         QT_TR_NOOP("Redis refused the password of %1. Check user and password.")},
        {Probe::PasswordUnasked, Nothing,
         QT_TR_NOOP("Redis has no password for the default user, but one was given. Leave it out, "
                    "or name the user it belongs to.")},
        {Probe::NoPermission, UserDetail,
         QT_TR_NOOP("%1 may not do this in Redis (%2). Ask for the permission, or log in as "
                    "another user.")},
        {Probe::NoDatabase, Object,
         QT_TR_NOOP("Redis has no database %1. Correct the number in the address.")},
        {Probe::Loading, Nothing, QT_TR_NOOP("Redis is still loading its data. Wait a moment.")},
        {Probe::TooOld, Object, QT_TR_NOOP("Redis %1 is too old: Restante needs 7.0 or newer.")},
        {Probe::Cluster, Nothing,
         QT_TR_NOOP("This is a node of a Redis Cluster. Let the connection be reached by the nodes "
                    "of a cluster, and name some of them.")},
        {Probe::Evicts, Object,
         QT_TR_NOOP("Redis throws data away when it is full (maxmemory-policy %1). Set it to "
                    "noeviction.")},
        {Probe::ForeignData, Object,
         QT_TR_NOOP("The keys that begin with “%1” are not Restante's. Check the prefix.")},
        {Probe::SchemaNewer, ObjectDetail,
         QT_TR_NOOP("The store has schema %1, which is newer than this console knows (%2): it is "
                    "only shown. Update the console to change it.")},
        {Probe::SchemaOlder, ObjectDetail,
         QT_TR_NOOP("The store has schema %1, which is older than this console knows (%2): it is "
                    "only shown. Start the new daemon to bring it up to date.")},
        {Probe::Unused, Object,
         QT_TR_NOOP("No daemon has used the prefix “%1” here yet, so nothing can be changed. Check "
                    "the prefix, or start the daemon first.")},
        {Probe::Replica, Object,
         QT_TR_NOOP("This Redis is a replica and takes no writes. Connect to its master, %1, to "
                    "change anything.")},
    };
    /// The object is the address of the server.
    static constexpr Sentence<Tls> kTlsSentences[] = {
        {Tls::UnknownIssuer, ObjectDetail,
         QT_TR_NOOP("The certificate of %1 was issued by “%2”, which is not known here. Enter the "
                    "certificate of that authority in the connection.")},
        {Tls::Expired, ObjectDetail,
         QT_TR_NOOP("The certificate of %1 has expired (on %2). It has to be renewed there.")},
        {Tls::NotYetValid, ObjectDetail,
         QT_TR_NOOP(
             "The certificate of %1 is not valid before %2. Compare the clocks of both machines.")},
        {Tls::BadCertificate, ObjectDetail,
         QT_TR_NOOP("The certificate of %1 cannot be believed: %2.")},
        {Tls::NotTls, Object,
         QT_TR_NOOP("What listens at %1 does not speak TLS. Switch TLS off, or enter the port that "
                    "has it.")},
        {Tls::Silent, Object,
         QT_TR_NOOP("What listens at %1 does not answer the TLS greeting. Perhaps it does not "
                    "speak TLS: switch TLS off, or enter the port that has it.")},
        {Tls::CertificateRequired, Object,
         QT_TR_NOOP("%1 wants a certificate of yours. Enter its file and that of its key.")},
        {Tls::CertificateRefused, ObjectDetail,
         QT_TR_NOOP("%1 refuses your certificate (%2). Ask who runs it for another one.")},
        {Tls::TooOld, Object,
         QT_TR_NOOP("%1 speaks nothing newer than TLS 1.1, which is not safe any more.")},
        {Tls::Other, ObjectDetail, QT_TR_NOOP("TLS with %1 failed: %2.")},
    };
    static constexpr Step kSteps[] = {
        {LinkStep::Configuration, QT_TR_NOOP("Reading the configuration…"),
         QT_TR_NOOP("Configuration")},
        {LinkStep::Tunnel, QT_TR_NOOP("Opening the tunnel…"), QT_TR_NOOP("Ssh tunnel")},
        {LinkStep::Sentinel, QT_TR_NOOP("Asking the sentinels…"), QT_TR_NOOP("Sentinels")},
        {LinkStep::Resolve, QT_TR_NOOP("Looking the host up…"), QT_TR_NOOP("Host name")},
        {LinkStep::Connect, QT_TR_NOOP("Connecting…"), QT_TR_NOOP("Connection")},
        {LinkStep::Tls, QT_TR_NOOP("Looking at the certificate…"), QT_TR_NOOP("TLS")},
        {LinkStep::LogIn, QT_TR_NOOP("Logging in…"), QT_TR_NOOP("Log-in")},
        {LinkStep::Ping, QT_TR_NOOP("Waiting for an answer…"), QT_TR_NOOP("Answer")},
        {LinkStep::Server, QT_TR_NOOP("Looking at the server…"), QT_TR_NOOP("Server")},
        {LinkStep::Schema, QT_TR_NOOP("Looking for the store…"), QT_TR_NOOP("Store")},
        {LinkStep::Permissions, QT_TR_NOOP("Looking at the permissions…"),
         QT_TR_NOOP("Permissions")},
        {LinkStep::Journal, QT_TR_NOOP("Looking for the journal…"), QT_TR_NOOP("Journal")},
        {LinkStep::Cluster, QT_TR_NOOP("Asking the nodes of the cluster…"), QT_TR_NOOP("Cluster")},
    };
};

QString textOf(const std::string& bytes)
{
    return QString::fromStdString(bytes);
}

QString userName(const std::string& user)
{
    return user.empty() ? LinkText::tr("the default user") : LinkText::tr("“%1”").arg(textOf(user));
}

template <class Kind, std::size_t n>
QString sentenceFor(const LinkText::Sentence<Kind> (&sentences)[n],
                    Kind kind,
                    const std::string& object,
                    const std::string& detail)
{
    const auto* found = std::find_if(std::begin(sentences), std::end(sentences),
                                     [kind](const auto& one) { return one.kind == kind; });
    if (found == std::end(sentences)) {
        return {};
    }
    const auto sentence = LinkText::tr(found->text);
    switch (found->placeholders) {
    case LinkText::Nothing: break;
    case LinkText::Object: return sentence.arg(textOf(object));
    case LinkText::Detail: return sentence.arg(textOf(detail));
    case LinkText::ObjectDetail: return sentence.arg(textOf(object), textOf(detail));
    case LinkText::User: return sentence.arg(userName(object));
    case LinkText::UserDetail: return sentence.arg(userName(object), textOf(detail));
    }
    return sentence;
}

QString tlsSentence(const redis::TlsError& error, const std::string& address)
{
    using Kind = redis::TlsError::Kind;
    const auto detail = textOf(error.detail);
    switch (error.kind) {
    case Kind::WrongName:
        return LinkText::tr("The certificate of %1 is for %2, not for %3. Correct the host, or "
                            "enter the name it has to bear.")
            .arg(textOf(address), detail, textOf(error.object));
    case Kind::File:
        return LinkText::tr("The file %1 cannot be used: %2.").arg(textOf(error.object), detail);
    default: return sentenceFor(LinkText::kTlsSentences, error.kind, address, error.detail);
    }
}

QString probeSentence(const redis::ProbeProblem& problem)
{
    if (problem.kind == redis::ProbeProblem::Kind::Tls) {
        return tlsSentence(problem.tls, problem.object);
    }
    const auto sentence =
        sentenceFor(LinkText::kProbeSentences, problem.kind, problem.object, problem.detail);
    return sentence.isEmpty() ? textOf(problem.detail) : sentence;
}

QString textOf(LinkStep step, const char* LinkText::Step::*text)
{
    const auto* found =
        std::find_if(std::begin(LinkText::kSteps), std::end(LinkText::kSteps),
                     [step](const LinkText::Step& one) { return one.step == step; });
    return found == std::end(LinkText::kSteps) ? QString() : LinkText::tr(found->*text);
}

}  // namespace

QString linkSentence(const LinkProblem& problem)
{
    using Kind = LinkProblem::Kind;
    const auto object = textOf(problem.object);
    const auto detail = textOf(problem.detail);
    switch (problem.kind) {
    case Kind::None: return {};
    case Kind::Redis: return probeSentence(problem.redis);
    case Kind::TunnelFailed:
        return detail.isEmpty()
                   ? LinkText::tr("The tunnel through %1 could not be opened.").arg(object)
                   : LinkText::tr("The tunnel through %1 could not be opened: %2")
                         .arg(object, detail);
    case Kind::TunnelLost:
        return detail.isEmpty()
                   ? LinkText::tr("The tunnel through %1 was lost.").arg(object)
                   : LinkText::tr("The tunnel through %1 was lost: %2").arg(object, detail);
    default: break;
    }
    const auto sentence =
        sentenceFor(LinkText::kSentences, problem.kind, problem.object, problem.detail);
    return sentence.isEmpty() ? detail : sentence;
}

QString notServedSentence(const redis::NotServed& notServed)
{
    using Why = redis::NotServed::Why;
    const auto withProgress = [&notServed](const QString& sentence) {
        return notServed.total == 0 ? sentence
                                    : LinkText::tr("%1 %2 of %3 jobs were looked at.")
                                          .arg(sentence)
                                          .arg(notServed.done)
                                          .arg(notServed.total);
    };
    switch (notServed.why) {
    case Why::Lost:
        return withProgress(LinkText::tr("Redis has lost the store: nothing is served before the "
                                         "journal has brought it back."));
    case Why::RolledBack:
        return withProgress(
            LinkText::tr("Redis has lost its newest writes: nothing is served before "
                         "the journal has brought them back."));
    case Why::Foreign: break;
    }
    return LinkText::tr("The journal belongs to another store than this Redis: no daemon serves "
                        "it. Give it a journal of its own (journal.url).");
}

QString linkStepActivity(LinkStep step)
{
    return textOf(step, &LinkText::Step::activity);
}

QString linkStepName(LinkStep step)
{
    return textOf(step, &LinkText::Step::name);
}

}  // namespace restante::gui
