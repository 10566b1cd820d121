/**
 * Generates strings that match the `pattern` of a schema. The pattern is a JavaScript regular
 * expression with the flag `u`.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import type { Random } from '../random.js'

/** The maximum number of attempts for a pattern. */
const tries = 40

/**
 * The limits on repetitions, one for each of the first attempts. A limit of 3 means that an element
 * is repeated at most three times more than the minimum of its quantifier.
 */
const reaches = [3, 1, 0, 8, 20]

const parser = new RegExpParser({ ecmaVersion: 2025 })

/** The preferred characters. Letters and digits are more readable than other characters. */
const readable = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']
const printable = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCodePoint(0x20 + i))

type CharacterSet = AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass

/** Generates strings for one pattern. */
export class PatternTexts {
  readonly #pattern: AST.Pattern
  readonly #test: RegExp
  readonly #characters = new Map<CharacterSet, readonly string[]>()

  /** Throws `SyntaxError` for an invalid pattern. */
  constructor(pattern: string) {
    this.#test = new RegExp(pattern, 'u')
    this.#pattern = parser.parsePattern(pattern, 0, pattern.length, { unicode: true })
  }

  /** A string that matches the pattern and has an allowed length; `undefined` if none was found. */
  make(random: Random, min: number, max: number): string | undefined {
    for (let i = 0; i < tries; i++) {
      const reach = i < reaches.length ? (reaches[i] as number) : Math.min(min + random.below(8), 1_000)
      const text = new Writer(random, reach, (set) => this.#charactersOf(set)).alternatives(this.#pattern.alternatives)
      const { length } = [...text]
      if (length >= min && length <= max && this.#test.test(text)) return text
    }
    return undefined
  }

  /** Whether a string matches the pattern. */
  fits(text: string): boolean {
    return this.#test.test(text)
  }

  #charactersOf(set: CharacterSet): readonly string[] {
    const known = this.#characters.get(set)
    if (known !== undefined) return known
    const test = new RegExp(`^(?:${set.raw})$`, 'u')
    const found = [readable, printable]
      .map((pool) => pool.filter((one) => test.test(one)))
      .find((some) => some.length > 0)
    const characters = found ?? elsewhere(test)
    this.#characters.set(set, characters)
    return characters
  }
}

/** Up to 200 characters of a set that contains no printable ASCII characters. */
function elsewhere(test: RegExp): readonly string[] {
  const found: string[] = []
  for (let point = 0; point < 0x20000 && found.length < 200; point++) {
    if (point >= 0xd800 && point < 0xe000) continue
    const one = String.fromCodePoint(point)
    if (test.test(one)) found.push(one)
  }
  return found
}

/** Writes one string. Ignores most lookarounds, because the whole string is tested afterwards. */
class Writer {
  readonly #groups = new Map<AST.CapturingGroup, string>()

  constructor(
    readonly random: Random,
    readonly reach: number,
    readonly charactersOf: (set: CharacterSet) => readonly string[],
  ) {}

  alternatives(given: readonly AST.Alternative[]): string {
    return this.random
      .one(given)
      .elements.map((element) => this.element(element))
      .join('')
  }

  element(element: AST.Element): string {
    switch (element.type) {
      case 'Character':
        return String.fromCodePoint(element.value)
      case 'CharacterClass':
      case 'CharacterSet':
      case 'ExpressionCharacterClass':
        return this.random.one(this.charactersOf(element)) ?? ''
      case 'Group':
        return this.alternatives(element.alternatives)
      case 'CapturingGroup': {
        const text = this.alternatives(element.alternatives)
        this.#groups.set(element, text)
        return text
      }
      case 'Backreference':
        return [element.resolved].flat().map((group) => this.#groups.get(group) ?? '')[0] ?? ''
      case 'Quantifier': {
        const count = element.min + this.random.below(Math.min(element.max - element.min, this.reach) + 1)
        return Array.from({ length: Math.min(count, 10_000) }, () => this.element(element.element)).join('')
      }
      default:
        // Among the assertions, only a positive lookbehind generates text. A lookahead generates
        // none, because it describes the text that the elements after it generate.
        return element.type === 'Assertion' && element.kind === 'lookbehind' && !element.negate
          ? this.alternatives(element.alternatives)
          : ''
    }
  }
}
