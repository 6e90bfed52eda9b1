//===- Ast.h - the text of an op as a tree ---------------------------------===//
//
// What the parser makes of `op name(operands; attributes) -> results { statements } imports`. Nodes live in the arena
// of the file they were read from; an OpDef keeps that file alive, so it can be copied and kept like a value.
//
// After checking, every name is bound: a tensor, an attribute, an index of its statement, a built-in function or a type
// (`Node::binding` and `Node::number`). Instantiation looks at numbers only.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>

namespace kumiko::eq {

/// Bytes [begin, end) of the file.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

enum class Operator : uint8_t {
  Neg,
  Not,
  BitNot,
  Or,
  And,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  BitAnd,
  BitOr,
  BitXor,
  Shl,
  Shr,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
};
/// As written: `-`, `not`, `<=`.
llvm::StringRef spelling(Operator op);

/// Functions of the notation. The list of names, arities and kinds is in Builtin.cpp.
enum class Builtin : uint8_t;

struct Node;

/// One position of an index list or argument list: `value`, `value...`, `value at position`.
struct Item {
  const Node *value = nullptr;
  bool pack = false;
  const Node *at = nullptr;
  SourceRange range;
};

struct Node {
  enum class Kind : uint8_t {
    Integer, ///< `integer`
    Real,    ///< `real`; `inf` too
    String,  ///< `text` without quotes
    Bool,    ///< `true`, `false` in `integer`
    Name,    ///< `text`: an attribute or an index
    Read,    ///< `text`(items), text[nth](items), with `otherwise` when there is an `else`
    Call,    ///< built-in `builtin`(items) (`function()` for one of values); `T(x)` is Cast with a binding
    Element, ///< operands[0][operands[1]]: an element of a list
    Unary,   ///< `op` operands[0]
    Binary,  ///< operands[0] `op` operands[1]
    Select,  ///< operands[0] ? operands[1] : operands[2]
    Tuple,   ///< (items)
  };
  enum class Binding : uint8_t { None, Tensor, Attribute, Index, Type };

  explicit Node(Kind kind = Kind::Integer) : kind(kind) {}

