//===- Options.td - every command and option of `kumiko` --------------------===//
//
// The one table: parsing, help, `did you mean` and completion are made from it. An option lists the commands that take
// it; others refuse it.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

def compile : SubCommand<"compile", "turn a model into an object file or a shared library",
  "kumiko compile MODEL -o OUT.{o,so} [options]">;
def run : SubCommand<"run", "run a model, or a shared library made by compile, on given inputs",
  "kumiko run MODEL|OUT.so --inputs IN.npz --outputs OUT.npz [options]">;
def bench : SubCommand<"bench", "measure how fast a model or a shared library runs",
  "kumiko bench MODEL|OUT.so [options]">;
def verify : SubCommand<"verify", "compare compiled code with the reference evaluator",
  "kumiko verify MODEL|OUT.so [options]">;
def inspect : SubCommand<"inspect", "show what a model or a shared library holds",
  "kumiko inspect MODEL|OUT.so [options]">;
def bisect : SubCommand<"bisect", "find the pass, rule or kernel that changes a model's results",
  "kumiko bisect MODEL|CASE.mlir [-o DIR] [options]">;
def doctor : SubCommand<"doctor", "say what Kumiko finds on this machine, and whether it works here",
  "kumiko doctor [--json]">;

def cache : SubCommand<"cache", "say where compiled kernels are kept, how many and how large, or clear them",
  "kumiko cache [--clear] [--json]">;

class Titled<string title> : OptionGroup<title> { let HelpText = title; }
def results_group : Titled<"Input and output">;
def model_group : Titled<"Model">;
def compile_group : Titled<"Compiling">;
def run_group : Titled<"Running">;
def verify_group : Titled<"Verifying">;

defvar all = [compile, run, bench, verify, inspect, bisect];
defvar compiling = [compile, run, bench, verify];
defvar running = [run, bench, verify];
defvar judged = [run, bench, verify, bisect];

// An option with a value: `--name VALUE` and `--name=VALUE`.
multiclass Value<string name, string meta, list<SubCommand> commands, string help> {
  def NAME : Separate<["--"], name, commands>, MetaVarName<meta>, HelpText<help>;
  def NAME#_eq : Joined<["--"], name#"=", commands>, Alias<!cast<Option>(NAME)>;
}

def help : Flag<["--"], "help", !listconcat(all, [doctor, cache])>, HelpText<"show this text">;
def help_short : Flag<["-"], "h", !listconcat(all, [doctor, cache])>, Alias<help>;

let Group = results_group in {
def output : Separate<["-"], "o", [compile, bisect, inspect]>, MetaVarName<"OUT">,
  HelpText<"where to write: OUT.o (with OUT.h beside it) or OUT.so; of bisect a folder (default kumiko-bisect)">;
def as_text : Flag<["--"], "as-text", [inspect]>,
  HelpText<"write the model as text; with -o OUT.kmk (or a folder) its weights beside it as OUT.safetensors">;
defm inputs : Value<"inputs", "IN.npz", judged, "arrays to run on, named as the model names its inputs">;
defm input : Value<"input", "NAME=X", judged, "one input: a .npy file, or 'random' (the same numbers every time)">;
defm outputs : Value<"outputs", "OUT.npz", [run], "where to write the results; without it they are summed up">;
def json : Flag<["--"], "json", [bench, verify, inspect, bisect, doctor, cache]>, HelpText<"print one JSON object">;
} // group

def clear : Flag<["--"], "clear", [cache]>, HelpText<"remove all that is kept">;

let Group = model_group in {
defm dim : Value<"dim", "NAME=N", all, "size of a symbolic dimension; 'INPUT[AXIS]=N' where it has no name">;
defm ops : Value<"ops", "FILE.eq", all, "ops of your own, written as equations; may be given several times">;
def allow_symlinks : Flag<["--"], "allow-symlinks", all>, HelpText<"let external data be symbolic links">;
} // group

let Group = compile_group in {
defm allow : Value<"allow", "CLASS", !listconcat(compiling, [bisect]), "rewrites up to exact, rounding or approximate (default)">,
  Values<"exact,rounding,approximate">;
defm without : Value<"without", "NAME", !listconcat(compiling, [bisect]),
  "leave out a rule or a pass of docs/reference/optimisations.md, 'fusion' or 'tables'; may be given several times">;
defm schedule : Value<"schedule", "FILE", compiling,
  "how products and attention are to be computed, in the words of docs/schedules.md; the rest is chosen">;
defm target : Value<"target", "CPU", !listconcat(compiling, [bisect]), "machine to compile for: host (default), a name with what to adjust, or help">;
defm backend : Value<"backend", "NAME", !listconcat(compiling, [bisect]),
  "who makes code: cpu (default), or plain loops as a second opinion, for any machine that LLVM knows">, Values<"cpu,plain">;
defm weights : Value<"weights", "PLACE", [compile], "embed, or file: beside the artefact (default above 1 GiB)">,
  Values<"embed,file">;
def explain : Flag<["--"], "explain", [compile]>, HelpText<"say what became of every node; --explain=json for programs">;
def explain_eq : Joined<["--"], "explain=", [compile]>, Values<"text,json">;
defm stop_after : Value<"stop-after", "STAGE", [compile],
  "print the IR after import, optimize, fuse, lower, schedule, plan, codegen or emit">;
defm dump_ir : Value<"dump-ir", "DIR", compiling, "write the IR after every stage into DIR">;
def timing : Flag<["--"], "timing", compiling>, HelpText<"say on standard error where compile time went">;
def no_cache : Flag<["--"], "no-cache", compiling>, HelpText<"compile every kernel, also those that are kept from earlier">;
// For tests of Kumiko itself, so without a line in the help.
def sanitize : Joined<["--"], "sanitize=", [compile]>, Values<"thread">;
defm jobs : Value<"jobs", "N", compiling, "threads of the compiler; never changes the result">;
} // group

let Group = run_group in {
def reference : Flag<["--"], "reference", [run]>,
  HelpText<"compute with the reference evaluator instead of compiling; all sizes come from the inputs">;
defm threads : Value<"threads", "N", running, "threads of the compiled code (default: every CPU it may use)">;
} // group

let Group = verify_group in {
defm ulp : Value<"ulp", "N", [verify], "largest error to accept, in units in the last place (default: 1e-5 of the largest for f32)">;
defm model : Value<"model", "MODEL", [verify], "what OUT.so was compiled from (default: the file of that name beside it)">;
def each_op : Flag<["--"], "each-op", [verify]>, HelpText<"name the first node whose result differs">;
def each_pass : Flag<["--"], "each-pass", [verify]>, HelpText<"evaluate after every pass of optimize and fuse, each by its class">;
} // group
