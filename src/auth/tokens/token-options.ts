/** Validation rules for options that concern tokens. */
import type { Kind, PresentKind, TextKind } from '../../options/kinds.js'

const text: TextKind = { a: 'a non-empty string', like: /./s }

/** A non-empty string. The option may be absent, but must not be `undefined`. */
export const soleText: PresentKind = { present: text }

/**
 * One non-empty string or several. The option may be absent, but must not be `undefined`. If
 * `undefined` were accepted, a missing variable in `audience: process.env.AUDIENCE` would disable
 * the check of the audience.
 */
export const oneOrMore: PresentKind = {
  present: [text, { each: text, min: 1, a: 'a list of such strings' }] satisfies Kind,
}

/** Returns one value or several as a frozen list, or `undefined` if the option is not set. */
export const frozenList = (given: string | readonly string[] | undefined): readonly string[] | undefined =>
  given === undefined ? undefined : Object.freeze([given].flat())
