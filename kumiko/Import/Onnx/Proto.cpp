//===- Proto.cpp - the only file that knows protobuf ------------------------===//
//
// Compiled with exceptions and without the precompiled header, because protozero throws; no exception gets out:
// readModel and its like turn them into problems. Wire.h has the checks of single fields.
//
// Each message is one call of `scan` with one line per field: its number, its name, and where the value goes.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Import/Onnx/Proto.h"
#include "kumiko/Import/Onnx/Fields.h"
#include "kumiko/Import/Onnx/Wire.h"
#include <exception>
#include <type_traits>

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using llvm::Twine;

namespace kumiko::onnx {
namespace {

class Reader : public WireReader {
public:
  explicit Reader(llvm::BumpPtrAllocator &arena) : arena(arena) {}

  Model model(StringRef content);
  TensorProto tensor(StringRef content);
  ListProto list(StringRef content);

private:
  template <typename T> using Method = T (Reader::*)(StringRef);

  llvm::BumpPtrAllocator &arena;

  template <typename T> ArrayRef<T> keep(const SmallVectorImpl<T> &list) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return ArrayRef<T>(list).copy(arena);
  }
  template <typename T> const T *keepOne(const T &value) { return new (arena.Allocate<T>()) T(value); }

  template <typename T> T nested(Pbf &message, const char *name, int64_t index, Method<T> read);

  // Field readers for `scan`, as in Wire.h: number, name, destination, reader of the message.
  template <typename T> auto message(uint32_t tag, const char *name, T &into, Method<T> read) {
    return on(tag, [=, this, &into](Pbf &message) { into = nested(message, name, -1, read); });
  }
  template <typename T> auto message(uint32_t tag, const char *name, const T *&into, Method<T> read) {
    return on(tag, [=, this, &into](Pbf &message) { into = keepOne(nested(message, name, -1, read)); });
  }
  template <typename T> auto messages(uint32_t tag, const char *name, SmallVectorImpl<T> &into, Method<T> read) {
    return on(tag, [=, this, &into](Pbf &message) { into.push_back(nested(message, name, into.size(), read)); });
  }

