#include "tools/kumiko-onnx-suite/Tests.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kumiko::suite {

static std::vector<std::string> entriesOf(const Twine &folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (sys::fs::directory_iterator entry(folder, error), end; entry != end && !error; entry.increment(error))
    names.push_back(sys::path::filename(entry->path()).str());
  sort(names);
  return names;
}

std::vector<Test> findTests(StringRef folder) {
  std::vector<Test> tests;
  for (StringRef kind : {".", "node", "simple", "pytorch-converted", "pytorch-operator"})
    for (const std::string &name : entriesOf(folder + "/" + kind)) {
      std::string home = (folder + "/" + kind + "/" + name).str();
      if (sys::fs::exists(home + "/model.onnx"))
        tests.push_back({name, kind.str(), home + "/model.onnx", home});
    }
  for (const std::string &file : entriesOf(folder + "/light"))
    if (StringRef(file).ends_with(".onnx"))
      tests.push_back({sys::path::stem(file).str(), "light", (folder + "/light/" + file).str(), ""});
  return tests;
}

StringMap<Expectation> readExpectations(StringRef path, Mode mode, std::string &why) {
  StringMap<Expectation> list;
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    why = path.str() + ": " + buffer.getError().message();
    return list;
  }
  for (line_iterator line(**buffer, /*SkipBlanks=*/true, '#'); !line.is_at_end(); ++line) {
    auto [word, rest] = line->trim().split(' ');
    auto [name, reason] = rest.trim().split(' ');
    bool isOfMode =
        (word == "uncompiled" && mode != Mode::Evaluator) || (word == "unsymbolic" && mode == Mode::Symbolic);
    bool good = is_contained({"refused", "differs", "uncompiled", "unsymbolic"}, word) && !name.empty() &&
                !reason.trim().empty();
    if (good && word.starts_with("un") && !isOfMode)
      continue;
    auto [entry, fresh] = good ? list.try_emplace(name, Expectation{word != "differs", reason.trim().str()})
                               : std::pair(list.end(), false);
    if (fresh)
      continue;
    // What is computed with other numbers may have no code: then the later line counts.
    if (good && isOfMode && !entry->second.refused) {
      entry->second = {/*refused=*/true, reason.trim().str()};
      continue;
    }
    why = path.str() + ", line " + std::to_string(line.line_number()) + ": " +
          (good ? name.str() + " is there twice"
                : "expected `refused`, `differs`, `uncompiled` or `unsymbolic`, NAME and REASON");
    return list;
  }
  return list;
}

} // namespace kumiko::suite
