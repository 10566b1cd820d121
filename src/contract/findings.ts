/** The differences that two schemas can have, and their effects on clients. */
import type { Schema } from './flatten.js'
import type { Place } from './nodes.js'

/**
 * The use of a schema. Clients send values for `parameter`, `request` and `reply` (to a webhook or
 * callback). They receive values for `response`, `header` and `delivery` (of a webhook or
 * callback).
 */
export type SchemaPlace = 'parameter' | 'request' | 'response' | 'header' | 'delivery' | 'reply'

/** Returns whether clients send the values of a schema with this use. */
export const isSentAt = (place: SchemaPlace): boolean =>
  place === 'parameter' || place === 'request' || place === 'reply'

/** The level of a difference, for values that clients send and for values that clients receive. */
interface Effect {
  readonly sent: Level
  readonly received: Level
  /** The predicate of a sentence whose subject is the schema. */
  readonly predicate: string
}

/**
 * `breaking`: clients break. `warning`: only generated code may break. `harmless`: nothing breaks.
 */
export type Level = 'breaking' | 'warning' | 'harmless'

const narrower = { sent: 'breaking', received: 'harmless' } as const
const wider = { sent: 'harmless', received: 'breaking' } as const
const breaksBoth = { sent: 'breaking', received: 'breaking' } as const
const breaksNone = { sent: 'harmless', received: 'harmless' } as const

/**
 * Every difference that two schemas can have. If clients send the values, it is harmless to allow
 * more values. If clients receive the values, it is harmless to allow fewer values. In messages,
 * `{before}`, `{after}` and `{keyword}` are replaced with the `from`, `to` and `keyword` of a
 * finding.
 */
export const differences = {
  'type-narrowed': { ...narrower, predicate: 'no longer has the types {before}, only {after}' },
  'type-widened': { ...wider, predicate: 'has the types {after} in place of {before}' },
  'type-changed': { ...breaksBoth, predicate: 'has the type {after} in place of {before}' },
  'null-refused': { ...narrower, predicate: 'can no longer be null' },
  'null-allowed': { ...wider, predicate: 'may be null now' },
  'format-added': { ...narrower, predicate: 'has the format {after} now' },
  'format-removed': { ...wider, predicate: 'no longer has the format {before}' },
  'format-changed': { ...breaksBoth, predicate: 'has the format {after} in place of {before}' },
  'enum-added': { ...narrower, predicate: 'has only the values {after} now' },
  'enum-removed': { ...wider, predicate: 'may have other values than {before} now' },
  'value-removed': { ...narrower, predicate: 'no longer has the value {before}' },
  'value-added': { ...wider, predicate: 'may have the value {after} now' },
  'minimum-raised': { ...narrower, predicate: 'has {keyword} {after} in place of {before}' },
  'minimum-lowered': { ...wider, predicate: 'has {keyword} {after} in place of {before}' },
  'maximum-lowered': { ...narrower, predicate: 'has {keyword} {after} in place of {before}' },
  'maximum-raised': { ...wider, predicate: 'has {keyword} {after} in place of {before}' },
  'multiple-narrowed': { ...narrower, predicate: 'has multipleOf {after} in place of {before}' },
  'multiple-widened': { ...wider, predicate: 'has multipleOf {after} in place of {before}' },
  'multiple-changed': { ...breaksBoth, predicate: 'has multipleOf {after} in place of {before}' },
  'unique-items-required': { ...narrower, predicate: 'can no longer have an item twice' },
  'unique-items-dropped': { ...wider, predicate: 'may have an item twice now' },
  'pattern-added': { ...narrower, predicate: 'has the pattern {after} now' },
  // Clients rarely check the pattern of a value that they receive. The tool oasdiff also treats
  // this change as harmless.
  'pattern-removed': { ...breaksNone, predicate: 'no longer has the pattern {before}' },
  'pattern-changed': { ...narrower, predicate: 'has the pattern {after} in place of {before}' },
  'member-added': { ...breaksNone, predicate: 'is new' },
  'required-member-added': { ...narrower, predicate: 'is new and required' },
  'member-became-required': { ...narrower, predicate: 'is required now' },
  'member-became-optional': { ...wider, predicate: 'is no longer always present' },
  'member-removed': { ...breaksBoth, predicate: 'was removed' },
  'member-removed-after-sunset': { ...breaksNone, predicate: 'was removed after its sunset {before}' },
  'member-hidden': { ...breaksBoth, predicate: 'is hidden: it is {after} now' },
  'extra-members-refused': { ...narrower, predicate: 'can no longer have members that its schema does not name' },
  'extra-members-allowed': { ...wider, predicate: 'may now have members that its schema does not name' },
  'alternative-removed': { ...narrower, predicate: 'no longer has the alternative {before}' },
  'alternative-added': { ...wider, predicate: 'has the alternative {after} now' },
  // A value may match several branches of `anyOf`. So a received value may still match a branch
  // that the client knows. For example, a link that becomes expandable stays as it was unless the
  // client sends `expand`.
  'any-of-added': { ...breaksNone, predicate: 'has the alternative {after} now' },
  'condition-added': { ...narrower, predicate: 'has a new condition ({after})' },
  'condition-removed': { ...wider, predicate: 'no longer has a condition ({before})' },
  'condition-changed': { ...breaksBoth, predicate: 'has a changed condition ({after})' },
  'extensible-value-added': { ...breaksNone, predicate: 'may have the value {after} now' },
  'extensible-value-removed': { ...narrower, predicate: 'no longer has the value {before}' },
  'xml-changed': { ...breaksBoth, predicate: 'is written in XML as {after} in place of {before}' },
  'mapping-value-removed': { ...narrower, predicate: 'no longer has the discriminator value {before}' },
  // A new discriminator value is only a warning, because it may belong to a variant that already
  // existed. A new variant is reported as a new alternative.
  'mapping-value-added': {
    sent: 'harmless',
    received: 'warning',
    predicate: 'has the discriminator value {after} now',
  },
  'discriminator-changed': {
    sent: 'warning',
    received: 'warning',
    predicate: 'has the discriminator {after} in place of {before}',
  },
  'default-changed': { ...breaksNone, predicate: 'has the default {after} in place of {before}' },
} as const satisfies Record<string, Effect>

