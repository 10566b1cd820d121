/**
 * The responses of a route with legacy modes, for the OpenAPI documents. In a legacy mode, the
 * service still behaves as it did before it followed a clause of the conventions.
 */
import { isPartlyEnforced } from '../conventions/modes.js'
import type { CustomProblem, ProblemCode } from '../problem.js'
import { problemKinds } from '../problem.js'
import type { Situation } from './endings.js'
import type { Route } from './routes.js'

type Here = Pick<Situation, 'route'>

/**
 * The problem with status 406 for an unacceptable `Accept`. Used instead of status 415 in a legacy
 * mode of HDR-1.
 */
export const notAcceptable: CustomProblem = Object.freeze({
  code: 'unsupported-accept',
  status: 406,
  title: problemKinds['unsupported-accept'].title,
  clause: 'HDR-1',
})

/** The possible problems for an unacceptable `Accept`. */
export function acceptProblems({ route }: Here): readonly (ProblemCode | CustomProblem)[] {
  const mode = route.modes?.['HDR-1']
  if (mode === undefined) return ['unsupported-accept']
  return [
    ...(mode.settings.as === 406 ? [notAcceptable] : []),
    ...(isPartlyEnforced(mode) ? (['unsupported-accept'] as const) : []),
  ]
}

/**
 * True if a HEAD request for an item or a flag may get the same response as a GET request, without
 * the body (VERB-8). A legacy mode can limit this behavior to some clients.
 */
export const isHeadLikeGet = ({ method, operation, route }: Situation): boolean =>
  method === 'HEAD' && operation.headStatus !== undefined && route.modes?.['VERB-8'] !== undefined

/** The possible statuses of HEAD of an item or flag, except those of problems. */
export function headStatuses(situation: Situation): readonly number[] {
  const { operation, route } = situation
  const own = operation.headStatus === undefined ? [] : [operation.headStatus]
  const mode = route.modes?.['VERB-8']
  if (mode === undefined) return own
  const likeGet = operation.statuses === 'any' ? [200] : operation.statuses
  return [...(isPartlyEnforced(mode) ? own : []), ...likeGet, 304]
}

/**
 * The possible success statuses of DELETE of an item. `usual` is the status of the response without
 * a legacy mode (VERB-6).
 */
export function deleteStatusesOf({ operation, route }: Situation, usual: number): readonly number[] {
  const mode = operation.name === 'remove' ? route.modes?.['VERB-6'] : undefined
  if (mode === undefined) return [usual]
  const { body, status = body === undefined ? usual : 200 } = mode.settings
  return isPartlyEnforced(mode) ? [...new Set([usual, status])] : [status]
}

/** Whether a response with this status to a DELETE may have a body. */
export function hasDeleteBody({ operation, route }: Situation, status: number): boolean {
  const mode = operation.name === 'remove' ? route.modes?.['VERB-6'] : undefined
  return mode?.settings.body !== undefined && (mode.settings.status ?? 200) === status
}

/**
 * Whether a change needs `If-Match`: `always`, `perhaps` (for some clients), or `never` (HDR-3).
 */
export function needsIfMatch({ facts, route }: Situation): 'always' | 'perhaps' | 'never' {
  if (!facts.requireIfMatch) return 'never'
  const mode = route.modes?.['HDR-3']
  return mode === undefined ? 'always' : isPartlyEnforced(mode) ? 'perhaps' : 'never'
}

/** The form of error bodies: problems, the service's own form, or either of them (ERR-3). */
export function problemForms(modes: Route['modes']): 'problem' | 'shaped' | 'either' {
  const mode = modes?.['ERR-3']
  return mode === undefined ? 'problem' : isPartlyEnforced(mode) ? 'either' : 'shaped'
}

/** The form of links: objects, plain URLs, or either of them (REP-1). */
export type LinkForms = 'objects' | 'addresses' | 'either'

export function linkForms({ route }: Here): LinkForms {
  const mode = route.modes?.['REP-1']
  return mode === undefined ? 'objects' : isPartlyEnforced(mode) ? 'either' : 'addresses'
}

/**
 * The maximum number of items on a page. `max` is the maximum of the resource, which a mode of
 * QUERY-5 may raise.
 */
export const maxPageSize = ({ route }: Here, max: number): number =>
  Math.max(max, route.modes?.['QUERY-5']?.settings.upTo ?? max)

/**
 * Media types that request bodies may have in addition to the media types of the conventions
 * (HDR-5).
 */
export const legacyTypes = ({ route }: Here): readonly string[] => route.modes?.['HDR-5']?.settings.types ?? []

/** A string that is equal for routes whose modes lead to the same documentation. */
export const modesKey = ({ modes }: Route): string =>
  modes === undefined
    ? ''
    : JSON.stringify(Object.values(modes).map((mode) => [mode.clause, isPartlyEnforced(mode), mode.settings]))
