/** Kinds of options about tokens. */
import type { Kind, PresentKind, TextKind } from '../../options/kinds.js'

const text: TextKind = { a: 'a text that is not empty', like: /./s }

/** One text. */
export const soleText: PresentKind = { present: text }

/** One text or several: of `audience: process.env.AUDIENCE` with the variable missing nothing would be checked. */
export const oneOrMore: PresentKind = {
  present: [text, { each: text, least: 1, a: 'a list of such texts' }] satisfies Kind,
}

/** One text or several, of that kind, as a list; `undefined` where the option is left out. */
export const frozenList = (given: string | readonly string[] | undefined): readonly string[] | undefined =>
  given === undefined ? undefined : Object.freeze([given].flat())
