# Sourced by `check` and `check-long`: steps with a limit of time, a log in build/check and counts, one after another or side
# by side. A step ends with `N passed, N failed, N skipped`; one that only says whether all is well counts nothing.

passed=0 failed=0 skipped=0
wanted=() # the steps that are asked for; all where none is
known=()  # the steps that there are
mkdir -p build/check

# perform NAME SECONDS COMMAND...: one step with a time limit; its counts and times go into build/check/NAME.counts. A
# step that ends badly without having counted a failure is one failure itself.
perform() {
  local name=$1 limit=$2 log=build/check/$1.log begun=$SECONDS status=0 line cpu
  shift 2
  local TIMEFORMAT='%U %S'
  cpu=$({ time timeout --kill-after=10 "$limit" "$@" >"$log" 2>&1; } 2>&1) || status=$?
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1 || true)
  [[ $line ]] || line="0 passed, 0 failed, 0 skipped"
  local p f s user system
  read -r p _ f _ s _ <<<"$line"
  if ((status != 0 && f == 0)); then
    f=1
    ((status == 124)) && echo "$name took more than $limit s" >>"$log"
  fi
  # The shell's own words, where a command is killed, stand before the times.
  read -r user system <<<"$(tail -n 1 <<<"$cpu")"
  echo "$p $f $s $((SECONDS - begun)) $(printf '%.0f' "$user") $(printf '%.0f' "$system")" >"build/check/$name.counts"
}

# report NAME: adds a step's counts to the sum and says them.
report() {
  local name=$1 p f s seconds user system
  read -r p f s seconds user system <"build/check/$name.counts"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  say "$(printf '%-10s %5d passed %4d failed %4d skipped %5d s %5d s of CPU' \
    "$name" "$p" "$f" "$s" "$seconds" $((user + system)))"
  if ((f)); then
    tail -n 60 "build/check/$name.log" >&2
    say "$name failed; the whole log is build/check/$name.log"
  fi
}

asked_for() {
  known+=("$1")
  ((${#wanted[@]} == 0)) || [[ " ${wanted[*]} " == *" $1 "* ]]
}

# alone NAME SECONDS COMMAND...: a step that uses every core by itself, or measures time.
alone() {
  asked_for "$1" || return 0
  perform "$@"
  report "$1"
}

# beside NAME SECONDS COMMAND...: a step that keeps little more than one core busy; as many as there are cores run side by
# side, at most four. `finish` waits for the last of them.
declare -A running=()
lanes=$(nproc)
((lanes <= 4)) || lanes=4
beside() {
  asked_for "$1" || return 0
  ((${#running[@]} < lanes)) || next_ends
  perform "$@" &
  running[$!]=$1
}
next_ends() {
  local id
  wait -n -p id "${!running[@]}" || true
  report "${running[$id]}"
  unset "running[$id]"
}
finish() { while ((${#running[@]})); do next_ends; done; }

# sum_up: the last line of all, and whether nothing failed. A name that is no step is a mistake.
sum_up() {
  local name
  for name in "${wanted[@]}"; do
    [[ " ${known[*]} " == *" $name "* ]] || fail "no step $name; there are: $(printf '%s\n' "${known[@]}" | sort -u | xargs)"
  done
  echo "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0))
}
