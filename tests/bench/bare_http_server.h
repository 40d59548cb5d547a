#pragma once

namespace restante::bench {

/// The reference for the HTTP rows: only Beast on one thread. It parses each body as JSON and
/// answers the same JSON as Restante would, and stores nothing.
///
/// Prints "ready PORT" on standard output and serves until it is killed.
int runBareHttpServer();

}  // namespace restante::bench
