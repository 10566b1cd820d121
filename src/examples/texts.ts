/** Generates strings that satisfy the lengths, patterns and formats of a schema. */
import type { JsonSchema } from '../definition/schema-types.js'
import { formatTest } from '../plan/formats.js'
import { all, numbers } from './applied.js'
import { formatTexts, words } from './formats.js'
import type { Making } from './making.js'
import { naturalText } from './natural.js'
import { PatternTexts } from './pattern.js'
import { Unmade } from './unmade.js'

/**
 * The maximum length of a generated string. If a schema requires a longer string, the generation
 * fails.
 */
const longest = 100_000

/** Generates strings, and caches parsed patterns. */
export class Texts {
  readonly #patterns = new Map<string, PatternTexts>()

  /**
   * Generates a string. Throws `Unmade` if the minimum length is greater than the maximum length,
   * or if no matching string was found.
   */
  make(parts: readonly JsonSchema[], making: Making): string {
    const min = Math.max(0, ...numbers(parts, 'minLength'))
    const max = Math.min(longest, ...numbers(parts, 'maxLength'))
    const { path, name, random } = making
    if (min > max) throw new Unmade(path, 'minLength', `no text has at least ${min} and at most ${max} characters`)
    const patterns = all(parts, 'pattern').map((pattern) => this.pattern(String(pattern)))
    const formats = all(parts, 'format').map(String)
    const hasFormats = (text: string): boolean => formats.every((format) => formatTest(format)?.(text) !== false)
    const fits = (text: string): boolean =>
      isWithin(text, min, max) && patterns.every((one) => one.fits(text)) && hasFormats(text)
    const makers = formats.flatMap((format) => formatTexts.get(format) ?? [])
    if (patterns.length === 0 && makers.length === 0) return fitted(naturalText(name, random), min, max, making)
    for (const make of makers) {
      for (let i = 0; i < 8; i++) {
        const text = make(random)
        if (fits(text)) return text
      }
    }
    for (let i = 0; i < 8; i++) {
      for (const pattern of patterns) {
        const text = pattern.make(random, min, max)
        if (text !== undefined && fits(text)) return text
      }
    }
    if (patterns.length > 0)
      throw new Unmade(path, 'pattern', `no text was found that matches ${all(parts, 'pattern').join(' and ')}`)
    throw new Unmade(
      path,
      'format',
      `no text of the format ${formats.join(' and ')} was found with ${min} to ${max} characters`,
    )
  }

  /** The parsed pattern. Throws `SyntaxError` if the pattern is invalid. */
  pattern(pattern: string): PatternTexts {
    const known = this.#patterns.get(pattern) ?? new PatternTexts(pattern)
    this.#patterns.set(pattern, known)
    return known
  }
}

function isWithin(text: string, min: number, max: number): boolean {
  const { length } = [...text]
  return length >= min && length <= max
}

/** The string, extended with words or truncated to an allowed length. */
function fitted(text: string, min: number, max: number, { random }: Making): string {
  let longer = text
  while (longer.length < min) longer = `${longer} ${random.one(words)}`
  if (longer.length <= max) return longer
  // A trailing space would look like a mistake.
  return longer.slice(0, max).replace(/\s$/, 's')
}
