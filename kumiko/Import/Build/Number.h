//===- Number.h - elements as text, without loss -------------------------------------===//
#pragma once
#include "kumiko/Support/ElementType.h"
#include <string>

namespace kumiko {

/// The element at `bytes`: the shortest decimal that gives it back, or its bits as `0x7fc00001`.
std::string numberText(ElementType type, const uint8_t *bytes);
/// A double of an attribute; never looks like an integer.
std::string realText(double value);
/// Reads what `numberText` writes into `bytes`, which has room for 8.
bool parseNumber(llvm::StringRef text, ElementType type, uint8_t *bytes);

/// Whether a byte is how an element of a type below a byte is held.
bool isCode(ElementType type, uint8_t byte);

} // namespace kumiko
