#pragma once

#include <string>
#include <vector>

namespace restante::architecture {

/// A file of the tree, or a part of one, that is made from the catalogues of keys and metrics.
struct GeneratedDocument {
    std::string file;     ///< relative to the checkout
    std::string content;  ///< the whole file as it should be
};

/// All of them: the tables of docs/operations.md between their marks, the manual page
/// restante.toml(5), and the packaged configuration. Fails the test, by throwing, when a file that
/// is generated in part cannot be read or lacks a mark.
std::vector<GeneratedDocument> generatedDocuments();

}  // namespace restante::architecture
