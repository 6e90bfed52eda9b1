#include "kumiko/Pipeline/Provenance.h"
#include "kumiko/Support/EmitError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kumiko;

static constexpr llvm::StringLiteral digestKey = "model blake3:", allowKey = "allow ", withoutKey = "without ",
                                     dimKey = "dim ", backendKey = "back end ", fileKey = ", file ";

llvm::Expected<std::string> kumiko::provenanceOf(const ModelSource &source, const CompileOptions &options,
                                                 const Target &target) {
  auto digest = source.digest();
  if (!digest)
    return emitError(Code::CannotOpen, "cannot read " + printable(source.path) + ": " + digest.getError().message(),
                     "the file was there a moment ago; do not change it while it is compiled");
  std::string text =
      digestKey.str() + *digest + ", target " + target.describe() + ", " + allowKey.str() + nameOf(options.allow).str();
  for (const std::string &part : options.without)
    text += ", " + withoutKey.str() + part;
  if (!options.backend.empty())
    text += ", " + backendKey.str() + options.backend;
  if (!options.schedules.text.empty())
    text += ", schedule blake3:" + digestOf(options.schedules.text);
  std::vector<std::string> dims;
  for (const auto &dim : options.import.dims)
    dims.push_back(dim.getKey().str() + "=" + std::to_string(dim.getValue()));
  llvm::sort(dims);
  for (const std::string &dim : dims)
    text += ", " + dimKey.str() + printable(dim);
  return text + fileKey.str() + printable(source.fileName());
}

bool kumiko::readProvenance(llvm::StringRef provenance, CompileOptions &options, ProblemList &problems) {
  llvm::SmallVector<llvm::StringRef> words;
  provenance.split(fileKey).first.split(words, ", ");
  for (llvm::StringRef word : words) {
    if (word.consume_front(allowKey))
      options.allow = allowNamed(word).value_or(options.allow);
    else if (word.consume_front(withoutKey))
      options.without.push_back(word.str());
    else if (word.consume_front(backendKey))
      options.backend = word.str();
    else if (word.consume_front(dimKey) && !parseDim(word, options.import, problems))
      return false;
  }
  return true;
}

std::string kumiko::findSource(llvm::StringRef provenance, llvm::StringRef artefact, llvm::StringRef given,
                               ProblemList &problems) {
  llvm::StringRef digest = provenance.split(digestKey).second.split(',').first;
  // Only a name: an artefact from elsewhere must not make us open what it likes.
  llvm::StringRef name = llvm::sys::path::filename(provenance.split(fileKey).second);
  llvm::SmallVector<std::string, 2> places;
  if (!given.empty()) {
    places.push_back(given.str());
  } else if (!name.empty()) {
    llvm::SmallString<128> beside = llvm::sys::path::parent_path(artefact);
    llvm::sys::path::append(beside, name);
    places = {beside.str().str(), name.str()};
  }
  for (const std::string &place : places) {
    if (given.empty() && !llvm::sys::fs::exists(place))
      continue;
    auto found = ModelSource(place).digest();
    if (!found) {
      problems.add(Code::CannotOpen, "cannot read " + printable(place) + ": " + found.getError().message());
      return "";
    }
    if (*found == digest)
      return place;
    problems.add(Code::BadOption, printable(place) + " is not the model that " + printable(artefact) + " was made from")
        .helped("its digest is " + *found + ", the artefact's model had " + printable(digest) +
                "; give the right one with --model, or compile again");
    return "";
  }
  problems
      .add(Code::BadOption,
           "the model that " + printable(artefact) + " was made from is needed: its equations are the reference")
      .helped(name.empty() ? "give it with --model MODEL"
                           : "put " + printable(name) + " beside the library, or give it with --model MODEL");
  return "";
}
