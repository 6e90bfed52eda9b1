//===- OpParser.h - reads one op from its tokens ---------------------------===//
//
// Recursive descent, one function per rule of the grammar in docs/equations.md. Names are bound while reading; the
// tensors of an op are known before its statements, because the left sides are looked at first. The first mistake in
// the grammar ends the op; mistakes in names do not.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Builtin.h"
#include "kumiko/Equation/Lexer.h"
#include "kumiko/Equation/Scope.h"

namespace kumiko::eq {

class OpParser {
public:
  OpParser(SourceFile &file, llvm::ArrayRef<Token> tokens, size_t &position, DiagnosticSink &sink)
      : file(file), tokens(tokens), position(position), sink(sink), scope(sink) {}

  /// Reads `op ... { ... } imports`; nothing when the grammar is broken. Mistakes in names are in the sink.
  std::optional<OpDef> parse();

private:
  // ParseOp.cpp
  bool header(OpDef &op);
  bool operands(llvm::SmallVectorImpl<TensorDef> &list);
  bool attributes();
  bool results(llvm::SmallVectorImpl<TensorDef> &list);
  bool result(llvm::SmallVectorImpl<TensorDef> &list);
  bool tensorParam(TensorDef &param, bool mayDeclareTypes);
  bool attributeParam();
  bool body(OpDef &op);
  void declareTargets();
  bool import(llvm::SmallVectorImpl<ImportDef> &list);
  bool importAttributes(llvm::SmallVectorImpl<ImportDef::Attribute> &list);
  void checkImport(const OpDef &op, const ImportDef &clause);
  llvm::ArrayRef<llvm::StringRef> docAbove(uint32_t offset);

  // ParseStatement.cpp
  bool statement(StatementDef &statement);
  bool target(llvm::SmallVectorImpl<TargetDef> &list);
  bool assignment(StatementDef &statement);
  bool clause(llvm::SmallVectorImpl<ClauseDef> &list);
  bool namedClause(ClauseDef &clause);
  bool declareVariadicNumbers();
  llvm::StringRef textOf(size_t first, size_t last);

  // ParseExpression.cpp
  const Node *expression();
  const Node *binary(unsigned level);
  const Node *unary();
  const Node *primary();
  const Node *literal();
  const Node *parenthesised();
  const Node *named();
  const Node *read(llvm::StringRef name, unsigned tensor, SourceRange range);
  const Node *call(llvm::StringRef name, SourceRange range);
  const Node *typeNode(llvm::StringRef name, SourceRange range);
  const Node *nameAlone(llvm::StringRef name, SourceRange range);
  /// Items up to and including the closing parenthesis.
  bool items(llvm::SmallVectorImpl<Item> &list);
  bool item(Item &item);
  /// An expression of attributes and shapes only: no new index may appear.
  const Node *constantExpression();
  const Node *node(Node node);

  const Token &peek(size_t ahead = 0) const { return tokens[std::min(position + ahead, tokens.size() - 1)]; }
  bool at(llvm::StringRef text) const { return peek().is(text); }
  bool eat(llvm::StringRef text);
  /// Eats `text` or reports what stands there instead.
  bool need(llvm::StringRef text, const llvm::Twine &help = {});
  bool name(llvm::StringRef &name, SourceRange &range, llvm::StringRef what);
  void skipLineBreaks();
  bool syntaxError(const llvm::Twine &message, const llvm::Twine &help = {});
  uint32_t lastEnd() const { return position == 0 ? 0 : tokens[position - 1].range.end; }

  SourceFile &file;
  llvm::ArrayRef<Token> tokens;
  size_t &position;
  DiagnosticSink &sink;
  Scope scope;
  unsigned nesting = 0;
  unsigned constantContext = 0;
  unsigned selectCount = 0;
  unsigned readCount = 0;
};

} // namespace kumiko::eq