  Kind kind;
  Operator op = Operator::Add;
  Binding binding = Binding::None;
  Builtin builtin{};
  /// No index and no read inside: known when the op is applied.
  bool constant = false;
  /// Tensor: OpDef::tensors. Attribute: OpDef::attributes. Index: StatementDef::indices. Select: its number within the
  /// statement.
  unsigned number = 0;
  /// Reads are numbered within their statement.
  unsigned serial = 0;
  int64_t integer = 0;
  double real = 0;
  llvm::StringRef text;
  llvm::ArrayRef<Item> items;
  llvm::ArrayRef<const Node *> operands;
  const Node *nth = nullptr;
  const Node *otherwise = nullptr;
  SourceRange range;
};

/// What an attribute holds.
enum class AttributeKind : uint8_t { Int, Ints, Float, Floats, Bool, Str, Type, Combine };
llvm::StringRef nameOf(AttributeKind kind);

/// The element type of an operand or result: a type of its own, a type variable (`T`), or an attribute of type `type`.
struct TypeRef {
  enum class Kind : uint8_t { Element, Variable, Attribute };
  Kind kind = Kind::Variable;
  ElementType element = ElementType::Invalid;
  /// Variable: OpDef::typeVariables. Attribute: OpDef::attributes.
  unsigned number = 0;
  llvm::StringRef name;
};

/// An operand or a result.
struct TensorDef {
  llvm::StringRef name;
  TypeRef type;
  bool optional = false;
  bool variadic = false;
  SourceRange range;
};

struct AttributeDef {
  llvm::StringRef name;
  AttributeKind kind = AttributeKind::Int;
  /// Null when the attribute must be given.
  const Node *defaultValue = nullptr;
  SourceRange range;
};

/// A tensor of the op, in the order operands, results, temporaries. `Node::number` counts in this list.
struct TensorSymbol {
  enum class Role : uint8_t { Operand, Result, Temporary };
  llvm::StringRef name;
  Role role = Role::Temporary;
  /// Operand or result number as declared (a variadic operand is one).
  unsigned number = 0;
};

/// `name(items)` on a left side.
struct TargetDef {
  llvm::StringRef name;
  unsigned tensor = 0;
  llvm::ArrayRef<Item> items;
  SourceRange range;
};

enum class AssignKind : uint8_t { Set, Sum, Product, Max, Min, And, Or, FromAttribute };

/// One entry of `where`.
struct ClauseDef {
  enum class Kind : uint8_t {
    Range,     ///< name in value
    Rank,      ///< rank name = value
    Like,      ///< name like other
    Shape,     ///< name : (items)
    Condition, ///< items[0]
  };
  Kind kind = Kind::Condition;
  llvm::StringRef name;
  /// Range, Rank: index number. Like, Shape: tensor number.
  unsigned number = 0;
  llvm::StringRef other;
  unsigned otherTensor = 0;
  const Node *value = nullptr;
  llvm::ArrayRef<Item> items;
  SourceRange range;
};

/// A name that is neither tensor nor attribute: an index of one statement.
struct IndexDef {
  llvm::StringRef name;
  /// Stands for a list of indices (`i...`).
  bool pack = false;
  /// Numbers the operands of a variadic operand (`xs[v]`): unrolled, not a loop.
  bool variadicNumber = false;
};

struct StatementDef {
  llvm::ArrayRef<TargetDef> targets;
  AssignKind assign = AssignKind::Set;
  /// The attribute of `[kind]=`.
  llvm::StringRef kindName;
  unsigned kindAttribute = 0;
  llvm::ArrayRef<const Node *> values;
  const Node *into = nullptr;
  llvm::ArrayRef<ClauseDef> clauses;
  llvm::ArrayRef<IndexDef> indices;
  unsigned selectCount = 0;
  unsigned readCount = 0;
  /// As written, without the line breaks.
  llvm::StringRef text;
  SourceRange range;
};

/// `from onnx domain.Name-version (operands; source -> attribute)`.
struct ImportDef {
  struct Attribute {
    llvm::StringRef source;
    llvm::StringRef target;
  };
  llvm::StringRef format;
  /// Empty for the default domain.
  llvm::StringRef domain;
  llvm::StringRef name;
  /// The first version the clause holds for; 0 when not given.
  unsigned version = 0;
  llvm::ArrayRef<llvm::StringRef> operands;
  llvm::ArrayRef<Attribute> attributes;
  SourceRange range;
};

/// Visits the node and everything below it, parents first, in the order of the text.
void walk(const Node &node, llvm::function_ref<void(const Node &)> visit);
void walk(llvm::ArrayRef<Item> items, llvm::function_ref<void(const Node &)> visit);
/// All expressions of a statement: left sides, values, `into`, clauses.
void walk(const StatementDef &statement, llvm::function_ref<void(const Node &)> visit);

struct SourceFile;

struct OpDef {
  llvm::StringRef name;
  /// The comment lines right above the op, without `#` and its space.
  llvm::ArrayRef<llvm::StringRef> doc;
  llvm::ArrayRef<TensorDef> operands;
  llvm::ArrayRef<AttributeDef> attributes;
  llvm::ArrayRef<TensorDef> results;
  llvm::ArrayRef<StatementDef> statements;
  llvm::ArrayRef<ImportDef> imports;
  llvm::ArrayRef<llvm::StringRef> typeVariables;
  llvm::ArrayRef<TensorSymbol> tensors;
  /// From `op` to the closing brace; imports not included.
  llvm::StringRef text;
  SourceRange range;
  /// Owns everything above.
  std::shared_ptr<const SourceFile> file;

  /// The variadic operand, if the op has one (at most one).
  std::optional<unsigned> variadicOperand() const;
};

} // namespace kumiko::eq
