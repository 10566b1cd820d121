/** Parses the arguments of commands. The error for an unknown flag suggests the closest name. */
import { parseArgs } from 'node:util'
import { didYouMean, nearMiss } from '../near-miss.js'
import { UsageError } from './usage-error.js'

/** The flags of a command: `text` takes a value, `switch` takes none. */
export type Flags = Readonly<Record<string, 'text' | 'switch'>>

/** The parsed arguments. */
export interface Given {
  readonly words: readonly string[]
  readonly texts: ReadonlyMap<string, string>
  readonly switches: ReadonlySet<string>
}

/**
 * Parses arguments. Throws `UsageError` for a flag that is unknown or repeated, lacks its value, or
 * has a value although it takes none.
 */
export function parseFlags(args: readonly string[], flags: Flags): Given {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, kind]) => [
      name,
      { type: kind === 'text' ? ('string' as const) : ('boolean' as const) },
    ]),
  )
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const texts = new Map<string, string>()
  const switches = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const kind = flags[name]
    if (kind === undefined) throw unknownFlag(name, rawName, flags)
    if (texts.has(name) || switches.has(name)) throw new UsageError(`${rawName} is given twice.`)
    if (kind === 'switch') {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value.`)
      switches.add(name)
    } else if (value === undefined || value.trim() === '' || (token.inlineValue !== true && value.startsWith('--'))) {
      throw new UsageError(`${rawName} needs a value.`)
    } else texts.set(name, value)
  }
  return { words: positionals, texts, switches }
}

function unknownFlag(name: string, rawName: string, flags: Flags): UsageError {
  const allowed = Object.keys(flags)
  const near = nearMiss(name, allowed)
  const listed = allowed.map((flag) => `--${flag}`)
  return new UsageError(`${rawName} is not a flag. ${didYouMean(near === undefined ? undefined : `--${near}`, listed)}`)
}
