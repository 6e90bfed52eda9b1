#include "Write.h"
#include "kumiko/Import/Onnx/Fields.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace llvm;

namespace kumiko::onnx::test {

std::string varintBytes(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes += static_cast<char>(value);
}

Message &Message::varint(uint32_t field, uint64_t value) {
  bytes += varintBytes(uint64_t(field) << 3) + varintBytes(value);
  return *this;
}

Message &Message::claim(uint32_t field, uint64_t length) {
  bytes += varintBytes(uint64_t(field) << 3 | 2) + varintBytes(length);
  return *this;
}

Message &Message::text(uint32_t field, StringRef value) { return claim(field, value.size()).raw(value); }

Message &Message::real(uint32_t field, float value) {
  char raw[4];
  std::memcpy(raw, &value, 4);
  bytes += varintBytes(uint64_t(field) << 3 | 5) + std::string(raw, 4);
  return *this;
}

static Message named(StringRef name, Attribute::Kind kind) {
  return Message().text(field::attribute::Name, name).varint(field::attribute::Type, static_cast<uint64_t>(kind));
}

Message attribute(StringRef name, int64_t value) {
  return named(name, Attribute::Kind::Int).varint(field::attribute::I, value);
}
Message attribute(StringRef name, float value) {
  return named(name, Attribute::Kind::Float).real(field::attribute::F, value);
}
Message attribute(StringRef name, const char *value) {
  return named(name, Attribute::Kind::String).text(field::attribute::S, value);
}
Message attribute(StringRef name, std::vector<int64_t> values) {
  Message result = named(name, Attribute::Kind::Ints);
  for (int64_t value : values)
    result.varint(field::attribute::Ints, value);
  return result;
}
Message attribute(StringRef name, Attribute::Kind kind, const Message &value) {
  return named(name, kind).message(kind == Attribute::Kind::Graph ? field::attribute::G : field::attribute::T, value);
}

Message node(StringRef op, std::vector<std::string> inputs, std::vector<std::string> outputs, StringRef name,
             std::vector<Message> attributes, StringRef domain) {
  namespace f = field::node;
  Message result;
  for (const std::string &input : inputs)
    result.text(f::Input, input);
  for (const std::string &output : outputs)
    result.text(f::Output, output);
  if (!name.empty())
    result.text(f::Name, name);
  result.text(f::OpType, op);
  for (const Message &attribute : attributes)
    result.message(f::Attribute, attribute);
  return domain.empty() ? result : result.text(f::Domain, domain);
}

Message valueInfo(StringRef name, DataType type) {
  Message tensor = Message().varint(field::tensortype::ElementType, static_cast<uint64_t>(type));
  return Message()
      .text(field::valueinfo::Name, name)
      .message(field::valueinfo::Type, Message().message(field::type::Tensor, tensor));
}

Message valueInfo(StringRef name, DataType type, std::vector<Dim> shape) {
  Message dims;
  for (const Dim &dim : shape) {
    Message one;
    if (!dim.name.empty())
      one.text(field::dimension::Param, dim.name);
    else
      one.varint(field::dimension::Value, dim.value);
    dims.message(field::shape::Dim, one);
  }
  Message tensor;
  tensor.varint(field::tensortype::ElementType, static_cast<uint64_t>(type)).message(field::tensortype::Shape, dims);
  return Message()
      .text(field::valueinfo::Name, name)
      .message(field::valueinfo::Type, Message().message(field::type::Tensor, tensor));
}

static Message typed(StringRef name, std::vector<int64_t> shape, DataType type) {
  Message result;
  for (int64_t size : shape)
    result.varint(field::tensor::Dims, size);
  return result.varint(field::tensor::DataType, static_cast<uint64_t>(type)).text(field::tensor::Name, name);
}

Message floats(StringRef name, std::vector<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return typed(name, shape, DataType::Float).text(field::tensor::RawData, std::string(count * 4, '\0'));
}

Message integers(StringRef name, std::vector<int64_t> values) {
  Message result = typed(name, {int64_t(values.size())}, DataType::Int64);
  std::string packed;
  for (int64_t value : values)
    packed += varintBytes(value);
  return result.text(field::tensor::Int64Data, packed);
}

Message external(StringRef name, std::vector<int64_t> shape, StringRef location, StringRef offset, StringRef length) {
  Message result = typed(name, shape, DataType::Float).varint(field::tensor::DataLocation, 1);
  auto entry = [&](StringRef key, StringRef value) {
    result.message(field::tensor::ExternalData,
                   Message().text(field::entry::Key, key).text(field::entry::Value, value));
  };
  entry("location", location);
  if (!offset.empty())
    entry("offset", offset);
  if (!length.empty())
    entry("length", length);
  return result;
}

Message graph(const GraphParts &parts, StringRef name) {
  namespace f = field::graph;
  Message result;
  for (const Message &node : parts.nodes)
    result.message(f::Node, node);
  result.text(f::Name, name);
  for (const Message &tensor : parts.initializers)
    result.message(f::Initializer, tensor);
  for (const Message &input : parts.inputs)
    result.message(f::Input, input);
  for (const Message &output : parts.outputs)
    result.message(f::Output, output);
  return result;
}

Message model(const Message &graph, int64_t opset, std::vector<Message> functions) {
  namespace f = field::model;
  Message result;
  result.varint(f::IrVersion, 8).message(f::Graph, graph);
  result.message(f::OpsetImport, Message().text(field::opset::Domain, "").varint(field::opset::Version, opset));
  for (const Message &function : functions)
    result.message(f::Functions, function);
  return result;
}

Folder::Folder() {
  SmallString<128> path;
  (void)sys::fs::createUniqueDirectory("kumiko-onnx", path);
  root = path.str().str();
}

Folder::~Folder() { (void)sys::fs::remove_directories(root); }

std::string Folder::path(StringRef name) const { return root + "/" + name.str(); }

std::string Folder::write(StringRef name, StringRef bytes) {
  std::string full = path(name);
  (void)sys::fs::create_directories(sys::path::parent_path(full));
  std::error_code error;
  raw_fd_ostream(full, error) << bytes;
  return full;
}

} // namespace kumiko::onnx::test
