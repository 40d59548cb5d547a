#pragma once

struct msg_mclass_s;

namespace restante::sip {

/// sofia's SIP parser with a request line of our own, for NTATAG_MCLASS.
///
/// sofia drops a request silently when it cannot read its Request-URI, and answers one of another
/// SIP version before it has looked at the Via: to the host named there, after a blocking look-up
/// of its name. With this parser both pass to the agent's handler, as ReceivedRequest with the text
/// of the line as it was written, and are answered where they came from. Any thread; never freed.
const msg_mclass_s* tolerantMessageClass();

}  // namespace restante::sip
