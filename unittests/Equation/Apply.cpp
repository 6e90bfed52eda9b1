#include "Apply.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace kumiko::eq::test {

TensorType typeOf(llvm::StringRef text) {
  llvm::Expected<TensorType> type = parseType(text);
  if (type)
    return *type;
  ADD_FAILURE() << llvm::toString(type.takeError());
  return {};
}

Given given(const OpDef &op, llvm::StringRef text) {
  llvm::Expected<Given> result = Given::parse(op, text);
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

OpDef op(llvm::StringRef text) {
  llvm::Expected<OpDef> result = parseOp(text);
  if (result)
    return *result;
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

Instance instance(const OpDef &op, llvm::StringRef text, llvm::ArrayRef<bool> wanted) {
  Given types = given(op, text);
  Application application = types.application();
  application.resultsWanted = wanted;
  llvm::Expected<Instance> result = instantiate(op, application);
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

Instance instance(llvm::StringRef text, llvm::StringRef given, llvm::ArrayRef<bool> wanted) {
  return instance(op(text), given, wanted);
}

std::string shown(llvm::StringRef text, llvm::StringRef given, llvm::ArrayRef<bool> wanted) {
  return str(instance(text, given, wanted));
}

std::string statements(llvm::StringRef text, llvm::StringRef given, llvm::ArrayRef<bool> wanted) {
  Instance result = instance(text, given, wanted);
  std::string lines;
  llvm::raw_string_ostream os(lines);
  for (const Statement &statement : result.statements) {
    print(os, result, statement);
    os << '\n';
  }
  return lines;
}

std::string refusal(llvm::StringRef text, llvm::StringRef types) {
  OpDef definition = op(text);
  llvm::Expected<Instance> result = instantiate(definition, given(definition, types).application());
  if (!result)
    return llvm::toString(result.takeError());
  return "accepted:\n" + str(*result);
}

std::string results(const OpDef &op, llvm::StringRef operands) {
  auto types = inferResults(op, given(op, operands).application());
  if (!types)
    return llvm::toString(types.takeError());
  std::string text;
  for (const TensorType &type : *types)
    text += (text.empty() ? "" : " ") + str(type);
  return text;
}

llvm::ArrayRef<OpDef> builtinOps() {
  static const auto ops = [] {
    llvm::SmallVector<OpDef, 0> list;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator file(KUMIKO_NN_DIR, error), end; file != end && !error;
         file.increment(error)) {
      if (llvm::sys::path::extension(file->path()) != ".eq")
        continue;
      auto buffer = llvm::MemoryBuffer::getFile(file->path());
      ParseResult parsed = parse(file->path(), buffer ? (*buffer)->getBuffer() : "");
      EXPECT_TRUE(parsed.ok()) << parsed.rendered();
      llvm::append_range(list, parsed.ops);
    }
    return list;
  }();
  return ops;
}

OpDef builtin(llvm::StringRef name) {
  for (const OpDef &op : builtinOps())
    if (op.name == name)
      return op;
  ADD_FAILURE() << "no op " << name.str();
  return {};
}

} // namespace kumiko::eq::test
