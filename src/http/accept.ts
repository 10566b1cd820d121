/** Chooses a media type by `Accept` (RFC 9110 12.5.1, 12.4.2; HDR-1). */
import { Caches } from '../cache.js'
import { invalidOption } from '../options/check.js'
import { splitList } from './field-grammar.js'
import { type MediaType, parseMediaType } from './media-type.js'

/** Returns the preferred offer for an `Accept` field; `undefined` if none is acceptable. */
export type ChooseMediaType = (accept: string | undefined) => string | undefined

interface Offer extends MediaType {
  /** The offered media type, as the server spells it. */
  readonly text: string
  /** The range of all subtypes of the offer's type, such as `text/*`. */
  readonly family: string
}

interface MediaRange extends MediaType {
  /** The weight from 0 to 1; 0 means not acceptable. */
  readonly quality: number
  /**
   * How specific the range is. The most specific range that matches an offer determines the weight
   * of the offer. `type/subtype` is more specific than `type/*`, which is more specific than
   * `*`/`*`. Among ranges of the same level, the range with more parameters is more specific.
   */
  readonly specificity: number
}

/** A cached result. `offer` is `undefined` if no offer is acceptable. */
interface Chosen {
  readonly offer: string | undefined
}

/** Maximum length of a field whose result is cached. */
const longestKept = 256

/**
 * Creates a function that chooses one of the offers for an `Accept` field. It chooses the offer
 * with the highest q-value. If several offers have this q-value, it chooses the first of them. An
 * absent or empty field selects the first offer. Malformed elements are ignored. If all elements
 * are malformed, no offer is acceptable. An offer without a charset is treated as if it had
 * `charset=utf-8`. The results for short fields are stored in `caches`, because a service receives
 * the same few fields repeatedly.
 *
 * @throws ConfigurationError `invalid-option` if an offer is not a media type
 * @example
 * negotiator(['application/json', 'application/xml'])('application/json;q=0.5, application/xml')
 * // 'application/xml'
 */
export function negotiator(offers: readonly string[], caches = new Caches()): ChooseMediaType {
  const parsed = offers.map(parseOffer)
  const kept = caches.make<string, Chosen>('accept')
  return function negotiate(accept) {
    if (accept === undefined) return offers[0]
    const known = kept.get(accept)
    if (known !== undefined) return known.offer
    const offer = choose(parsed, accept)
    if (accept.length <= longestKept) kept.set(accept, { offer })
    return offer
  }
}

function parseOffer(text: string): Offer {
  const media = parseMediaType(text)
  if (media === undefined || media.type.includes('*')) {
    throw invalidOption(`${JSON.stringify(text)} is not a media type. Offer one such as "application/json".`)
  }
  const charset = (media.parameters.get('charset') ?? 'utf-8').toLowerCase()
  const family = `${media.type.slice(0, media.type.indexOf('/'))}/*`
  return { text, family, type: media.type, parameters: new Map([...media.parameters, ['charset', charset]]) }
}

function choose(offers: readonly Offer[], accept: string): string | undefined {
  const elements = splitList(accept).filter((element) => /[^ \t]/.test(element))
  if (elements.length === 0) return offers[0]?.text
  const ranges = elements.map(parseRange).filter((range) => range !== undefined)
  let chosen: string | undefined
  let best = 0
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges)
    if (quality > best) {
      best = quality
      chosen = offer.text
    }
  }
  return chosen
}

/**
 * The q-value of the most specific matching range. If two matching ranges are equally specific, the
 * higher of their q-values counts.
 */
function qualityOf(offer: Offer, ranges: readonly MediaRange[]): number {
  let specificity = -1
  let quality = 0
  for (const range of ranges) {
    if (range.specificity < specificity || !matches(range, offer)) continue
    quality = range.specificity > specificity ? range.quality : Math.max(quality, range.quality)
    specificity = range.specificity
  }
  return quality
}

function matches(range: MediaRange, offer: Offer): boolean {
  if (range.type !== offer.type && range.type !== offer.family && range.type !== '*/*') return false
  for (const [name, value] of range.parameters) {
    if (name !== 'q' && offer.parameters.get(name) !== (name === 'charset' ? value.toLowerCase() : value)) return false
  }
  return true
}

/**
 * Parses a media range with its weight (RFC 9110 12.5.1). A parameter named `q` is the weight, at
 * any position. All other parameters belong to the range.
 */
function parseRange(element: string): MediaRange | undefined {
  const media = parseMediaType(element)
  if (media === undefined || (media.type.startsWith('*/') && media.type !== '*/*')) return undefined
  const weight = media.parameters.get('q')
  const quality = weight === undefined ? 1 : parseQuality(weight)
  if (quality === undefined) return undefined
  const level = media.type === '*/*' ? 0 : media.type.endsWith('/*') ? 1 : 2
  const parameters = media.parameters.size - (weight === undefined ? 0 : 1)
  return { ...media, quality, specificity: level + parameters / (parameters + 1) }
}

/**
 * Parses a q-value (RFC 9110 12.4.2). The leading zero may be missing, because the default `Accept`
 * of Java 8 contains `q=.2`.
 */
export function parseQuality(text: string): number | undefined {
  return /^(?:0?\.\d{1,3}|0\.?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : undefined
}
