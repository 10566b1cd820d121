/** Media types of answers (HDR-1): JSON, XML under both of its names, and those of a team. */
import { Caches } from '../cache.js'
import {
  type CustomRepresentation,
  type RepresentationCall,
  type Represented,
  type Represents,
  soundRepresented,
} from '../plan/custom-representation.js'
import type { TransferFormat } from '../plan/transfer-format.js'
import type { Wire } from '../plan/wire-form.js'
import { mediaType, xmlTypes } from '../wire.js'
import { type Offers, offersOf } from './offers.js'
import { problemWire } from './problem-form.js'
import { writeXml } from './xml-writer.js'

/** How values become bytes in one media type. */
export interface Representation {
  readonly mediaType: string
  /** The `Content-Type` of what `encode` makes. */
  readonly contentType: string
  /** Stands for all that makes its bytes other than those of another representation, between spaces: part of entity tags (HDR-2). */
  readonly variant: string
  /** `wire` says what the value is called and made of. */
  readonly encode: (value: unknown, wire: Wire, call: () => RepresentationCall) => Represented | Promise<Represented>
  /** The same at once, where nothing but the value and its form goes into the bytes. */
  readonly text?: (value: unknown, wire: Wire) => string
  /** Of the whole list, streamed: then nothing is encoded at once. */
  readonly transfer?: TransferFormat
}

/** One that problems can be told in as well (ERR-3). */
export interface ProblemRepresentation extends Representation {
  readonly encode: (value: unknown, wire: Wire) => string
  readonly problemType: string
  readonly encodeProblem: (problem: unknown) => string
}

export const json: ProblemRepresentation = Object.freeze({
  mediaType: mediaType.json,
  contentType: 'application/json; charset=utf-8',
  variant: ` ${mediaType.json} `,
  encode: (value: unknown) => JSON.stringify(value),
  text: (value: unknown) => JSON.stringify(value),
  problemType: mediaType.problem,
  encodeProblem: (problem: unknown) => JSON.stringify(problem),
})

const xmlAs = (name: string): ProblemRepresentation =>
  Object.freeze({
    mediaType: name,
    contentType: `${name}; charset=utf-8`,
    variant: ` ${name} `,
    encode: writeXml,
    text: writeXml,
    problemType: mediaType.problemXml,
    encodeProblem: (problem: unknown) => writeXml(problem, problemWire),
  })

/** What every resource can be had in; the first is for a request that asks for nothing. */
export const builtIn: readonly ProblemRepresentation[] = Object.freeze([json, ...xmlTypes.map(xmlAs)])

/** The media types that something can be had in. Of two of a team's with one name the last counts: a mount says it better than the service. */
export function offersFor(
  what: Represents,
  customs: readonly CustomRepresentation[],
  exports: readonly TransferFormat[] = [],
  caches = new Caches(),
): Offers<Representation> {
  const named = new Map(customs.map((custom) => [custom.contentType.toLowerCase(), custom]))
  const whole = exports.map(exported)
  // An export of a mount stands in the place of the service's own pages in that type.
  const paged = [...named.values()].filter(({ contentType }) => !exports.some((one) => isOf(one, contentType)))
  return offersOf([...builtIn, ...whole, ...paged.flatMap((custom) => represents(custom, what))], caches)
}

const isOf = ({ mediaType: type }: TransferFormat, contentType: string): boolean => contentType.split(';')[0]?.trim().toLowerCase() === type

const exported = (transfer: TransferFormat): Representation => ({
  mediaType: transfer.contentType,
  contentType: transfer.contentType,
  variant: ` ${transfer.contentType} `,
  encode: () => {
    throw new Error('An export is streamed.')
  },
  transfer,
})

function represents(custom: CustomRepresentation, what: Represents): readonly Representation[] {
  const { contentType, revision } = custom
  const encode = custom[what] as ((value: unknown, call: RepresentationCall) => Represented | Promise<Represented>) | undefined
  if (encode === undefined) return []
  // What it throws at once and what it gives amiss are failures like that of a promise.
  const sound: Representation['encode'] = async (value, _, call) => soundRepresented(contentType, await encode(value, call()))
  return [{ mediaType: contentType, contentType, variant: ` ${contentType} ${revision} `, encode: sound }]
}

/** What problems can be told in: JSON and XML by any of their names. */
export const problemOffers = (caches: Caches): Offers<ProblemRepresentation> =>
  offersOf(
    builtIn.flatMap((representation) => [representation, { ...representation, mediaType: representation.problemType }]),
    caches,
  )
