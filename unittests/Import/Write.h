//===- Write.h - ONNX files for tests, written byte by byte -------------------===//
//
// Right ones and wrong ones: nothing here checks anything.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/Proto.h"
#include <string>
#include <vector>

namespace kumiko::onnx::test {

class Message {
public:
  std::string bytes;

  Message &varint(uint32_t field, uint64_t value);
  Message &text(uint32_t field, llvm::StringRef value);
  Message &message(uint32_t field, const Message &value) { return text(field, value.bytes); }
  Message &real(uint32_t field, float value);
  /// Tag and length without content: a lie.
  Message &claim(uint32_t field, uint64_t length);
  Message &raw(llvm::StringRef more) { return bytes += more.str(), *this; }
};

std::string varintBytes(uint64_t value);

/// A dimension: a number, a symbol's name, or nothing.
struct Dim {
  int64_t value = -1;
  std::string name;
  Dim(int64_t value) : value(value) {}
  Dim(const char *name) : name(name) {}
};

Message attribute(llvm::StringRef name, int64_t value);
Message attribute(llvm::StringRef name, std::vector<int64_t> values);
Message attribute(llvm::StringRef name, float value);
Message attribute(llvm::StringRef name, const char *value);
Message attribute(llvm::StringRef name, Attribute::Kind kind, const Message &value);

Message node(llvm::StringRef op, std::vector<std::string> inputs, std::vector<std::string> outputs,
             llvm::StringRef name = "", std::vector<Message> attributes = {}, llvm::StringRef domain = "");

Message valueInfo(llvm::StringRef name, DataType type, std::vector<Dim> shape);
/// A tensor of any shape.
Message valueInfo(llvm::StringRef name, DataType type);
Message floats(llvm::StringRef name, std::vector<int64_t> shape);
Message integers(llvm::StringRef name, std::vector<int64_t> values);
/// A tensor whose data is in another file.
Message external(llvm::StringRef name, std::vector<int64_t> shape, llvm::StringRef location,
                 llvm::StringRef offset = "", llvm::StringRef length = "");

struct GraphParts {
  std::vector<Message> nodes, inputs, outputs, initializers;
};
Message graph(const GraphParts &parts, llvm::StringRef name = "g");
Message model(const Message &graph, int64_t opset = 17, std::vector<Message> functions = {});

/// A folder of its own that goes away with all it holds.
class Folder {
public:
  Folder();
  ~Folder();
  std::string write(llvm::StringRef name, llvm::StringRef bytes);
  std::string path(llvm::StringRef name) const;
  std::string root;
};

} // namespace kumiko::onnx::test
