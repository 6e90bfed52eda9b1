//===- Walker.cpp - the single-thread entry of an object file ---------------===//
//
//   int <name>_run(inputs..., outputs..., [const void *weights,] void *arena) {
//     if (arena & 63) return KUMIKO_E_ARGUMENT;
//     void *bases[] = {inputs..., outputs..., weights, arena};
//     void *buffers[largest];
//     int64_t turns[loops];
//     for (call in calls) {
//       for (b = 0; b < call.buffer_count; ++b) {
//         buffers[b] = bases[first[call.buffers[b].space] + call.buffers[b].number] + call.buffers[b].offset;
//         for (step in call.buffers[b].steps)
//           buffers[b] += factor(step.kind, turns[step.loop]) * step.bytes;
//       }
//       for (chunk = 0; chunk < call.chunks; ++chunk)
//         if (int code = call.kernel(buffers, 0, chunk, scratch)) return code;
//     }
//     return 0;
//   }
//
// It walks the same table as the runtime, so its size does not grow with the network; loops and choices of the program
// are loops and choices of the code.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Emit/Table.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace kumiko;
using llvm::Value;

namespace {
class WalkerBuilder {
public:
  WalkerBuilder(llvm::Module &module, const Program &program, llvm::Constant *calls, llvm::Constant *weights)
      : module(module), program(program), calls(calls), weights(weights), context(module.getContext()), types(context),
        builder(context), ptr(builder.getPtrTy()) {}

  void build();

private:
  void createFunction();
  void refuseMisalignedArena();
  /// The pointer that a buffer reference of each space counts from, in the order of Space.
  void storeBases();
  /// Calls [first, last), which are all of one loop or branch.
  void walkRange(size_t first, size_t last);
  void walkLoop(size_t number);
  void walkChoice(size_t number);
  void walkCall(Value *index);
  /// Stores the addresses of the call's buffers.
  void resolve(Value *call);
  /// The address of buffer `index` of call `number` inside of its loops.
  Value *bufferOf(size_t number, unsigned index);
  Value *addressOf(Value *reference);
  /// LoopStep::factor
  Value *factorOf(Value *kind, Value *turn);
  /// for (index = 0; index < count; ++index) body(index); ends before a turn when `more` says no.
  void loop(Value *count, llvm::function_ref<void(Value *)> body, llvm::function_ref<Value *()> more = nullptr);
  void returnIfNotZero(Value *code);
  Value *loadField(llvm::StructType *type, Value *record, unsigned field) {
    return builder.CreateLoad(type->getElementType(field), builder.CreateStructGEP(type, record, field));
  }
  llvm::BasicBlock *block(const char *name) { return llvm::BasicBlock::Create(context, name, function); }

  llvm::Module &module;
  const Program &program;
  llvm::Constant *calls, *weights;
  llvm::LLVMContext &context;
  TableTypes types;
  llvm::IRBuilder<> builder;
  llvm::PointerType *ptr;
  llvm::Function *function = nullptr;
  Value *arena = nullptr, *scratch = nullptr, *bases = nullptr, *buffers = nullptr, *turns = nullptr, *moved = nullptr;
  llvm::GlobalVariable *firsts = nullptr;
};
} // namespace

void WalkerBuilder::createFunction() {
  size_t pointers = program.inputs.size() + program.outputs.size() + (weights || !program.weightsBytes ? 0 : 1) + 1;
  llvm::SmallVector<llvm::Type *> parameters(pointers, ptr);
  function = llvm::Function::Create(llvm::FunctionType::get(builder.getInt32Ty(), parameters, false),
                                    llvm::GlobalValue::ExternalLinkage, program.name + "_run", module);
  builder.SetInsertPoint(block("entry"));
  arena = function->getArg(pointers - 1);
}

void WalkerBuilder::refuseMisalignedArena() {
  Value *low = builder.CreateAnd(builder.CreatePtrToInt(arena, builder.getInt64Ty()), 63);
  llvm::BasicBlock *refuse = block("misaligned"), *go = block("go");
  builder.CreateCondBr(builder.CreateIsNotNull(low), refuse, go);
  builder.SetInsertPoint(refuse);
  builder.CreateRet(builder.getInt32(walkerArgumentError));
  builder.SetInsertPoint(go);
}

