/**
 * The budget of a request: the counts that were last measured, plus a small margin for `bytes`,
 * `calls` and `code`.
 */
import { type CountedName, countedNames } from './workloads.js'

/** Average counts of one request. */
export interface Counts {
  /**
   * Bytes allocated on V8's heap, minus the bytes that Node allocates to write the same response.
   */
  readonly bytes: number
  /** Calls of the library's functions. */
  readonly calls: number
  /**
   * Executed characters of the library's compiled source. They approximate a count of instructions.
   */
  readonly code: number
  readonly promises: number
  readonly timers: number
  /** Adapter calls. */
  readonly adapterCalls: number
  /** Listeners added to the request and the response. */
  readonly listeners: number
  /** Header fields of the response. */
  readonly fields: number
  /** Writes to the connection. Corked writes count as one. */
  readonly writes: number
  /** Calls of `performance.now()` and `Date.now()`. */
  readonly clock: number
  readonly uuids: number
}

export const countNames = [
  'bytes',
  'calls',
  'code',
  'promises',
  'timers',
  'adapterCalls',
  'listeners',
  'fields',
  'writes',
  'clock',
  'uuids',
] as const satisfies readonly (keyof Counts)[]

type Major = '20' | '22' | '24'

/**
 * The measured counts of a workload. The number of bytes differs between versions of V8, so each
 * major version of Node has its own figure. The other counts apply to every version.
 */
type Measured = Omit<Counts, 'bytes'> & { readonly bytes: Readonly<Record<Major, number>> }

// The two constants below are the output of `npm run bench:counts -- --paste --node
// <20>,<22>,<24>`.

const measuredOn: Readonly<Record<Major, string>> = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' }

const measured: Readonly<Partial<Record<CountedName, Measured>>> = {
  item: {
    bytes: { 20: 13989, 22: 12790, 24: 12781 },
    calls: 190,
    code: 47478,
    promises: 0,
    timers: 0,
    adapterCalls: 2,
    listeners: 1,
    fields: 8,
    writes: 1,
    clock: 0,
    uuids: 1,
  },
  'not-modified': {
    bytes: { 20: 7848, 22: 7848, 24: 7848 },
    calls: 186,
    code: 48259,
    promises: 0,
    timers: 0,
    adapterCalls: 2,
    listeners: 1,
    fields: 6,
    writes: 1,
    clock: 0,
    uuids: 1,
  },
  page: {
    bytes: { 20: 30536, 22: 30688, 24: 30688 },
    calls: 486,
    code: 102794,
    promises: 0,
    timers: 0,
    adapterCalls: 2,
    listeners: 1,
    fields: 10,
    writes: 1,
    clock: 0,
    uuids: 1,
  },
  'page-expanded': {
    bytes: { 20: 31487, 22: 31634, 24: 31632 },
    calls: 520,
    code: 105131,
    promises: 0,
    timers: 0,
    adapterCalls: 2,
    listeners: 1,
    fields: 10,
    writes: 1,
    clock: 0,
    uuids: 1,
  },
  create: {
    bytes: { 20: 18183, 22: 17968, 24: 20736 },
    calls: 440.36,
    code: 113744.64,
    promises: 2,
    timers: 0,
    adapterCalls: 3,
    listeners: 0,
    fields: 8,
    writes: 1,
    clock: 0,
    uuids: 1,
  },
  patch: {
    bytes: { 20: 23762, 22: 22130, 24: 24890 },
    calls: 629,
    code: 132901,
    promises: 2,
    timers: 0,
    adapterCalls: 3,
    listeners: 0,
    fields: 9,
    writes: 1,
    clock: 0,
    uuids: 1,
  },
  token: {
    bytes: { 20: 19967, 22: 18730, 24: 19458 },
    calls: 276,
    code: 65392,
    promises: 15,
    timers: 0,
    adapterCalls: 2,
    listeners: 1,
    fields: 10,
    writes: 1,
    clock: 4,
    uuids: 1,
  },
  'item-first': {
    bytes: { 20: 14095, 22: 12998, 24: 12947 },
    calls: 298,
    code: 66334,
    promises: 0,
    timers: 0,
    adapterCalls: 2,
    listeners: 1,
    fields: 8,
    writes: 1,
    clock: 0,
    uuids: 1,
  },
  'page-first': {
    bytes: { 20: 200971, 22: 172903, 24: 172202 },
    calls: 3690,
    code: 644010,
    promises: 0,
    timers: 0,
    adapterCalls: 2,
    listeners: 1,
    fields: 10,
    writes: 1,
    clock: 0,
    uuids: 1,
  },
}

/**
 * Returns the maximum of a count for a request with a given version of Node. The maximum of `bytes`
 * is infinite if that major version was never measured.
 */
export function ceiling(name: CountedName, count: keyof Counts, version: string): number {
  const row = measured[name]
  // A workload that was never measured has a budget of zero.
  if (row === undefined) return 0
  if (count === 'calls') return row.calls * 1.02
  // The margin allows for differences between major versions of Node, and for edits of the source
  // that do not change the cost.
  if (count === 'code') return row.code * 1.01
  if (count !== 'bytes') return row[count]
  const major = version.split('.')[0] as Major
  const bytes = row.bytes[major] ?? Number.POSITIVE_INFINITY
  // Releases of the same major version differ by up to 2%, because Node's own objects differ.
  return version === measuredOn[major] ? bytes * slack[major] + 32 : bytes * 1.03
}

/**
 * The factor between the measured `bytes` and their maximum, if the version of Node is exactly the
 * measured one. With Node 22 and 24, all runs count the same number of bytes. With Node 20, ten
 * runs differed by up to 0.7%.
 */
const slack: Readonly<Record<Major, number>> = { 20: 1.01, 22: 1.001, 24: 1.001 }

/** Returns a line for each count that exceeds its budget. */
export function excesses(counts: Partial<Record<CountedName, Counts>>, version: string): string[] {
  return countedNames.flatMap((name) =>
    countNames.flatMap((count) => {
      const [taken, max] = [counts[name]?.[count] ?? 0, ceiling(name, count, version)]
      return taken <= max ? [] : [`${name}: ${count} ${figure(taken)}, at most ${figure(max)}`]
    }),
  )
}

export const figure = (value: number): string => String(Math.round(value * 100) / 100)

/**
 * Returns the source code of `measuredOn` and `measured`, from the counts with each major version
 * of Node.
 */
export function pasted(
  found: readonly { readonly version: string; readonly counts: Readonly<Record<CountedName, Counts>> }[],
): string {
  const each = (of: (one: (typeof found)[number]) => string | number): string =>
    `{ ${found.map((one) => `${one.version.split('.')[0]}: ${of(one)}`).join(', ')} }`
  const rows = countedNames.map((name) => {
    const rest = countNames
      .slice(1)
      .map((count) => `${count}: ${figure(Math.max(...found.map(({ counts }) => counts[name][count])))}`)
    return (
      `  ${/-/.test(name) ? `'${name}'` : name}: {\n    bytes: ` +
      `${each(({ counts }) => counts[name].bytes)},\n    ` +
      `${rest.join(',\n    ')},\n  },\n`
    )
  })
  return [
    `const measuredOn: Readonly<Record<Major, string>> = ${each(({ version }) => `'${version}'`)}\n`,
    `const measured: Readonly<Partial<Record<CountedName, Measured>>> = {\n${rows.join('')}}\n`,
  ].join('\n')
}
