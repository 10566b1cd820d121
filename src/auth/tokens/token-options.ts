/** Kinds of options that concern tokens. */
import type { Kind, PresentKind, TextKind } from '../../options/kinds.js'

const text: TextKind = { a: 'a non-empty string', like: /./s }

/** One string. */
export const soleText: PresentKind = { present: text }

/**
 * One string or several, but not an empty value: with `audience: process.env.AUDIENCE` and the
 * variable missing, nothing would be checked.
 */
export const oneOrMore: PresentKind = {
  present: [text, { each: text, min: 1, a: 'a list of such strings' }] satisfies Kind,
}

/** One value or several as a frozen list; `undefined` if the option is not set. */
export const frozenList = (given: string | readonly string[] | undefined): readonly string[] | undefined =>
  given === undefined ? undefined : Object.freeze([given].flat())
