/**
 * The shell functions of the scripts that reproduce violations. They need a POSIX shell, `curl`,
 * `mktemp` and the standard POSIX tools.
 */

/**
 * Shell functions that read responses. The folder `$dir` contains the head and the body of each
 * response in two files, such as `1.head` and `1.body`.
 */
export const readers = `export LC_ALL=C
# Like the check, the script sends its requests without a proxy.
export no_proxy='*'
dir=$(mktemp -d) || exit 2
cannot() { echo "Could not determine the result: $*" >&2; exit 2; }
prepare() { : >"$dir/$1.head"; : >"$dir/$1.body"; }
status() { awk '/^HTTP\\// { code = $2 } END { print code + 0 }' "$dir/$1.head"; }
field() { awk -v name="$2:" 'index(tolower($0), name) == 1 { sub(/^[^:]*:[ \\t]*/, ""); sub(/[ \\t\\r]+$/, ""); all = all comma $0; comma = ", " } END { print all }' "$dir/$1.head"; }
has_field() { grep -qi "^$2:" "$dir/$1.head"; }
succeeded() { [ "$(status "$1")" -ge 200 ] && [ "$(status "$1")" -lt 300 ]; }
show() { echo "--- answer $1"; cat "$dir/$1.head" "$dir/$1.body"; echo; }`

/**
 * A shell function that prints the items of a JSON list or the members of a JSON object. It prints
 * one item or member per line, without white space between tokens.
 */
export const items = `items() { awk 'BEGIN { RS = "\\001" } { n = length($0); d = 0; s = 0; e = 0; t = ""
  for (i = 1; i <= n; i++) { c = substr($0, i, 1)
    if (s) { t = t c; if (e) e = 0; else if (c == "\\\\") e = 1; else if (c == "\\"") s = 0; continue }
    if (c == "\\"") { s = 1; t = t c; continue }
    if (c ~ /[ \\t\\r\\n]/) continue
    if (c == "[" || c == "{") { d++; if (d == 1) continue }
    if (c == "]" || c == "}") { d--; if (d == 0) { if (t != "") print t; t = ""; continue } }
    if (c == "," && d == 1) { print t; t = ""; continue }
    t = t c } }' "$dir/$1.body"; }`

/**
 * A shell function that prints a description of a response. For a violation without a `sign` (see
 * `sign.ts`), the script compares this description with the result of `looksOf()`
 * (`script-sign.ts`). So both functions must describe a response in the same way.
 */
export const looks = (
  fields: readonly string[],
): string => `masked() { awk -v mark="\${mark:-}" -v id="\${at:+\${at##*/}}" '
  function swap(text, old, new,    out, i) { if (old == "") return text
    while ((i = index(text, old)) > 0) { out = out substr(text, 1, i - 1) new; text = substr(text, i + length(old)) }
    return out text }
  { print swap(swap($0, mark, "MARK"), id, "ID") }' "$dir/$1.body" |
  sed 's/[0-9][0-9]*-[0-9][0-9]-[0-9][0-9]T[0-9:.]*/TIME/g; s/[0-9a-f]\\{8\\}\\(-[0-9a-f]\\{4\\}\\)\\{3\\}-[0-9a-f]\\{12\\}/UUID/g; s/[0-9a-f]\\{16,\\}/HEX/g' |
  tr -d ' \\t\\r\\n'; }
looks() { printf '%s' "$(status "$1")"
  for name in ${fields.join(' ')}; do
    if ! has_field "$1" "$name"; then :
    elif [ "$name" = etag ]; then printf ' %s' "etag=$(field "$1" etag | sed 's/"[^"]*"/"*"/g')"
    elif [ "$2" = own ]; then printf ' %s' "$name"
    else printf ' %s' "$name=$(field "$1" "$name")"; fi
  done
  if [ "$2" = own ] || [ "$(status "$1")" -ge 400 ]; then masked "$1"; else cat "$dir/$1.body"; fi >"$dir/text"
  printf ' body=%s\\n' "$(cksum <"$dir/text")"; }`

/**
 * A shell function that, like `isItemId()`, returns whether a string can be the last part of an
 * item's URL. Without this function, the scripts could send DELETE to a whole collection.
 */
export const isId = `is_id() {
  case "/$(printf '%s' "$1" | sed 's/%2[Ee]/./g; s/%2[Ff]/\\//g; s/%5[Cc]/\\//g; s/\\\\/\\//g')/" in
    *//* | */./* | */../* | *'/;'* | *'/.;'* | *'/..;'* | *[?#[:space:][:cntrl:]]*) return 1 ;;
  esac
}`

/** The commands and conditions that `own()` inserts into its shell functions. */
export interface OwnParts {
  /** The command that sends GET to `$at`, and stores the response under the name `own`. */
  readonly get: string
  /**
   * The command that sends DELETE to `$at` with the entity tag `$tag`, and stores the response
   * under the name `gone`.
   */
  readonly remove: string
  /** The condition that is true if the response `own` has the values that the script has sent. */
  readonly isSent: string
  /**
   * The command that finds a record in the collection by its marker, and sets `$id` to the id of
   * the record. If checks can't find records by a marker, the command is `false`.
   */
  readonly find: string
}

/**
 * Shell functions that add the URLs of created records to `$made`, and remove these records at the
 * end. The URL of a record is added only if it ends with an id, and if the record has the values
 * that the script has sent.
 */
export const own = ({ get, remove, isSent, find }: OwnParts): string => `made=''
lost=''
refused=''
at=''
${isId}
begin() { mark=$(printf 'check-%010d%04d' "$(date +%s)" "$((($$ + $1) % 10000))"); at=''; }
is_there() { prepare own; ${get} && [ "$(status own)" = 200 ]; }
# The body must be an object, because a list could contain the record too.
is_own() { is_there && tr -d ' \\t\\r\\n' <"$dir/own.body" | grep -q '^{' && ${isSent}; }
take() {
  id=$(field "$1" location | sed 's/.*\\///')
  new_at=''
  if is_id "$id"; then new_at=$2/$id; fi
  [ "$(status "$1")" -lt 400 ] || [ "$(status "$1")" -ge 500 ] || { refused=$2; return 1; }
  at=$new_at
  if [ -n "$at" ] && is_own; then made="$made $at"; return 0; fi
  at=''
  lost=$2
  return 1
}
find_own() { ${find} && is_id "$id" && at=$lost/$id; }
clean_up() {
  if [ -n "$lost" ]; then
    if find_own && is_own; then made="$made $at"; else echo "If there is a record with $mark in $lost, remove it." >&2; fi
  fi
  # A refused POST may have created a record (VERB-13).
  if [ -n "$refused" ]; then
    lost=$refused
    if find_own && is_own; then made="$made $at"; fi
  fi
  for at in $made; do
    is_there || continue
    tag=$(field own etag)
    prepare gone
    ${remove}
    if is_there; then echo "Could not remove: $at" >&2; fi
  done
  made=''
  lost=''
  refused=''
}`
