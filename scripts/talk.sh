# Sourced by every script here: how they speak and how they stop.
# A script says what it is about to do in one line and, when it cannot, stops with one clear line.

script_name=$(basename "$0")

# Say one line to the person who waits.
say() { printf '%s: %s\n' "$script_name" "$*" >&2; }

# Stop with one line that says what is wrong and what to do about it.
fail() {
  printf '%s: error: %s\n' "$script_name" "$*" >&2
  exit 1
}

# Run a command into a log file; on failure show the end of the log and stop.
#   logged LOG WHAT COMMAND...
logged() {
  local log=$1 what=$2
  shift 2
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    fail "$what failed; the whole log is $log"
  fi
}
