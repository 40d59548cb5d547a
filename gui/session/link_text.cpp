#include "gui/session/link_text.h"

#include <QCoreApplication>

namespace restante::gui {

namespace {

struct LinkText {
    Q_DECLARE_TR_FUNCTIONS(LinkText)
};

QString text(const std::string& bytes)
{
    return QString::fromStdString(bytes);
}

QString named(const std::string& user)
{
    return user.empty() ? LinkText::tr("the default user") : LinkText::tr("“%1”").arg(text(user));
}

/// Of the certificate that is shown to us.
QString certificateSentence(const redis::TlsError& fault, const QString& where)
{
    using Kind = redis::TlsError::Kind;
    const auto detail = text(fault.detail);
    switch (fault.kind) {
    case Kind::UnknownIssuer:
        return LinkText::tr("The certificate of %1 was issued by “%2”, which is not known here. "
                            "Enter the certificate of that authority in the connection.")
            .arg(where, detail);
    case Kind::Expired:
        return LinkText::tr("The certificate of %1 has expired (on %2). It has to be renewed "
                            "there.")
            .arg(where, detail);
    case Kind::NotYetValid:
        return LinkText::tr("The certificate of %1 is not valid before %2. Compare the clocks of "
                            "both machines.")
            .arg(where, detail);
    case Kind::WrongName:
        return LinkText::tr("The certificate of %1 is for %2, not for %3. Correct the host, or "
                            "enter the name it has to bear.")
            .arg(where, detail, text(fault.object));
    case Kind::BadCertificate:
        return LinkText::tr("The certificate of %1 cannot be believed: %2.").arg(where, detail);
    default: return {};
    }
}

QString tlsSentence(const redis::TlsError& fault, const QString& where)
{
    using Kind = redis::TlsError::Kind;
    const auto detail = text(fault.detail);
    switch (fault.kind) {
    case Kind::NotTls:
        return LinkText::tr("What listens at %1 does not speak TLS. Switch TLS off, or enter the "
                            "port that has it.")
            .arg(where);
    case Kind::Silent:
        return LinkText::tr("What listens at %1 does not answer the TLS greeting. Perhaps it does "
                            "not speak TLS: switch TLS off, or enter the port that has it.")
            .arg(where);
    case Kind::Wanted:
        return LinkText::tr("%1 wants a certificate of yours. Enter its file and that of its key.")
            .arg(where);
    case Kind::NotBelieved:
        return LinkText::tr("%1 refuses your certificate (%2). Ask who runs it for another one.")
            .arg(where, detail);
    case Kind::TooOld:
        return LinkText::tr("%1 speaks nothing newer than TLS 1.1, which is not safe any more.")
            .arg(where);
    case Kind::File:
        return LinkText::tr("The file %1 cannot be used: %2.").arg(text(fault.object), detail);
    case Kind::Other: return LinkText::tr("TLS with %1 failed: %2.").arg(where, detail);
    default: return certificateSentence(fault, where);
    }
}

/// Of what keeps us from getting there at all.
QString roadSentence(const LinkProblem& problem)
{
    using Kind = LinkProblem::Kind;
    const auto object = text(problem.object);
    const auto detail = text(problem.detail);
    switch (problem.kind) {
    case Kind::BadConfiguration:
        return LinkText::tr("The configuration %1 cannot be used: %2").arg(object, detail);
    case Kind::BadAddress: return LinkText::tr("The address cannot be read: %1").arg(detail);
    case Kind::NoSuchSocket:
        return LinkText::tr("There is no socket %1. Is the daemon running, and is this its "
                            "configuration?")
            .arg(object);
    case Kind::UnknownHost:
        return LinkText::tr("The host %1 is not known (%2). Check its name, and the network.")
            .arg(object, detail);
    case Kind::Refused:
        return LinkText::tr("Nobody listens at %1. Is Redis running there, and is the port right?")
            .arg(object);
    case Kind::TimedOut:
        return LinkText::tr("%1 did not answer in time. A firewall may be in the way, or Redis is "
                            "overloaded.")
            .arg(object);
    case Kind::Unreachable: return LinkText::tr("%1 cannot be reached: %2.").arg(object, detail);
    case Kind::NotRedis:
        return LinkText::tr("What listens at %1 does not talk like Redis. Is it another service, "
                            "or is the port another one's?")
            .arg(object);
    case Kind::WantsTls:
        return LinkText::tr("What listens at %1 hangs up without a word. If it wants TLS, switch "
                            "TLS on in the connection.")
            .arg(object);
    case Kind::Unverified:
        return LinkText::tr("Whoever answers at %1 is believed, and could read and change "
                            "everything. Switch the verification on, and name the authority that "
                            "issued the certificate.")
            .arg(object);
    case Kind::Tls: return tlsSentence(problem.tls, object);
    case Kind::NoMaster:
        return LinkText::tr("No sentinel knows the master “%1” (%2). Check its name, and the "
                            "addresses of the sentinels.")
            .arg(object, detail);
    case Kind::NoNode:
        return LinkText::tr("The Redis Cluster cannot be entered: %1. Check the addresses of its "
                            "nodes.")
            .arg(detail);
    default: return {};
    }
}

/// Of the machine that the way goes through.
QString jumpSentence(const LinkProblem& problem)
{
    using Kind = LinkProblem::Kind;
    const auto object = text(problem.object);
    const auto detail = text(problem.detail);
    switch (problem.kind) {
    case Kind::NoSsh:
        return LinkText::tr("The program ssh cannot be started (%1). Install OpenSSH's client.")
            .arg(detail);
    case Kind::UnknownJumpHost:
        return LinkText::tr("The host %1 that the tunnel goes through is not known (%2). Check its "
                            "name, and the network.")
            .arg(object, detail);
    case Kind::JumpUnreachable:
        return LinkText::tr("%1, which the tunnel goes through, cannot be reached: %2.")
            .arg(object, detail);
    case Kind::JumpSilent:
        return LinkText::tr("%1 has not let ssh in within half a minute. Does an agent or a "
                            "security key wait for you?")
            .arg(object);
    case Kind::HostKeyUnknown:
        return LinkText::tr("ssh does not know the key of %1 yet, or may not trust it. Log in "
                            "there once in a terminal, compare the key, and accept it.")
            .arg(object);
    case Kind::HostKeyChanged:
        return LinkText::tr("%1 shows another key than the one that ssh knows. Somebody may listen "
                            "in: ask who runs it, before you remove the old key.")
            .arg(object);
    case Kind::KeyRefused:
        return LinkText::tr("%1 lets nobody in with the keys that ssh has here. Enter the right "
                            "user and key, or add the key to ssh's agent: a passphrase cannot be "
                            "asked for.")
            .arg(object);
    case Kind::NoKeyFile: return LinkText::tr("The key %1 cannot be read: %2.").arg(object, detail);
    case Kind::TunnelFailed:
        return detail.isEmpty()
                   ? LinkText::tr("The tunnel through %1 could not be opened.").arg(object)
                   : LinkText::tr("The tunnel through %1 could not be opened: %2")
                         .arg(object, detail);
    case Kind::TunnelLost:
        return detail.isEmpty()
                   ? LinkText::tr("The tunnel through %1 was lost.").arg(object)
                   : LinkText::tr("The tunnel through %1 was lost: %2").arg(object, detail);
    default: return {};
    }
}

/// Of a tunnel that cannot be asked for, and of what is at its other end.
QString tunnelSentence(const LinkProblem& problem)
{
    using Kind = LinkProblem::Kind;
    const auto object = text(problem.object);
    const auto detail = text(problem.detail);
    switch (problem.kind) {
    case Kind::BadJumpHost:
        return LinkText::tr("“%1” is no host for a tunnel. Enter [user@]host[:port], of letters, "
                            "digits, dots, underscores and hyphens, not beginning with a hyphen.")
            .arg(object);
    case Kind::BadKeyFile:
        return LinkText::tr("“%1” is no file for a key. Enter its whole path, or one that begins "
                            "with ~/, without quotes, colons, brackets, %, $ and \\.")
            .arg(object);
    case Kind::NoTunnelForSentinels:
        return LinkText::tr("Sentinels and clusters cannot be reached through a tunnel: the "
                            "addresses they give are not those of its end. Enter the host of the "
                            "master itself, or leave the tunnel out.");
    case Kind::BadTunnelTarget:
        return LinkText::tr("%1 cannot be the end of a tunnel. Enter a host of letters, digits, "
                            "dots and hyphens, or the whole path of a socket.")
            .arg(object);
    case Kind::BehindRefused:
        return LinkText::tr("The tunnel is open, but nobody listens at %1 behind %2. Is Redis "
                            "running there, and is the port right?")
            .arg(object, detail);
    case Kind::BehindForbidden:
        return LinkText::tr("The tunnel is open, but %2 does not let it go on to %1 "
                            "(AllowTcpForwarding, PermitOpen). Ask who runs it.")
            .arg(object, detail);
    case Kind::BehindNoSocket:
        return LinkText::tr("The tunnel is open, but the socket %1 cannot be reached there (%2). "
                            "Is Redis running, and may you use the socket?")
            .arg(object, detail);
    case Kind::BehindUnreachable:
        return LinkText::tr("The tunnel is open, but %1 cannot be reached behind it (%2).")
            .arg(object, detail);
    default: return jumpSentence(problem);
    }
}

/// Of who we are there.
QString loginSentence(const LinkProblem& problem)
{
    using Kind = LinkProblem::Kind;
    const auto object = text(problem.object);
    const auto detail = text(problem.detail);
    switch (problem.kind) {
    case Kind::PasswordMissing:
        return LinkText::tr("Redis wants a password. Enter one in the connection.");
    case Kind::PasswordWrong:
        return LinkText::tr("Redis refused the password of %1. Check user and password.")
            .arg(named(problem.object));
    case Kind::PasswordUnasked:
        return LinkText::tr("Redis has no password for the default user, but one was given. Leave "
                            "it out, or name the user it belongs to.");
    case Kind::NoPermission:
        return LinkText::tr("%1 may not do this in Redis (%2). Ask for the permission, or log in "
                            "as another user.")
            .arg(named(problem.object), detail);
    case Kind::NoDatabase:
        return LinkText::tr("Redis has no database %1. Correct the number in the address.")
            .arg(object);
    case Kind::Secret:
        return LinkText::tr("The password could not be read from the keychain: %1").arg(detail);
    default: return {};
    }
}

/// Of what is there.
QString storeSentence(const LinkProblem& problem)
{
    using Kind = LinkProblem::Kind;
    const auto object = text(problem.object);
    const auto detail = text(problem.detail);
    switch (problem.kind) {
    case Kind::Loading: return LinkText::tr("Redis is still loading its data. Wait a moment.");
    case Kind::TooOld:
        return LinkText::tr("Redis %1 is too old: Restante needs 7.0 or newer.").arg(object);
    case Kind::Cluster:
        return LinkText::tr(
            "This is a node of a Redis Cluster. Let the connection be reached by the "
            "nodes of a cluster, and name some of them.");
    case Kind::Evicts:
        return LinkText::tr("Redis throws data away when it is full (maxmemory-policy %1). Set it "
                            "to noeviction.")
            .arg(object);
    case Kind::ForeignData:
        return LinkText::tr("The keys that begin with “%1” are not Restante's. Check the prefix.")
            .arg(object);
    case Kind::SchemaNewer:
        return LinkText::tr("The store has schema %1, which is newer than this console knows "
                            "(%2): it is only shown. Update the console to change it.")
            .arg(object, detail);
    case Kind::SchemaOlder:
        return LinkText::tr("The store has schema %1, which is older than this console knows "
                            "(%2): it is only shown. Start the new daemon to bring it up to date.")
            .arg(object, detail);
    case Kind::Unused:
        return LinkText::tr("No daemon has used the prefix “%1” here yet, so nothing can be "
                            "changed. Check the prefix, or start the daemon first.")
            .arg(object);
    case Kind::Lost: return LinkText::tr("The connection to %1 was lost.").arg(object);
    case Kind::Replica:
        return LinkText::tr("This Redis is a replica and takes no writes. Connect to its master, "
                            "%1, to change anything.")
            .arg(object);
    case Kind::NoJournal:
        return LinkText::tr("This connection names no journal, so there is no history. Enter its "
                            "address in the connection.");
    case Kind::JournalOff:
        return LinkText::tr("The daemon keeps no journal (journal.mode is off), so there is no "
                            "history.");
    case Kind::NoJournalFile:
        return LinkText::tr("There is no journal at %1. Check its address in the connection.")
            .arg(object);
    default: return detail;
    }
}

}  // namespace

QString linkSentence(const LinkProblem& problem)
{
    if (problem.isNone()) {
        return {};
    }
    auto sentence = roadSentence(problem);
    if (sentence.isEmpty()) {
        sentence = tunnelSentence(problem);
    }
    if (sentence.isEmpty()) {
        sentence = loginSentence(problem);
    }
    return sentence.isEmpty() ? storeSentence(problem) : sentence;
}

QString restoringSentence(const redis::Restoring& restoring)
{
    using Why = redis::Restoring::Why;
    const auto progress = [&restoring](const QString& sentence) {
        return restoring.of == 0 ? sentence
                                 : LinkText::tr("%1 %2 of %3 jobs were looked at.")
                                       .arg(sentence)
                                       .arg(restoring.done)
                                       .arg(restoring.of);
    };
    switch (restoring.why) {
    case Why::Lost:
        return progress(LinkText::tr("Redis has lost the store: nothing is served before the "
                                     "journal has brought it back."));
    case Why::RolledBack:
        return progress(LinkText::tr("Redis has lost its newest writes: nothing is served before "
                                     "the journal has brought them back."));
    case Why::Foreign: break;
    }
    return LinkText::tr("The journal belongs to another store than this Redis: no daemon serves "
                        "it. Give it a journal of its own (journal.url).");
}

QString linkStepDoing(LinkStep step)
{
    switch (step) {
    case LinkStep::Configuration: return LinkText::tr("Reading the configuration…");
    case LinkStep::Tunnel: return LinkText::tr("Opening the tunnel…");
    case LinkStep::Sentinel: return LinkText::tr("Asking the sentinels…");
    case LinkStep::Resolve: return LinkText::tr("Looking the host up…");
    case LinkStep::Connect: return LinkText::tr("Connecting…");
    case LinkStep::Tls: return LinkText::tr("Looking at the certificate…");
    case LinkStep::LogIn: return LinkText::tr("Logging in…");
    case LinkStep::Ping: return LinkText::tr("Waiting for an answer…");
    case LinkStep::Server: return LinkText::tr("Looking at the server…");
    case LinkStep::Schema: return LinkText::tr("Looking for the store…");
    case LinkStep::Permissions: return LinkText::tr("Looking at the permissions…");
    case LinkStep::Journal: return LinkText::tr("Looking for the journal…");
    case LinkStep::Cluster: return LinkText::tr("Asking the nodes of the cluster…");
    }
    return {};
}

QString linkStepName(LinkStep step)
{
    switch (step) {
    case LinkStep::Configuration: return LinkText::tr("Configuration");
    case LinkStep::Tunnel: return LinkText::tr("Ssh tunnel");
    case LinkStep::Sentinel: return LinkText::tr("Sentinels");
    case LinkStep::Resolve: return LinkText::tr("Host name");
    case LinkStep::Connect: return LinkText::tr("Connection");
    case LinkStep::Tls: return LinkText::tr("TLS");
    case LinkStep::LogIn: return LinkText::tr("Log-in");
    case LinkStep::Ping: return LinkText::tr("Answer");
    case LinkStep::Server: return LinkText::tr("Server");
    case LinkStep::Schema: return LinkText::tr("Store");
    case LinkStep::Permissions: return LinkText::tr("Permissions");
    case LinkStep::Journal: return LinkText::tr("Journal");
    case LinkStep::Cluster: return LinkText::tr("Cluster");
    }
    return {};
}

}  // namespace restante::gui
