#pragma once

namespace restante::test {

/// While this lives, threads that begin get no random numbers from OpenSSL, as on a machine whose
/// source of them fails. Threads that have had some go on. *One thread.*
class NoRandomNumbers {
public:
    NoRandomNumbers();
    NoRandomNumbers(const NoRandomNumbers&) = delete;
    NoRandomNumbers& operator=(const NoRandomNumbers&) = delete;
    ~NoRandomNumbers();
};

}  // namespace restante::test
