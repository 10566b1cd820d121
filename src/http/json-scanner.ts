/**
 * Checks a JSON text before it is parsed (RFC 8259, RFC 7493; HDR-5). The scanner works without
 * recursion and reads the text once, so that neither a deep nor a long text can exhaust resources.
 * It is stricter than the grammar of JSON. It also refuses a text whose content `JSON.parse` would
 * silently change, for example because of duplicate members.
 */
import { faultAt, forbiddenName, type JsonFault, notFinite, occursTwice, tooDeep, tooPrecise } from './json-fault.js'
import { integerChanges, needsCheck, numberEnd } from './json-number.js'

/** The result for a text that passes the check. */
export interface SoundJson {
  /** True if `JSON.parse` reads a number in the text as `-0`. */
  readonly negativeZero: boolean
}

/**
 * Checks a whole JSON text.
 *
 * @param depth maximum nesting of arrays and objects; `[[]]` has a depth of 2
 */
export function scanJson(text: string, depth: number): SoundJson | JsonFault {
  const scanner = new Scanner(text, depth)
  try {
    scanner.scan()
    return { negativeZero: scanner.negativeZero }
  } catch (error) {
    if (error instanceof Refusal) return error.fault
    throw error
  }
}

class Refusal extends Error {
  readonly fault: JsonFault

  constructor(fault: JsonFault) {
    super(fault.malformed)
    this.fault = fault
  }
}

/**
 * An array or object that is being read. `step` is the current index or name. `names` contains the
 * names that have been read so far in an object, and is `undefined` for an array.
 */
interface Frame {
  step: string | number
  readonly names: Set<string> | undefined
}

class Scanner {
  negativeZero = false
  private readonly text: string
  private readonly depth: number
  private readonly open: Frame[] = []
  private at = 0

  constructor(text: string, depth: number) {
    this.text = text
    this.depth = depth
  }

  scan(): void {
    this.skipSpace()
    if (this.at === this.text.length)
      throw new Refusal({ malformed: 'The text is empty where a JSON value is expected.' })
    do {
      if (this.beginValue()) this.endValue()
    } while (this.open.length > 0)
    if (this.at < this.text.length) throw this.unexpected()
  }

  /**
   * Reads the start of a value. Returns true if the value is already complete: a scalar, an empty
   * array or an empty object. Otherwise the scanner is now at the first value inside the array or
   * object.
   */
  private beginValue(): boolean {
    const character = this.text[this.at]
    switch (character) {
      case '{':
        return this.enter(new Set(), '}')
      case '[':
        return this.enter(undefined, ']')
      case '"':
        this.string()
        return true
      case 't':
        return this.word('true')
      case 'f':
        return this.word('false')
      case 'n':
        return this.word('null')
      default:
        this.number()
        return true
    }
  }

  /**
   * After a complete value, skips closing brackets, a comma and a member name, up to the start of
   * the next value. If there is no next value, stops after the outermost value and its trailing
   * white space.
   */
  private endValue(): void {
    for (;;) {
      this.skipSpace()
      const frame = this.open.at(-1)
      if (frame === undefined) return
      const character = this.text[this.at]
      if (character === ',') {
        this.at++
        this.skipSpace()
        if (frame.names !== undefined) this.name(frame, frame.names)
        else frame.step = Number(frame.step) + 1
        return
      }
      if (character !== (frame.names === undefined ? ']' : '}')) throw this.unexpected()
      this.at++
      this.open.pop()
    }
  }

  private enter(names: Set<string> | undefined, close: string): boolean {
    if (this.open.length >= this.depth) throw this.refusal(tooDeep(this.depth))
    this.at++
    this.skipSpace()
    if (this.text[this.at] === close) {
      this.at++
      return true
    }
    const frame: Frame = { step: 0, names }
    this.open.push(frame)
    if (names !== undefined) this.name(frame, names)
    return false
  }

  private name(frame: Frame, names: Set<string>): void {
    if (this.text[this.at] !== '"') throw this.unexpected()
    const start = this.at
    const escaped = this.string()
    const name = escaped
      ? (JSON.parse(this.text.slice(start, this.at)) as string)
      : this.text.slice(start + 1, this.at - 1)
    frame.step = name
    if (names.has(name)) throw this.refusal(occursTwice)
    if (name === '__proto__') throw this.refusal(forbiddenName)
    names.add(name)
    this.skipSpace()
    if (this.text[this.at] !== ':') throw this.unexpected()
    this.at++
    this.skipSpace()
  }

  /** Skips a string. Returns true if the string contains an escape. */
  private string(): boolean {
    const text = this.text
    let escaped = false
    for (let at = this.at + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x22 /* " */) {
        this.at = at + 1
        return escaped
      }
      if (code === 0x5c /* \ */) {
        escaped = true
        const length = escapeLength(text, at)
        if (length === 0) throw this.failure('The escape is not valid in JSON', at)
        at += length - 1
      } else if (code < 0x20) throw this.failure('A control character must be escaped in a string', at)
    }
    throw this.failure('A string has no closing quotation mark', this.at)
  }

  private number(): void {
    const start = this.at
    const end = numberEnd(this.text, start)
    if (end === start) throw this.unexpected()
    this.at = end
    if (needsCheck(this.text, start, end)) this.checkNumber(this.text.slice(start, end))
  }

  private checkNumber(literal: string): void {
    const value = Number(literal)
    if (!Number.isFinite(value)) throw this.refusal(notFinite)
    if (Object.is(value, -0)) this.negativeZero = true
    if (integerChanges(literal)) throw this.refusal(tooPrecise)
  }

  private word(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected()
    this.at += word.length
    return true
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  /** Creates an error for valid JSON that is refused. */
  private refusal(sentence: string): Refusal {
    return new Refusal(
      faultAt(
        sentence,
        this.open.map((frame) => frame.step),
      ),
    )
  }

  private unexpected(): Refusal {
    const character = this.text[this.at]
    if (character === undefined) return this.failure('The text ends before its JSON value is complete', this.at)
    return this.failure(/[!-~]/.test(character) ? `Unexpected ${character}` : 'Unexpected character', this.at)
  }

  /**
   * Creates an error for invalid JSON, with the position of the fault. Line and column numbers
   * start at 1.
   */
  private failure(what: string, at: number): Refusal {
    const before = this.text.slice(0, at)
    const line = before.split('\n').length
    return new Refusal({ malformed: `${what}: line ${line}, column ${at - before.lastIndexOf('\n')}.` })
  }
}

/** The length of the escape that starts at index `at` (RFC 8259 7); 0 if the escape is invalid. */
function escapeLength(text: string, at: number): number {
  const character = text[at + 1] ?? ''
  if (character === 'u') return /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) ? 6 : 0
  return character !== '' && '"\\/bfnrt'.includes(character) ? 2 : 0
}