/** The id of a difference. */
export type Difference = keyof typeof differences

/** Every difference, in the order of the table. */
export const differenceNames: readonly Difference[] = Object.keys(differences).filter(
  (name): name is Difference => name in differences,
)

/** One difference of two schemas. */
export interface Finding {
  readonly difference: Difference
  /**
   * The names that lead from the compared schema to the member that differs. `[]` stands for items,
   * `[0]` for the item at a position, and `*` for additional members.
   */
  readonly path: readonly string[]
  /**
   * `before` and `after` are the locations in the two documents. If a document does not have the
   * part that differs, the location is that of the schema around the part, or absent.
   */
  readonly before?: Place
  readonly after?: Place
  /** `from` and `to` are the values in the earlier and the later document, for the sentence. */
  readonly from?: unknown
  readonly to?: unknown
  /** The keyword, such as `maxLength`, if the difference can affect several keywords. */
  readonly keyword?: string
}

/**
 * Returns the level of a difference, given the use of the schema. A changed default of a parameter
 * breaks clients that omit the parameter.
 */
export function levelAt(place: SchemaPlace, difference: Difference): Level {
  if (place === 'parameter' && difference === 'default-changed') return 'breaking'
  const { sent, received } = differences[difference]
  return isSentAt(place) ? sent : received
}

/** The context in which two schemas are compared. */
export interface Comparison {
  readonly place: SchemaPlace
  /**
   * Whether values are sent as text, as in parameters and forms. In text, an integer is also a
   * string.
   */
  readonly text: boolean
  /** Whether the body is XML. In that case, the names of elements are compared too. */
  readonly xml?: boolean
}

/** The earlier and the later value of a comparison. */
export interface Pair<T> {
  readonly before: T
  readonly after: T
}

export type SchemaPair = Pair<Schema>
