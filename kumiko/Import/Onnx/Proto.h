//===- Proto.h - an ONNX file as it is written ------------------------------===//
//
// The file's messages as plain structs. Strings and tensor data are views into the mapped file; lists live in the arena
// of the model. Nothing is interpreted here beyond the encoding: a name may be undefined, a shape may be negative.
// What the reader does guarantee: every view lies inside the file, every node has an op type, every attribute a name,
// and the nesting is bounded, so that code which follows it may recurse.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/Problem.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <cstdint>
#include <optional>

namespace kumiko::onnx {

// clang-format off
/// TensorProto.DataType; any number may stand in a file.
enum class DataType : int32_t {
  Undefined = 0, Float = 1, Uint8 = 2, Int8 = 3, Uint16 = 4, Int16 = 5, Int32 = 6, Int64 = 7, String = 8, Bool = 9,
  Float16 = 10, Double = 11, Uint32 = 12, Uint64 = 13, Complex64 = 14, Complex128 = 15, BFloat16 = 16,
  Float8E4M3FN = 17, Float8E4M3FNUZ = 18, Float8E5M2 = 19, Float8E5M2FNUZ = 20, Uint4 = 21, Int4 = 22, Float4E2M1 = 23,
  Float8E8M0 = 24, Uint2 = 25, Int2 = 26, Float6E2M3 = 27, Float6E3M2 = 28,
};
// clang-format on

struct Dimension {
  std::optional<int64_t> value;
  llvm::StringRef param; ///< a symbol's name; with neither the size is unknown
};

struct Type {
  enum class Kind : uint8_t { None, Tensor, SparseTensor, Sequence, Map, Optional, Opaque };
  Kind kind = Kind::None;
  DataType element = DataType::Undefined;
  bool hasShape = false;
  llvm::ArrayRef<Dimension> shape;
  const Type *inner = nullptr; ///< of a sequence, optional, or the values of a map
};

struct ValueInfo {
  llvm::StringRef name;
  Type type;
};

struct Entry {
  llvm::StringRef key, value;
};

/// Typed data (`int32_data` and the like) as the file has it; one piece per occurrence of the field.
struct Piece {
  enum class Coding : uint8_t { Varint, Fixed32, Fixed64 };
  uint32_t field;
  Coding coding;
  llvm::StringRef bytes;
};

struct TensorProto {
  llvm::StringRef name;
  llvm::ArrayRef<int64_t> dims;
  DataType type = DataType::Undefined;
  bool hasRaw = false, isExternal = false, hasSegment = false;
  llvm::StringRef raw;
  llvm::ArrayRef<Piece> pieces;
  llvm::ArrayRef<llvm::StringRef> strings;
  llvm::ArrayRef<Entry> external;
};

struct SparseTensor {
  const TensorProto *values = nullptr, *indices = nullptr;
  llvm::ArrayRef<int64_t> dims;
};

/// A SequenceProto or an OptionalProto, as test data has them: what it holds, of one of three kinds.
struct ListProto {
  llvm::ArrayRef<TensorProto> tensors;
  llvm::ArrayRef<ListProto> sequences, optionals;
};

struct Graph;

struct Attribute {
  // clang-format off
  /// The numbers of AttributeProto.AttributeType.
  enum class Kind : uint8_t {
    Undefined = 0, Float = 1, Int = 2, String = 3, Tensor = 4, Graph = 5, Floats = 6, Ints = 7, Strings = 8,
    Tensors = 9, Graphs = 10, SparseTensor = 11, SparseTensors = 12, TypeProto = 13, TypeProtos = 14,
  };
  // clang-format on
  llvm::StringRef name;
  llvm::StringRef reference; ///< inside a function: the attribute of the call that gives the value
  Kind kind = Kind::Undefined;
  float real = 0;
  int64_t integer = 0;
  llvm::StringRef string;
  const TensorProto *tensor = nullptr;
  const Graph *graph = nullptr;
  const SparseTensor *sparse = nullptr;
  const Type *type = nullptr;
  llvm::ArrayRef<float> reals;
  llvm::ArrayRef<int64_t> integers;
  llvm::ArrayRef<llvm::StringRef> strings;
  llvm::ArrayRef<TensorProto> tensors;
  llvm::ArrayRef<Graph> graphs;
};
/// `int`, `list of ints`, ...
llvm::StringRef nameOf(Attribute::Kind kind);

struct Node {
  llvm::StringRef name, op, domain, overload;
  llvm::ArrayRef<llvm::StringRef> inputs, outputs; ///< an empty name is an input left out
  llvm::ArrayRef<Attribute> attributes;
};

struct Graph {
  llvm::StringRef name;
  llvm::ArrayRef<Node> nodes;
  llvm::ArrayRef<TensorProto> initializers;
  llvm::ArrayRef<SparseTensor> sparseInitializers;
  llvm::ArrayRef<ValueInfo> inputs, outputs, values;
};

struct OpsetImport {
  llvm::StringRef domain;
  int64_t version = 0;
};

struct Function {
  llvm::StringRef name, domain, overload;
  llvm::ArrayRef<llvm::StringRef> inputs, outputs, attributes;
  llvm::ArrayRef<Attribute> defaults;
  llvm::ArrayRef<Node> nodes;
  llvm::ArrayRef<OpsetImport> opsets;
  llvm::ArrayRef<ValueInfo> values;
};

struct Model {
  int64_t irVersion = 0;
  llvm::StringRef producer, producerVersion;
  llvm::ArrayRef<OpsetImport> opsets;
  llvm::ArrayRef<Function> functions;
  Graph graph;
  bool hasGraph = false;
};

/// Reads the messages in `bytes`, which must outlive the model. Lists go to `arena`.
/// On a fault of the encoding, one problem is added that says where, and the result is empty.
std::optional<Model> readModel(llvm::StringRef bytes, llvm::BumpPtrAllocator &arena, ProblemList &problems);

/// Reads one TensorProto (a file of test data).
std::optional<TensorProto> readTensor(llvm::StringRef bytes, llvm::BumpPtrAllocator &arena, ProblemList &problems);
/// Reads one SequenceProto or OptionalProto.
std::optional<ListProto> readList(llvm::StringRef bytes, llvm::BumpPtrAllocator &arena, ProblemList &problems);

} // namespace kumiko::onnx
