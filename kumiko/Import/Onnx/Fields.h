//===- Fields.h - field numbers of the ONNX protobuf schema ----------------===//
//
// The schema is public (onnx.proto of the `onnx` package, IR version 14). Only the fields we read have a name here; all
// others are skipped.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstdint>

namespace kumiko::onnx::field {

namespace model {
enum : uint32_t { IrVersion = 1, Producer = 2, ProducerVersion = 3, Graph = 7, OpsetImport = 8, Functions = 25 };
}
namespace opset {
enum : uint32_t { Domain = 1, Version = 2 };
}
namespace graph {
enum : uint32_t {
  Node = 1,
  Name = 2,
  Initializer = 5,
  Input = 11,
  Output = 12,
  ValueInfo = 13,
  SparseInitializer = 15
};
}
namespace node {
enum : uint32_t { Input = 1, Output = 2, Name = 3, OpType = 4, Attribute = 5, Domain = 7, Overload = 8 };
}
namespace attribute {
enum : uint32_t {
  Name = 1,
  F = 2,
  I = 3,
  S = 4,
  T = 5,
  G = 6,
  Floats = 7,
  Ints = 8,
  Strings = 9,
  Tensors = 10,
  Graphs = 11,
  TypeProto = 14,
  TypeProtos = 15,
  Type = 20,
  Reference = 21,
  SparseTensor = 22,
  SparseTensors = 23
};
}
namespace tensor {
enum : uint32_t {
  Dims = 1,
  DataType = 2,
  Segment = 3,
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  Name = 8,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  ExternalData = 13,
  DataLocation = 14
};
}
namespace sparse {
enum : uint32_t { Values = 1, Indices = 2, Dims = 3 };
}
namespace entry { // StringStringEntryProto
enum : uint32_t { Key = 1, Value = 2 };
}
namespace list { // SequenceProto and OptionalProto alike
enum : uint32_t { Tensor = 3, Sequence = 5, Optional = 7 };
}
namespace valueinfo {
enum : uint32_t { Name = 1, Type = 2 };
}
namespace type {
enum : uint32_t { Tensor = 1, Sequence = 4, Map = 5, Opaque = 7, SparseTensor = 8, Optional = 9 };
}
namespace tensortype { // also SparseTensor
enum : uint32_t { ElementType = 1, Shape = 2 };
}
namespace container { // Sequence, Optional: 1; Map: key 1, value 2
enum : uint32_t { Element = 1, MapValue = 2 };
}
namespace shape {
enum : uint32_t { Dim = 1 };
}
namespace dimension {
enum : uint32_t { Value = 1, Param = 2 };
}
namespace function {
enum : uint32_t {
  Name = 1,
  Input = 4,
  Output = 5,
  Attribute = 6,
  Node = 7,
  OpsetImport = 9,
  Domain = 10,
  AttributeProto = 11,
  ValueInfo = 12,
  Overload = 13
};
}

} // namespace kumiko::onnx::field
