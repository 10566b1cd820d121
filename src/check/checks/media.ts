/** Checks of media types: `Accept`, 415, and the content of JSON and XML (HDR-1, HDR-8). */
import { isContainer, isList, type JsonObject } from '../../definition/json.js'
import { parseXml, type XmlElement } from '../../http/xml-tree.js'
import { header, mediaType, parameter } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import type { Listing } from '../listing.js'
import { breaks, breaksBy, holds, NotApplicable, Unchecked } from '../verdict.js'
import { describe, expectStatus, firstBreak } from './expecting.js'
import { needsGet } from './items.js'

const accepting = (accept: string) => ({ headers: { [header.accept]: accept } })

const hasXml = ({ target }: Listing): boolean => target.media.includes(mediaType.xml)

/**
 * Values of `Accept`, each with the media type that the response must have. An empty string stands
 * for any media type. `xml` says whether the service offers XML in addition to JSON.
 */
const matrix = (xml: boolean): readonly (readonly [accept: string, type: string])[] => [
  [mediaType.json, mediaType.json],
  ['*/*', ''],
  ['application/*', ''],
  ['text/csv;q=0, application/json;q=0.5', mediaType.json],
  ['image/png, application/json;q=0.1', mediaType.json],
  ...(xml
    ? ([
        [mediaType.xml, mediaType.xml],
        ['application/json;q=0.1, application/xml', mediaType.xml],
        ['application/xml;q=0.1, application/json', mediaType.json],
        ['application/xml;q=0, */*', mediaType.json],
      ] as const)
    : []),
]

export const mediaChecks: readonly ListCheck[] = [
  {
    id: 'HDR-1/accept',
    needs: ['VERB-1/list'],
    rule: '`Accept` and its q-values determine the media type of the response.',
    why: 'Clients can only read the types that they accept.',
    fix: 'Choose the media type by Accept (RFC 9110 12.5.1).',
    async run(list) {
      const found = await firstBreak(matrix(hasXml(list)), async ([accept, type]) => {
        const exchange = await list.list({ [parameter.size]: 1 }, accepting(accept))
        const { status, type: seen } = exchange.answer
        if (status === 200 && (type === '' || seen === type)) return undefined
        return breaks(`200 with ${type === '' ? 'a body' : type} for Accept: ${accept}`, describe(exchange), exchange)
      })
      return found ?? holds
    },
  },
  {
    id: 'HDR-1/unsupported',
    needs: ['VERB-1/item'],
    rule: 'An `Accept` that names no media type of the service gets 415.',
    why: 'A client that can read none of the offered types gets a clear error.',
    fix: 'Answer 415 if no media type of Accept is offered.',
    async run(list) {
      const paths = [list.path, ...(list.target.itemMethods.includes('GET') ? [await list.anItem()] : [])]
      const found = await firstBreak(paths, async (path) =>
        firstBreak(['image/png', 'application/*;q=0, text/*;q=0, image/png'], async (accept) =>
          expectStatus(await list.send('GET', path, accepting(accept)), [415], `Accept: ${accept}`),
        ),
      )
      return found ?? holds
    },
  },
  {
    id: 'HDR-1/same-content',
    rule: 'JSON and XML have the same content.',
    why: 'The data must not depend on the format.',
    fix: 'Write both formats from the same representation.',
    async run(list) {
      const [json, xml] = await bothOf(list)
      const root = parseXml(xml.answer.body, { depth: 64 })
      if (!('root' in root)) return breaks('well-formed XML', root.malformed, xml)
      const texts = new Set(textsOf(root.root))
      const lost = scalarsOf(json.answer.json).find((value) => !texts.has(plain(value)))
      if (lost === undefined) return holds
      return breaks(`${JSON.stringify(lost).slice(0, 80)} in XML, as in JSON`, 'XML without it', json, xml)
    },
  },
  {
    id: 'HDR-8/media-types',
    rule: 'The JSON and the XML representation of an item have different strong tags.',
    why: 'If both have the same tag, a cache may serve the wrong format.',
    fix: 'Make the tag from the bytes of the body, or put the media type into the tag.',
    async run(list) {
      const [json, xml] = await bothOf(list)
      const [one, other] = [json, xml].map(({ answer }) => answer.field(header.etag))
      if (one === undefined || other === undefined) throw new NotApplicable('items have no tags')
      if (one !== other || one.startsWith('W/')) return holds
      return breaksBy({ kind: 'equal', answers: [0, 1], name: header.etag }, 'two tags', `${one} for both`, json, xml)
    },
  },
]

/** Reads one item as JSON and as XML. */
async function bothOf(list: Listing): Promise<readonly [Exchange, Exchange]> {
  needsGet(list)
  if (!hasXml(list)) throw new NotApplicable(`${list.target.template} has no XML`)
  const path = await list.anItem()
  const both = [
    await list.send('GET', path, accepting(mediaType.json)),
    await list.send('GET', path, accepting(mediaType.xml)),
  ] as const
  if (both[0].answer.type !== mediaType.json || both[1].answer.type !== mediaType.xml)
    throw new Unchecked('an item is not available in both JSON and XML')
  return both
}

/**
 * Converts a value to a string that can be compared, because JSON and XML may write numbers and
 * white space differently. For example, `1.0` becomes `1`.
 */
const plain = (value: unknown): string => {
  const text = String(value).replace(/\s+/g, ' ').trim()
  return text !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : text
}

/**
 * The scalar values that the XML must contain. Null, blank strings, and strings with characters
 * that XML can't contain are left out.
 */
const scalarsOf = (value: unknown): readonly unknown[] =>
  isContainer(value)
    ? (isList(value) ? value : Object.values(value as JsonObject)).flatMap(scalarsOf)
    : // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 allows none of them.
      value === null || plain(value) === '' || /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(String(value))
      ? []
      : [value]

const textsOf = (element: XmlElement): readonly string[] => [
  plain(element.text),
  ...element.attributes.map(({ value }) => plain(value)),
  ...element.children.flatMap(textsOf),
]
