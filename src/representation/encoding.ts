/**
 * The representations of responses (HDR-1): JSON, XML with both of its media types, and the
 * representations that the service defines.
 */
import { Caches } from '../cache.js'
import {
  type ContentKind,
  type CustomRepresentation,
  formatKey,
  type RepresentationCall,
  type Represented,
  soundRepresented,
} from '../plan/custom-representation.js'
import type { TransferFormat } from '../plan/transfer-format.js'
import type { Wire } from '../plan/wire-form.js'
import { mediaType, xmlTypes } from '../wire.js'
import { type Offers, offersOf } from './offers.js'
import { problemWire } from './problem-form.js'
import { writeXml } from './xml-writer.js'

/** Encodes values in one media type. */
export interface Representation {
  readonly mediaType: string
  /** The `Content-Type` of the encoded bytes. */
  readonly contentType: string
  /**
   * A string that differs between representations with different bytes. The digest in an entity tag
   * is computed from a name that contains this string (`ResourceViews` in `views.ts`), so different
   * representations have different tags (HDR-2). The string is enclosed in spaces, which separate
   * it from the rest of that name. For OpenAPI documents and docs pages, this string is not part of
   * a name, so it is not enclosed in spaces.
   */
  readonly variant: string
  /** Encodes a value. `wire` contains the XML names and the form of the value. */
  readonly encode: (value: unknown, wire: Wire, call: () => RepresentationCall) => Represented | Promise<Represented>
  /**
   * Like `encode`, but synchronous. Present only for JSON and XML, whose bytes depend only on
   * `value` and `wire`.
   */
  readonly text?: (value: unknown, wire: Wire) => string
  /** The format of an export. Exports are streamed, so `encode` is not used for them. */
  readonly transfer?: TransferFormat
}

/** A representation that can also encode problems (ERR-3). */
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

/** The representations that every resource has. The first is the default. */
export const builtIn: readonly ProblemRepresentation[] = Object.freeze([json, ...xmlTypes.map(xmlAs)])

/**
 * Returns the available representations. If two custom representations have the same format
 * (`formatKey`), the last one is used. A mount can therefore replace a representation that the
 * service defines.
 */
export function offersFor(
  what: ContentKind,
  customs: readonly CustomRepresentation[],
  exports: readonly TransferFormat[] = [],
  caches = new Caches(),
): Offers<Representation> {
  const named = new Map(customs.map((custom) => [formatKey(custom), custom]))
  const whole = exports.map(exported)
  // If a mount has an export in a media type, the export replaces a custom representation in that
  // media type.
  const paged = [...named.values()].filter(({ contentType }) => !exports.some((one) => isOf(one, contentType)))
  return offersOf([...builtIn, ...whole, ...paged.flatMap((custom) => represents(custom, what))], caches)
}

const isOf = ({ mediaType: type }: TransferFormat, contentType: string): boolean =>
  contentType.split(';')[0]?.trim().toLowerCase() === type

const exported = (transfer: TransferFormat): Representation => ({
  mediaType: transfer.contentType,
  contentType: transfer.contentType,
  variant: ` ${transfer.contentType} `,
  encode: () => {
    throw new Error('An export is streamed.')
  },
  transfer,
})

function represents(custom: CustomRepresentation, what: ContentKind): readonly Representation[] {
  const { contentType, revision } = custom
  const encode = custom[what] as
    | ((value: unknown, call: RepresentationCall) => Represented | Promise<Represented>)
    | undefined
  if (encode === undefined) return []
  // The function is `async`, so that synchronous exceptions and invalid results become rejections
  // too.
  const sound: Representation['encode'] = async (value, _, call) =>
    soundRepresented(contentType, await encode(value, call()))
  return [{ mediaType: contentType, contentType, variant: ` ${contentType} ${revision} `, encode: sound }]
}

/**
 * The representations of problems: JSON and XML. Each can be chosen by its usual media types and by
 * its media type for problems.
 */
export const problemOffers = (caches: Caches): Offers<ProblemRepresentation> =>
  offersOf(
    builtIn.flatMap((representation) => [representation, { ...representation, mediaType: representation.problemType }]),
    caches,
  )
