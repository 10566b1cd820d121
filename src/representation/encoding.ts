/** Media types of answers: JSON now; another is one more entry here (HDR-1). */
import { negotiator } from '../http/accept.js'
import { mediaType } from '../wire.js'

/** How values become bytes in one media type. */
export interface Representation {
  readonly mediaType: string
  /** The `Content-Type` of what `encode` makes. */
  readonly contentType: string
  readonly encode: (value: unknown) => string
  /** The media type of problems in this family (ERR-3). */
  readonly problemType: string
}

export const json: Representation = Object.freeze({
  mediaType: mediaType.json,
  contentType: 'application/json; charset=utf-8',
  encode: (value: unknown) => JSON.stringify(value),
  problemType: mediaType.problem,
})

/** The representations that every resource has; the first is for a request that asks for nothing. */
export const representations: readonly Representation[] = Object.freeze([json])

const choose = negotiator(representations.flatMap((representation) => [representation.mediaType, representation.problemType]))

/** The family that `Accept` prefers, by either of its names; JSON where it takes none, since a problem must be told (ERR-3). */
export function representationOfProblem(accept: string | undefined): Representation {
  const chosen = choose(accept)
  return representations.find((representation) => representation.mediaType === chosen || representation.problemType === chosen) ?? json
}
