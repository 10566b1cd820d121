/** Comma lists of names as patterns: what `sort` and `expand` take, such as `^(?:a|b)(?:,(?:a|b))*$`. */

/** The names in such a pattern, and what else it says; `undefined` for other patterns. */
export interface ListPattern {
  readonly names: ReadonlySet<string>
  /** What stands before each name, such as `[-+]?`, and before the list. */
  readonly rest: string
  /** Whether there may be several names. */
  readonly isMany: boolean
}

/** Reads a pattern: a lookahead or none, then one name, then a comma with another as often as it takes. */
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

/** One name, such as `[-+]?(?:a|b)`, or the same in brackets. */
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

/** A negative lookahead at the start, brackets and all. */
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
