//===- TargetAttr.td - the attribute that says what code is made for ----------===//
#ifndef KUMIKO_TARGET_ATTR_TD
#define KUMIKO_TARGET_ATTR_TD
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def Kumiko_Dialect : Dialect {
  let name = "kumiko";
  let cppNamespace = "::kumiko";
  let summary = "what a module says of itself: `kumiko.target`";
  let useDefaultAttributePrinterParser = 1;
}

def Kumiko_TargetAttr : AttrDef<Kumiko_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "a row of kumiko/Target/Rows.txt and what was adjusted";
  let description = [{
    ```mlir
    module attributes {kumiko.target = #kumiko.target<"x86-64-v3,+avxvnni">} { ... }
    ```
    Passes ask `targetOf` and know nothing else of the machine. `host` is none: the host is written as its row.
  }];
  let parameters = (ins StringRefParameter<"as `Target::spelled`">:$spelled);
  let assemblyFormat = "`<` $spelled `>`";
  let genVerifyDecl = 1;
}
#endif
