/** Arguments of commands, with near misses of flags. */
import { parseArgs } from 'node:util'
import { didYouMean, nearMiss } from '../near-miss.js'
import { UsageError } from './usage-error.js'

/** The flags of a command: with a value, or without. */
export type Flags = Readonly<Record<string, 'text' | 'switch'>>

/** What was given. */
export interface Given {
  readonly words: readonly string[]
  readonly texts: ReadonlyMap<string, string>
  readonly switches: ReadonlySet<string>
}

/** Reads arguments. Throws `UsageError` for an unknown flag, one that comes twice, and one without its value. */
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
    if (texts.has(name) || switches.has(name)) throw new UsageError(`${rawName} comes twice.`)
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
  return new UsageError(`${rawName} is no flag. ${didYouMean(near === undefined ? undefined : `--${near}`, listed)}`)
}