void WalkerBuilder::storeBases() {
  llvm::SmallVector<Value *> pointers;
  for (size_t i = 0; i < program.inputs.size() + program.outputs.size(); ++i)
    pointers.push_back(function->getArg(i));
  Value *noWeights = llvm::ConstantPointerNull::get(ptr);
  bool parameter = !weights && program.weightsBytes;
  pointers.push_back(weights ? weights : parameter ? function->getArg(pointers.size()) : noWeights);
  pointers.push_back(arena);
  bases = builder.CreateAlloca(ptr, builder.getInt64(pointers.size()));
  for (auto [i, pointer] : llvm::enumerate(pointers))
    builder.CreateStore(pointer, builder.CreateConstGEP1_64(ptr, bases, i));

  uint32_t inputs = program.inputs.size(), interface = inputs + program.outputs.size();
  auto *first = llvm::ConstantDataArray::get(context, llvm::ArrayRef<uint32_t>{0, inputs, interface, interface + 1});
  firsts = new llvm::GlobalVariable(module, first->getType(), true, llvm::GlobalValue::PrivateLinkage, first, "firsts");
}

void WalkerBuilder::loop(Value *count, llvm::function_ref<void(Value *)> body, llvm::function_ref<Value *()> more) {
  llvm::BasicBlock *before = builder.GetInsertBlock();
  llvm::BasicBlock *head = block("head"), *inside = block("body"), *after = block("after");
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(builder.getInt64(0), before);
  builder.CreateCondBr(builder.CreateICmpSLT(index, count), inside, after);
  builder.SetInsertPoint(inside);
  if (more) {
    llvm::BasicBlock *turn = block("turn");
    builder.CreateCondBr(more(), turn, after);
    builder.SetInsertPoint(turn);
  }
  body(index);
  index->addIncoming(builder.CreateAdd(index, builder.getInt64(1)), builder.GetInsertBlock());
  builder.CreateBr(head);
  builder.SetInsertPoint(after);
}

void WalkerBuilder::returnIfNotZero(Value *code) {
  llvm::BasicBlock *failed = block("failed"), *next = block("next");
  builder.CreateCondBr(builder.CreateIsNotNull(code), failed, next);
  builder.SetInsertPoint(failed);
  builder.CreateRet(code);
  builder.SetInsertPoint(next);
}

Value *WalkerBuilder::factorOf(Value *kind, Value *turn) {
  auto is = [&](LoopStep::Kind wanted) { return builder.CreateICmpEQ(kind, builder.getInt32(uint32_t(wanted))); };
  Value *odd = builder.CreateAnd(turn, 1);
  Value *alternating = builder.CreateSelect(is(LoopStep::Kind::Even), builder.CreateXor(odd, 1), odd);
  Value *counting = builder.CreateSelect(is(LoopStep::Kind::Backward), builder.CreateNeg(turn), turn);
  Value *counts = builder.CreateOr(is(LoopStep::Kind::Forward), is(LoopStep::Kind::Backward));
  return builder.CreateSelect(counts, counting, alternating);
}

Value *WalkerBuilder::addressOf(Value *reference) {
  Value *space = loadField(types.buffer, reference, 0);
  Value *first = builder.CreateLoad(builder.getInt32Ty(), builder.CreateGEP(builder.getInt32Ty(), firsts, space));
  Value *which = builder.CreateAdd(first, loadField(types.buffer, reference, 1));
  Value *base = builder.CreateLoad(ptr, builder.CreateGEP(ptr, bases, which));
  Value *pointer = builder.CreateGEP(builder.getInt8Ty(), base, loadField(types.buffer, reference, 2));
  if (!turns)
    return pointer;
  builder.CreateStore(pointer, moved);
  Value *steps = loadField(types.buffer, reference, 3);
  loop(loadField(types.buffer, reference, 4), [&](Value *i) {
    Value *step = builder.CreateGEP(types.step, steps, i);
    Value *turn = builder.CreateLoad(builder.getInt64Ty(),
                                     builder.CreateGEP(builder.getInt64Ty(), turns, loadField(types.step, step, 0)));
    Value *bytes = builder.CreateMul(factorOf(loadField(types.step, step, 1), turn), loadField(types.step, step, 2));
    builder.CreateStore(builder.CreateGEP(builder.getInt8Ty(), builder.CreateLoad(ptr, moved), bytes), moved);
  });
  return builder.CreateLoad(ptr, moved);
}

Value *WalkerBuilder::bufferOf(size_t number, unsigned index) {
  Value *call = builder.CreateConstGEP1_64(types.call, calls, number);
  return addressOf(builder.CreateConstGEP1_64(types.buffer, loadField(types.call, call, 1), index));
}

