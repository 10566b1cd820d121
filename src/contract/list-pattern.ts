/**
 * Parses patterns of comma-separated names, such as `^(?:a|b)(?:,(?:a|b))*$`. The parameters `sort`
 * and `expand` have such patterns.
 */

/** A parsed pattern. */
export interface ListPattern {
  readonly names: ReadonlySet<string>
  /**
   * The parts of the pattern other than the names: a negative lookahead before the list, and a sign
   * before each name, such as `[-+]?`.
   */
  readonly rest: string
  /** Whether several names are allowed. */
  readonly isMany: boolean
}

/**
 * Parses a pattern. The pattern may start with a negative lookahead. The rest must match either one
 * name, or a list of names separated by commas. Returns `undefined` for any other pattern.
 */
export function parseListPattern(pattern: string): ListPattern | undefined {
  const inner = /^\^(.*)\$$/s.exec(pattern)?.[1]
  if (inner === undefined) return undefined
  const ahead = leadingLookahead(inner)
  const list = inner.slice(ahead.length)
  for (const [open, close] of brackets) {
    const length = (list.length - open.length - close.length) / 2
    const unit = list.slice(0, Math.max(0, length))
    if (!Number.isInteger(length) || unit === '' || list !== `${unit}${open}${unit}${close}`) continue
    const one = parseOne(unit)
    if (one !== undefined) return { names: one.names, rest: `${ahead} ${one.sign}`, isMany: true }
  }
  const one = parseOne(list)
  return one === undefined ? undefined : { names: one.names, rest: `${ahead} ${one.sign}`, isMany: false }
}

/**
 * Parses the part of a pattern that matches one name, for example `[-+]?(?:a|b)`. The part may be
 * in parentheses.
 */
function parseOne(unit: string): { readonly names: ReadonlySet<string>; readonly sign: string } | undefined {
  const inner = /^\((?:\?:)?((?:\[[^\]]*\]|[-+])\??\(.*\))\)$/.exec(unit)?.[1] ?? unit
  const [, sign = '', names] =
    /^((?:\[[^\]]*\]|[-+])\??)?\((?:\?:)?((?:[^()|\\]|\\.)+(?:\|(?:[^()|\\]|\\.)+)*)\)$/.exec(inner) ?? []
  return names === undefined
    ? undefined
    : { names: new Set(names.split('|').map((name) => name.replaceAll(/\\(.)/g, '$1'))), sign }
}

const brackets = [
  ['(?:,', ')*'],
  ['(,', ')*'],
] as const

/**
 * Returns the negative lookahead at the start of a pattern, including its parentheses; `''` if
 * there is none.
 */
function leadingLookahead(pattern: string): string {
  if (!pattern.startsWith('(?!')) return ''
  let depth = 0
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++
    else if (pattern[at] === '[') at = Math.max(at, pattern.indexOf(']', at))
    else if (pattern[at] === '(') depth++
    else if (pattern[at] === ')' && --depth === 0) return pattern.slice(0, at + 1)
  }
  return ''
}
