/**
 * Example strings for the formats of JSON Schema and OpenAPI, and for the library's own formats.
 */
import type { Random } from '../random.js'

/** Creates a string of a format. */
export type MakeText = (random: Random) => string

const two = (value: number): string => String(value).padStart(2, '0')

const date: MakeText = (random) =>
  `${random.between(2023, 2026)}-${two(random.between(1, 12))}-${two(random.between(1, 28))}`
const clock: MakeText = (random) => `${two(random.between(6, 21))}:${two(random.below(60))}:${two(random.below(60))}`
const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => random.below(16).toString(16)).join('')

/** Neutral words for names and addresses. */
export const words = [
  ...[
    'amber',
    'anchor',
    'birch',
    'bridge',
    'canyon',
    'cedar',
    'cloud',
    'coral',
    'delta',
    'ember',
    'field',
    'fjord',
    'garden',
    'grove',
  ],
  ...[
    'harbor',
    'island',
    'lake',
    'lantern',
    'maple',
    'meadow',
    'moon',
    'olive',
    'orchard',
    'pearl',
    'pine',
    'river',
    'silver',
    'willow',
  ],
]

const uuid: MakeText = (random) =>
  `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-${random.one(['8', '9', 'a', 'b'])}${hex(random, 3)}-${hex(random, 12)}`

const host: MakeText = (random) => `${random.one(words)}.example.com`
const path: MakeText = (random) => `/${random.one(words)}/${random.between(1, 999)}`
const duration: MakeText = (random) =>
  random.one([`P${random.between(1, 30)}D`, `PT${random.between(1, 23)}H`, `PT${random.between(1, 59)}M`])

/**
 * Generators of strings, by format. If the schema's lengths or patterns exclude the string of the
 * first generator, the other generators are tried. Generators of short strings come last.
 */
export const formatTexts: ReadonlyMap<string, readonly MakeText[]> = new Map<string, readonly MakeText[]>([
  ['date', [date]],
  ['time', [(random) => `${clock(random)}Z`]],
  ['date-time', [(random) => `${date(random)}T${clock(random)}.000Z`]],
  ['iso-time', [clock]],
  ['iso-date-time', [(random) => `${date(random)}T${clock(random)}`]],
  ['local-date-time', [(random) => `${date(random)}T${clock(random)}.0000000`]],
  ['local-time', [clock]],
  ['duration', [duration, (random) => `P${random.between(1, 6)}D`]],
  [
    'uri',
    [
      (random) => `https://${host(random)}${path(random)}`,
      (random) => `https://a.io/${random.below(10)}`,
      (random) => `a:${random.below(10)}`,
    ],
  ],
  ['url', [(random) => `https://${host(random)}${path(random)}`, () => 'ftp://a.io']],
  ['uri-reference', [path, (random) => random.one(words), (random) => String(random.below(10))]],
  ['uri-template', [(random) => `/${random.one(words)}/{id}`, () => '{id}', (random) => String(random.below(10))]],
  [
    'email',
    [
      (random) => `${random.one(words)}.${random.one(words)}@example.com`,
      (random) => `${random.one(words)}@a.io`,
      () => 'a@b.c',
    ],
  ],
  ['hostname', [host, (random) => random.one(words), (random) => random.one([...'abcdefgh'])]],
  ['ipv4', [(random) => `192.0.2.${random.between(100, 254)}`, () => '10.0.0.1', () => '1.1.1.1']],
  ['ipv6', [(random) => `2001:db8::${hex(random, 4)}`, () => '::1', () => '::']],
  ['regex', [() => '^[a-z]+$', () => 'a']],
  ['uuid', [uuid]],
  ['json-pointer', [path, () => '/a', () => '']],
  ['json-pointer-uri-fragment', [(random) => `#${path(random)}`, () => '#']],
  ['relative-json-pointer', [(random) => `${random.below(3)}/${random.one(words)}`, () => '0']],
  ['byte', [(random) => Buffer.from(random.one(words)).toString('base64'), () => 'YQ==', () => '']],
  [
    'decimal',
    [(random) => `${random.between(1, 999)}.${random.between(1, 9)}`, (random) => String(random.between(1, 9))],
  ],
  ['int64', [(random) => String(random.between(1, 99_999)), (random) => String(random.between(1, 9))]],
])