  OpsetImport opset(StringRef content);
  Graph graph(StringRef content);
  Node node(StringRef content);
  Attribute attribute(StringRef content);
  SparseTensor sparse(StringRef content);
  Entry entry(StringRef content);
  ValueInfo valueInfo(StringRef content);
  Type type(StringRef content);
  Type tensorType(StringRef content);
  Type holderType(StringRef content);
  Type mapType(StringRef content);
  ArrayRef<Dimension> shape(StringRef content);
  Dimension dimension(StringRef content);
  Function function(StringRef content);
};

template <typename T> T Reader::nested(Pbf &message, const char *name, int64_t index, Method<T> read) {
  StringRef content = bytes(message, name);
  path.push_back({name, index});
  if (path.size() > maxDepth)
    bad(Code::NestedTooDeep, "messages are nested more than " + Twine(maxDepth) + " deep");
  T result = (this->*read)(content);
  path.pop_back(); // not reached when an exception passes: the path then still says where
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors and types
//===----------------------------------------------------------------------===//

Entry Reader::entry(StringRef content) {
  Entry result;
  scan(content, text(field::entry::Key, "key", result.key), text(field::entry::Value, "value", result.value));
  return result;
}

TensorProto Reader::tensor(StringRef content) {
  namespace f = field::tensor;
  using Coding = Piece::Coding;
  TensorProto result;
  int64_t location = 0;
  SmallVector<int64_t, 8> dims;
  SmallVector<Piece, 1> data;
  SmallVector<StringRef, 0> strings;
  SmallVector<Entry, 0> external;
  auto raw = [&](Pbf &message) { result.raw = bytes(message, "raw_data"), result.hasRaw = true; };
  auto segment = [&](Pbf &message) { message.skip(), result.hasSegment = true; };
  scan(content, integers(f::Dims, "dims", dims), number(f::DataType, "data_type", result.type), on(f::Segment, segment),
       pieces(f::FloatData, "float_data", Coding::Fixed32, data),
       pieces(f::Int32Data, "int32_data", Coding::Varint, data), texts(f::StringData, "string_data", strings),
       pieces(f::Int64Data, "int64_data", Coding::Varint, data), text(f::Name, "name", result.name),
       on(f::RawData, raw), pieces(f::DoubleData, "double_data", Coding::Fixed64, data),
       pieces(f::Uint64Data, "uint64_data", Coding::Varint, data),
       messages(f::ExternalData, "external_data", external, &Reader::entry),
       number(f::DataLocation, "data_location", location));
  result.isExternal = location == 1;
  result.dims = keep(dims);
  result.pieces = keep(data);
  result.strings = keep(strings);
  result.external = keep(external);
  return result;
}

SparseTensor Reader::sparse(StringRef content) {
  namespace f = field::sparse;
  SparseTensor result;
  SmallVector<int64_t, 8> dims;
  scan(content, message(f::Values, "values", result.values, &Reader::tensor),
       message(f::Indices, "indices", result.indices, &Reader::tensor), integers(f::Dims, "dims", dims));
  result.dims = keep(dims);
  return result;
}

ListProto Reader::list(StringRef content) {
  namespace f = field::list;
  SmallVector<TensorProto, 1> tensors;
  SmallVector<ListProto, 1> sequences, optionals;
  scan(content, messages(f::Tensor, "tensor_values", tensors, &Reader::tensor),
       messages(f::Sequence, "sequence_values", sequences, &Reader::list),
       messages(f::Optional, "optional_values", optionals, &Reader::list));
  return {keep(tensors), keep(sequences), keep(optionals)};
}

Dimension Reader::dimension(StringRef content) {
  Dimension result;
  auto value = [&](Pbf &message) {
    expect(message, Wire::varint, "dim_value");
    result = {message.get_int64(), {}};
  };
  auto param = [&](Pbf &message) { result = {std::nullopt, bytes(message, "dim_param")}; };
  scan(content, on(field::dimension::Value, value), on(field::dimension::Param, param));
  return result;
}

ArrayRef<Dimension> Reader::shape(StringRef content) {
  SmallVector<Dimension, 8> dims;
  scan(content, messages(field::shape::Dim, "dim", dims, &Reader::dimension));
  return keep(dims);
}

Type Reader::tensorType(StringRef content) {
  namespace f = field::tensortype;
  Type result;
  auto shaped = [&](Pbf &message) {
    result.shape = nested(message, "shape", -1, &Reader::shape);
    result.hasShape = true;
  };
  scan(content, number(f::ElementType, "elem_type", result.element), on(f::Shape, shaped));
  return result;
}

Type Reader::holderType(StringRef content) {
  Type result;
  scan(content, message(field::container::Element, "elem_type", result.inner, &Reader::type));
  return result;
}

Type Reader::mapType(StringRef content) {
  Type result;
  scan(content, message(field::container::MapValue, "value_type", result.inner, &Reader::type));
  return result;
}

Type Reader::type(StringRef content) {
  namespace f = field::type;
  using Kind = Type::Kind;
  Type result;
  auto is = [&](uint32_t tag, const char *name, Kind kind, Method<Type> read) {
    return on(tag, [=, this, &result](Pbf &message) {
      result = nested(message, name, -1, read);
      result.kind = kind;
    });
  };
  auto opaque = [&](Pbf &message) { message.skip(), result.kind = Kind::Opaque; };
  scan(content, is(f::Tensor, "tensor_type", Kind::Tensor, &Reader::tensorType),
       is(f::SparseTensor, "sparse_tensor_type", Kind::SparseTensor, &Reader::tensorType),
       is(f::Sequence, "sequence_type", Kind::Sequence, &Reader::holderType),
       is(f::Optional, "optional_type", Kind::Optional, &Reader::holderType),
       is(f::Map, "map_type", Kind::Map, &Reader::mapType), on(f::Opaque, opaque));
  return result;
}

ValueInfo Reader::valueInfo(StringRef content) {
  ValueInfo result;
  scan(content, text(field::valueinfo::Name, "name", result.name),
       message(field::valueinfo::Type, "type", result.type, &Reader::type));
  return result;
}

//===----------------------------------------------------------------------===//
// Attributes, nodes, graphs
//===----------------------------------------------------------------------===//

/// The declared kind must be the kind of the value that is there. A value that is not there has its default, as some
/// writers leave out zeros and empty lists. Files of IR version 1 declare no kind: then the value tells.
void settleKind(Attribute &attribute, uint32_t seen) {
  if (attribute.kind == Attribute::Kind::Undefined)
    for (unsigned kind = 1; kind <= static_cast<unsigned>(Attribute::Kind::TypeProtos); ++kind)
      if (seen == 1u << kind)
        attribute.kind = static_cast<Attribute::Kind>(kind);
  if (seen & ~(1u << static_cast<unsigned>(attribute.kind)))
    bad(Code::AttributeType, "attribute \"" + printable(attribute.name) + "\" is declared as " +
                                 nameOf(attribute.kind) + " but holds something else");
}

Attribute Reader::attribute(StringRef content) {
  namespace f = field::attribute;
  using Kind = Attribute::Kind;
  Attribute result;
  uint32_t seen = 0; // one bit per Kind that a value was found for
  int64_t declared = 0;
  SmallVector<float, 0> reals;
  SmallVector<int64_t, 8> list;
  SmallVector<StringRef, 0> strings;
  SmallVector<TensorProto, 0> tensors;
  SmallVector<Graph, 0> graphs;
  auto noting = [&](Kind kind, auto inner) {
    return on(inner.tag, [=, &seen](Pbf &message) {
      seen |= 1u << static_cast<unsigned>(kind);
      inner.read(message);
    });
  };
  auto real = on(f::F, [&](Pbf &message) {
    expect(message, Wire::fixed32, "f");
    result.real = message.get_float();
  });
  auto ignored = [](uint32_t tag) { return on(tag, [](Pbf &message) { message.skip(); }); };
  scan(content, text(f::Name, "name", result.name), text(f::Reference, "ref_attr_name", result.reference),
       number(f::Type, "type", declared), noting(Kind::Float, real),
       noting(Kind::Int, number(f::I, "i", result.integer)), noting(Kind::String, text(f::S, "s", result.string)),
       noting(Kind::Tensor, message(f::T, "t", result.tensor, &Reader::tensor)),
       noting(Kind::Graph, message(f::G, "g", result.graph, &Reader::graph)),
       noting(Kind::Floats, on(f::Floats, [&](Pbf &message) { readReals(message, "floats", reals); })),
       noting(Kind::Ints, integers(f::Ints, "ints", list)),
       noting(Kind::Strings, texts(f::Strings, "strings", strings)),
       noting(Kind::Tensors, messages(f::Tensors, "tensors", tensors, &Reader::tensor)),
       noting(Kind::Graphs, messages(f::Graphs, "graphs", graphs, &Reader::graph)),
       noting(Kind::SparseTensor, message(f::SparseTensor, "sparse_tensor", result.sparse, &Reader::sparse)),
       noting(Kind::TypeProto, message(f::TypeProto, "tp", result.type, &Reader::type)),
       noting(Kind::SparseTensors, ignored(f::SparseTensors)), noting(Kind::TypeProtos, ignored(f::TypeProtos)));
  if (result.name.empty())
    bad(Code::Malformed, "an attribute has no name");
  if (declared < 0 || declared > static_cast<int64_t>(Kind::TypeProtos))
    bad(Code::AttributeType,
        "attribute \"" + printable(result.name) + "\" is of type " + Twine(declared) + ", which ONNX does not have");
  result.kind = static_cast<Kind>(declared);
  settleKind(result, seen);
  result.reals = keep(reals);
  result.integers = keep(list);
  result.strings = keep(strings);
  result.tensors = keep(tensors);
  result.graphs = keep(graphs);
  return result;
}

Node Reader::node(StringRef content) {
  namespace f = field::node;
  Node result;
  SmallVector<StringRef, 4> inputs, outputs;
  SmallVector<Attribute, 4> attributes;
  scan(content, texts(f::Input, "input", inputs), texts(f::Output, "output", outputs),
       text(f::Name, "name", result.name), text(f::OpType, "op_type", result.op),
       messages(f::Attribute, "attribute", attributes, &Reader::attribute), text(f::Domain, "domain", result.domain),
       text(f::Overload, "overload", result.overload));
  // Also keeps memory in proportion: an empty message takes two bytes in the file and fifty times that here.
  if (result.op.empty())
    bad(Code::BadNode, "a node has no op type");
  result.inputs = keep(inputs);
  result.outputs = keep(outputs);
  result.attributes = keep(attributes);
  return result;
}

Graph Reader::graph(StringRef content) {
  namespace f = field::graph;
  Graph result;
  SmallVector<Node, 0> nodes;
  SmallVector<TensorProto, 0> initializers;
  SmallVector<SparseTensor, 0> sparseInitializers;
  SmallVector<ValueInfo, 0> inputs, outputs, values;
  scan(content, messages(f::Node, "node", nodes, &Reader::node), text(f::Name, "name", result.name),
       messages(f::Initializer, "initializer", initializers, &Reader::tensor),
       messages(f::Input, "input", inputs, &Reader::valueInfo),
       messages(f::Output, "output", outputs, &Reader::valueInfo),
       messages(f::ValueInfo, "value_info", values, &Reader::valueInfo),
       messages(f::SparseInitializer, "sparse_initializer", sparseInitializers, &Reader::sparse));
  result.nodes = keep(nodes);
  result.initializers = keep(initializers);
  result.sparseInitializers = keep(sparseInitializers);
  result.inputs = keep(inputs);
  result.outputs = keep(outputs);
  result.values = keep(values);
  return result;
}

Function Reader::function(StringRef content) {
  namespace f = field::function;
  Function result;
  SmallVector<StringRef, 4> inputs, outputs, names;
  SmallVector<Attribute, 0> defaults;
  SmallVector<Node, 0> nodes;
  SmallVector<OpsetImport, 2> opsets;
  SmallVector<ValueInfo, 0> values;
  scan(content, text(f::Name, "name", result.name), texts(f::Input, "input", inputs),
       texts(f::Output, "output", outputs), texts(f::Attribute, "attribute", names),
       messages(f::Node, "node", nodes, &Reader::node),
       messages(f::OpsetImport, "opset_import", opsets, &Reader::opset), text(f::Domain, "domain", result.domain),
       messages(f::AttributeProto, "attribute_proto", defaults, &Reader::attribute),
       messages(f::ValueInfo, "value_info", values, &Reader::valueInfo),
       text(f::Overload, "overload", result.overload));
  result.inputs = keep(inputs);
  result.outputs = keep(outputs);
  result.attributes = keep(names);
  result.defaults = keep(defaults);
  result.nodes = keep(nodes);
  result.opsets = keep(opsets);
  result.values = keep(values);
  return result;
}

OpsetImport Reader::opset(StringRef content) {
  OpsetImport result;
  scan(content, text(field::opset::Domain, "domain", result.domain),
       number(field::opset::Version, "version", result.version));
  return result;
}

Model Reader::model(StringRef content) {
  namespace f = field::model;
  Model result;
  SmallVector<OpsetImport, 2> opsets;
  SmallVector<Function, 0> functions;
  auto onlyGraph = [&](Pbf &message) {
    // protobuf would merge the two; no writer of models means that.
    if (result.hasGraph)
      bad(Code::Malformed, "the model holds two graphs");
    result.graph = nested(message, "graph", -1, &Reader::graph);
    result.hasGraph = true;
  };
  scan(content, number(f::IrVersion, "ir_version", result.irVersion),
       text(f::Producer, "producer_name", result.producer),
       text(f::ProducerVersion, "producer_version", result.producerVersion), on(f::Graph, onlyGraph),
       messages(f::OpsetImport, "opset_import", opsets, &Reader::opset),
       messages(f::Functions, "functions", functions, &Reader::function));
  result.opsets = keep(opsets);
  result.functions = keep(functions);
  return result;
}

/// Runs `read` and turns whatever it throws into a problem.
template <typename T> std::optional<T> guarded(llvm::BumpPtrAllocator &arena, ProblemList &problems, auto read) {
  Reader reader(arena);
  auto report = [&](Code code, const Twine &what) {
    std::string where = reader.where();
    problems.add(code, (where.empty() ? Twine() : Twine(where) + ": ") + what);
    return std::nullopt;
  };
  try {
    return read(reader);
  } catch (const Bad &fault) {
    return report(fault.code, fault.what);
  } catch (const protozero::end_of_buffer_exception &) {
    return report(Code::Truncated, "the data ends in the middle of a field");
  } catch (const protozero::exception &) {
    return report(Code::Malformed, "this is not the encoding of protobuf");
  } catch (const std::exception &error) {
    return report(Code::Malformed, error.what());
  }
}

} // namespace

StringRef nameOf(Attribute::Kind kind) {
  static constexpr StringRef names[] = {"undefined",
                                        "float",
                                        "int",
                                        "string",
                                        "tensor",
                                        "graph",
                                        "list of floats",
                                        "list of ints",
                                        "list of strings",
                                        "list of tensors",
                                        "list of graphs",
                                        "sparse tensor",
                                        "list of sparse tensors",
                                        "type",
                                        "list of types"};
  return names[static_cast<unsigned>(kind)];
}

std::optional<Model> readModel(StringRef bytes, llvm::BumpPtrAllocator &arena, ProblemList &problems) {
  return guarded<Model>(arena, problems, [&](Reader &reader) { return reader.model(bytes); });
}

std::optional<TensorProto> readTensor(StringRef bytes, llvm::BumpPtrAllocator &arena, ProblemList &problems) {
  return guarded<TensorProto>(arena, problems, [&](Reader &reader) { return reader.tensor(bytes); });
}

std::optional<ListProto> readList(StringRef bytes, llvm::BumpPtrAllocator &arena, ProblemList &problems) {
  return guarded<ListProto>(arena, problems, [&](Reader &reader) { return reader.list(bytes); });
}

} // namespace kumiko::onnx
