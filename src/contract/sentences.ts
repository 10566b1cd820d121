/** Describes differences of schemas in sentences. */

import type { Found, OperationName } from './changes.js'
import { type Comparison, type Difference, differences, type Finding, levelAt, type SchemaPlace } from './findings.js'

/**
 * The names that messages use for the parameter, header field or body to which a schema belongs.
 */
export interface Subject {
  readonly operation: OperationName
  /** The full form, such as `the filter "lote" of pre-piezas`. */
  readonly words: string
  /** The short form, such as `query "lote"`. */
  readonly place: string
}

/** Converts a finding to a change. */
export function changeOf(finding: Finding, { place }: Pick<Comparison, 'place'>, subject: Subject): Found {
  const { difference, path, before, after } = finding
  const level = levelAt(place, difference)
  const member = path.join('.').replaceAll('.[', '[')
  const words = member === '' ? subject.words : `the member "${member}" of ${subject.words}`
  return {
    kind: `${place}-${difference}`,
    level,
    operation: subject.operation,
    place: member === '' ? subject.place : `${subject.place} ${member}`,
    // A new part does not exist in the earlier document. A removed part does not exist in the later
    // one.
    before: isNew(difference) ? undefined : before,
    after: isGone(difference) ? undefined : after,
    detail: `${path.at(-1) ?? ''} ${finding.keyword ?? ''} ${textOf(finding.from)} ${textOf(finding.to)}`,
    what: `${words} ${differencePhrase(finding)}`,
    ...(level === 'breaking' ? { effect: consequence(place, difference) } : {}),
  }
}

const isNew = (difference: Difference): boolean =>
  difference === 'member-added' ||
  difference === 'required-member-added' ||
  difference === 'any-of-added' ||
  difference === 'alternative-added'
const isGone = (difference: Difference): boolean =>
  difference === 'member-removed' ||
  difference === 'member-removed-after-sunset' ||
  difference === 'alternative-removed'

/** Returns the predicate of the sentence, with the values of both documents. */
function differencePhrase({ difference, from, to, keyword }: Finding): string {
  // One pass, because a value may itself contain the text "{after}".
  const parts: Readonly<Record<string, string>> = { before: textOf(from), after: textOf(to), keyword: keyword ?? '' }
  return differences[difference].predicate.replace(
    /\{(before|after|keyword)\}/g,
    (_, name: string) => parts[name] ?? '',
  )
}

function textOf(value: unknown): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The status with which the service rejects invalid values of parameters and request bodies. */
const refusal: Readonly<Partial<Record<SchemaPlace, number>>> = { parameter: 400, request: 422 }

function consequence(place: SchemaPlace, difference: Difference): string {
  const status = refusal[place]
  if (place === 'reply') return 'the service may reject replies that were accepted before'
  if (status === undefined) {
    if (difference === 'member-removed' || difference === 'member-hidden')
      return 'clients that read it no longer find it'
    if (difference === 'member-became-optional') return 'clients that rely on it fail if it is missing'
    return 'clients that handle only the previous values fail'
  }
  if (difference === 'member-removed' || difference === 'member-hidden')
    return `clients that send it get ${status}, or the value is ignored`
  if (difference === 'required-member-added' || difference === 'member-became-required')
    return `clients that leave it out get ${status}`
  if (difference === 'default-changed') return 'clients that leave it out get another response'
  return `clients that send what was allowed before get ${status}`
}
