/** What two schemas differ in, before it is known whose schemas they are. */
import type { Schema } from './flatten.js'
import type { Place } from './nodes.js'

/**
 * Where a schema stands: what clients send (`parameter`, `request`, and `reply` to a webhook or
 * callback), or what they get (`response`, `header`, and `delivery` of a webhook or callback).
 */
export type SchemaPlace = 'parameter' | 'request' | 'response' | 'header' | 'delivery' | 'reply'

/** Whether clients send what stands there. */
export const isSentAt = (place: SchemaPlace): boolean =>
  place === 'parameter' || place === 'request' || place === 'reply'

/** Levels of a difference in what clients send, and in what they get: it breaks them, it may break generated code, or it is harmless. */
interface Effect {
  readonly sent: Level
  readonly got: Level
  /** What has changed, after the words for the schema. */
  readonly says: string
}

export type Level = 'breaking' | 'warning' | 'harmless'

const narrower = { sent: 'breaking', got: 'harmless' } as const
const wider = { sent: 'harmless', got: 'breaking' } as const
const both = { sent: 'breaking', got: 'breaking' } as const
const neither = { sent: 'harmless', got: 'harmless' } as const

/**
 * Every difference of schemas. What clients send may become wider and what they get may become
 * narrower. `{before}` and `{after}` stand for the two sides.
 */
export const differences = {
  'type-narrowed': { ...narrower, says: 'no longer has the types {before}, only {after}' },
  'type-widened': { ...wider, says: 'has the types {after} in place of {before}' },
  'type-changed': { ...both, says: 'has the type {after} in place of {before}' },
  'null-refused': { ...narrower, says: 'can no longer be null' },
  'null-allowed': { ...wider, says: 'may be null now' },
  'format-added': { ...narrower, says: 'has the format {after} now' },
  'format-removed': { ...wider, says: 'has lost the format {before}' },
  'format-changed': { ...both, says: 'has the format {after} in place of {before}' },
  'enum-added': { ...narrower, says: 'has only the values {after} now' },
  'enum-removed': { ...wider, says: 'may have other values than {before} now' },
  'value-removed': { ...narrower, says: 'has lost the value {before}' },
  'value-added': { ...wider, says: 'may have the value {after} now' },
  'minimum-raised': { ...narrower, says: 'has {keyword} {after} in place of {before}' },
  'minimum-lowered': { ...wider, says: 'has {keyword} {after} in place of {before}' },
  'maximum-lowered': { ...narrower, says: 'has {keyword} {after} in place of {before}' },
  'maximum-raised': { ...wider, says: 'has {keyword} {after} in place of {before}' },
  'multiple-narrowed': { ...narrower, says: 'has multipleOf {after} in place of {before}' },
  'multiple-widened': { ...wider, says: 'has multipleOf {after} in place of {before}' },
  'multiple-changed': { ...both, says: 'has multipleOf {after} in place of {before}' },
  'unique-items-required': { ...narrower, says: 'can no longer have an item twice' },
  'unique-items-dropped': { ...wider, says: 'may have an item twice now' },
  'pattern-added': { ...narrower, says: 'has the pattern {after} now' },
  // Clients rarely check patterns of what they get: as oasdiff has it.
  'pattern-removed': { ...neither, says: 'has lost the pattern {before}' },
  'pattern-changed': { ...narrower, says: 'has the pattern {after} in place of {before}' },
  'member-added': { ...neither, says: 'is new' },
  'required-member-added': { ...narrower, says: 'is new and required' },
  'member-became-required': { ...narrower, says: 'is required now' },
  'member-became-optional': { ...wider, says: 'is not always there any more' },
  'member-removed': { ...both, says: 'is gone' },
  'member-removed-after-sunset': { ...neither, says: 'is gone after its sunset {before}' },
  'member-hidden': { ...both, says: 'is gone: it is {after} now' },
  'extra-members-refused': { ...narrower, says: 'can no longer have other members than those it names' },
  'extra-members-allowed': { ...wider, says: 'may have other members than those it names now' },
  'alternative-removed': { ...narrower, says: 'has lost the alternative {before}' },
  'alternative-added': { ...wider, says: 'has the alternative {after} now' },
  // An `anyOf` of what clients get: what they knew may still be what they find in it, as with an expanded link.
  'any-of-added': { ...neither, says: 'has the alternative {after} now' },
  'condition-added': { ...narrower, says: 'has the condition {after} now' },
  'condition-removed': { ...wider, says: 'has lost the condition {before}' },
  'condition-changed': { ...both, says: 'has another condition {after}' },
  'extensible-value-added': { ...neither, says: 'may have the value {after} now' },
  'extensible-value-removed': { ...narrower, says: 'has lost the value {before}' },
  'xml-changed': { ...both, says: 'is written in XML as {after} in place of {before}' },
  'mapping-value-removed': { ...narrower, says: 'has lost the discriminator value {before}' },
  // A new variant is told of as such: of one value more nobody knows whether it is another.
  'mapping-value-added': { sent: 'harmless', got: 'warning', says: 'has the discriminator value {after} now' },
  'discriminator-changed': {
    sent: 'warning',
    got: 'warning',
    says: 'has the discriminator {after} in place of {before}',
  },
  'default-changed': { ...neither, says: 'has the default {after} in place of {before}' },
} as const satisfies Record<string, Effect>

/** The name of a difference. */
export type Difference = keyof typeof differences

/** Every one, in the order of the table. */
export const differenceNames: readonly Difference[] = Object.keys(differences).filter(
  (name): name is Difference => name in differences,
)

/** One difference of two schemas. */
export interface Finding {
  readonly difference: Difference
  /** From the schema that was compared to the member that differs: `contrato`, `[]` for items, `*` for members without names. */
  readonly path: readonly string[]
  /** Where it is written; `undefined` where a side does not have it. */
  readonly before?: Place
  readonly after?: Place
  /** What a sentence says of each side. */
  readonly from?: unknown
  readonly to?: unknown
  /** The keyword, where the difference stands for several. */
  readonly keyword?: string
}

/** How bad a difference is at a place. A default of a parameter is what its clients get without it. */
export function levelAt(place: SchemaPlace, difference: Difference): Level {
  if (place === 'parameter' && difference === 'default-changed') return 'breaking'
  const { sent, got } = differences[difference]
  return isSentAt(place) ? sent : got
}

/** What two schemas are compared for. */
export interface Comparison {
  readonly place: SchemaPlace
  /** Values travel as text (parameters, forms): an integer is a text, too. */
  readonly text: boolean
  /** The body is XML: names of elements count. */
  readonly xml?: boolean
}

/** Both sides of what is compared. */
export interface Pair<T> {
  readonly before: T
  readonly after: T
}

export type SchemaPair = Pair<Schema>
