/** Says differences of schemas in words. */

import type { Found, OperationName } from './changes.js'
import { type Comparison, type Difference, differences, type Finding, levelAt, type SchemaPlace } from './findings.js'

/** What a schema belongs to, in words. */
export interface Subject {
  readonly operation: OperationName
  /** Of the whole: `the filter "lote" of pre-piezas`. */
  readonly words: string
  /** Of the whole, short: `query "lote"`. */
  readonly place: string
}

/** A finding as a change. */
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
    // What is new has no place before, and the other way round.
    before: isNew(difference) ? undefined : before,
    after: isGone(difference) ? undefined : after,
    detail: `${path.at(-1) ?? ''} ${finding.keyword ?? ''} ${textOf(finding.from)} ${textOf(finding.to)}`,
    what: `${words} ${differencePhrase(finding)}`,
    ...(level === 'breaking' ? { so: consequence(place, difference) } : {}),
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

/** What has changed, with both sides in it. */
function differencePhrase({ difference, from, to, keyword }: Finding): string {
  return differences[difference].says
    .replace('{before}', () => textOf(from))
    .replace('{after}', () => textOf(to))
    .replace('{keyword}', keyword ?? '')
}

function textOf(value: unknown): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The status of what is refused in a place. */
const refusal: Readonly<Partial<Record<SchemaPlace, number>>> = { parameter: 400, request: 422 }

function consequence(place: SchemaPlace, difference: Difference): string {
  const status = refusal[place]
  if (place === 'reply') return 'the service does not understand clients that answer as before'
  if (status === undefined) {
    if (difference === 'member-removed' || difference === 'member-hidden') return 'clients that read it find nothing'
    if (difference === 'member-became-optional') return 'clients that count on it fail where it is missing'
    return 'clients that know only what was there before fail'
  }
  if (difference === 'member-removed' || difference === 'member-hidden')
    return `clients that send it get ${status}, or are not heeded`
  if (difference === 'required-member-added' || difference === 'member-became-required')
    return `clients that leave it out get ${status}`
  if (difference === 'default-changed') return 'clients that leave it out get another answer'
  return `clients that send what was allowed before get ${status}`
}