void WalkerBuilder::resolve(Value *call) {
  Value *references = loadField(types.call, call, 1);
  loop(loadField(types.call, call, 2), [&](Value *i) {
    Value *address = addressOf(builder.CreateGEP(types.buffer, references, i));
    builder.CreateStore(address, builder.CreateGEP(ptr, buffers, i));
  });
}

void WalkerBuilder::walkRange(size_t first, size_t last) {
  for (size_t number = first; number < last;) {
    const ProgramCall &call = program.calls[number];
    size_t next = number + 1 + call.body + call.otherwise;
    if (call.kind == CallKind::Loop) {
      walkLoop(number);
    } else if (call.kind == CallKind::Choice) {
      walkChoice(number);
    } else {
      while (next < last && program.calls[next].isKernel())
        ++next;
      loop(builder.getInt64(next - number),
           [&](Value *index) { walkCall(builder.CreateAdd(index, builder.getInt64(number))); });
    }
    number = next;
  }
}

void WalkerBuilder::walkLoop(size_t number) {
  const ProgramCall &call = program.calls[number];
  Value *turn = builder.CreateConstGEP1_64(builder.getInt64Ty(), turns, call.loops);
  auto body = [&](Value *index) {
    builder.CreateStore(index, turn);
    if (!call.buffers.empty())
      builder.CreateAlignedStore(index, bufferOf(number, 1), llvm::Align(1));
    walkRange(number + 1, number + 1 + call.body);
    // The number of turns done so far: for the condition, and for those who read what the loop leaves behind.
    builder.CreateStore(builder.CreateAdd(index, builder.getInt64(1)), turn);
  };
  auto more = [&] { return builder.CreateIsNotNull(builder.CreateLoad(builder.getInt8Ty(), bufferOf(number, 0))); };
  builder.CreateStore(builder.getInt64(0), turn);
  if (call.buffers.empty())
    loop(builder.getInt64(call.chunks.value()), body);
  else
    loop(builder.getInt64(call.chunks.value()), body, more);
}

void WalkerBuilder::walkChoice(size_t number) {
  const ProgramCall &call = program.calls[number];
  llvm::BasicBlock *yes = block("yes"), *no = block("no"), *after = block("chosen");
  Value *condition = builder.CreateLoad(builder.getInt8Ty(), bufferOf(number, 0));
  builder.CreateCondBr(builder.CreateIsNotNull(condition), yes, no);
  size_t middle = number + 1 + call.body;
  builder.SetInsertPoint(yes);
  walkRange(number + 1, middle);
  builder.CreateBr(after);
  builder.SetInsertPoint(no);
  walkRange(middle, middle + call.otherwise);
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

void WalkerBuilder::walkCall(Value *index) {
  Value *call = builder.CreateGEP(types.call, calls, index);
  resolve(call);
  Value *kernel = loadField(types.call, call, 0);
  loop(loadField(types.call, call, 3), [&](Value *chunk) {
    Value *noSymbols = llvm::ConstantPointerNull::get(ptr);
    returnIfNotZero(builder.CreateCall(types.kernel, kernel, {buffers, noSymbols, chunk, scratch}));
  });
}

void WalkerBuilder::build() {
  createFunction();
  size_t largest = 1;
  uint32_t deepest = 0;
  for (const ProgramCall &call : program.calls) {
    largest = std::max(largest, call.buffers.size());
    deepest = std::max(deepest, call.loops + (call.kind == CallKind::Loop));
  }
  // In the entry block, so that they are part of the frame.
  buffers = builder.CreateAlloca(ptr, builder.getInt64(largest));
  if (deepest != 0) {
    turns = builder.CreateAlloca(builder.getInt64Ty(), builder.getInt64(deepest));
    moved = builder.CreateAlloca(ptr);
  }
  storeBases();
  refuseMisalignedArena();
  scratch = builder.CreateConstGEP1_64(builder.getInt8Ty(), arena, llvm::alignTo(program.arenaBytes, 64));
  walkRange(0, program.calls.size());
  builder.CreateRet(builder.getInt32(0));
}

void kumiko::addWalker(llvm::Module &module, const Program &program, llvm::Constant *calls, llvm::Constant *weights) {
  WalkerBuilder(module, program, calls, weights).build();
}

uint64_t kumiko::walkerArenaBytes(const Program &program) {
  // Never zero: the arena is an array in the caller's C.
  return std::max<uint64_t>(64, llvm::alignTo(program.arenaBytes, 64) + llvm::alignTo(program.scratchBytes, 64));
}
