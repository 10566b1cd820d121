/**
 * The laws, which are properties that every table must have. If a law is violated, its function
 * throws `Broken`, with the request and the response.
 */
import { isDeepStrictEqual } from 'node:util'
import { segmentOf } from '../../src/definition/key.js'
import type { ResourceDefinition } from '../../src/definition/resource.js'
import { filtersOf, sortsOf, watched } from './built.js'
import type { Design, MemberDesign, RowDesign } from './designs.js'
import { meaning } from './kinds.js'
import { type Answer, Broken, type Client, collection } from './service.js'

export type Row = Readonly<Record<string, unknown>>

/** A record and its path. */
export interface Found {
  readonly path: string
  readonly row: Row
}

/** Throws `Broken` unless a law holds. */
export const expectLaw = (holds: boolean, law: string, ...details: readonly unknown[]): void => {
  if (!holds)
    throw new Broken(law, ...details.map((detail) => (typeof detail === 'string' ? detail : JSON.stringify(detail))))
}

export const short = ({ status, text, headers }: Answer): string => `${status} ${headers.etag ?? ''} ${text}`

const allMembers = ({ key, members }: Design): readonly MemberDesign[] => [...key, ...members]

/** Whether two records are equal, member by member. */
function same(design: Design, one: Row, other: Row): boolean {
  return allMembers(design).every(({ name, kind }) => meaning(kind, own(one, name)) === meaning(kind, own(other, name)))
}

export const own = (row: Row, name: string): unknown => (Object.hasOwn(row, name) ? row[name] : undefined)

/** The members that a 422 may point to. */
function suspects(design: Design, { values, odd }: RowDesign): ReadonlySet<string> {
  const found = new Set(odd)
  const keys = design.key.map(({ name }) => name)
  // A key can be refused because another record has the same key, or because a path cannot contain
  // the key: an empty string, a dot or an overlong string.
  for (const name of keys) found.add(name)
  if (design.unique !== undefined) found.add(design.unique.member)
  for (const name of design.reference?.members ?? []) found.add(name)
  // The 422 may have no pointer in two cases: a trigger refuses the whole record, or several
  // columns have the same domain, whose check does not name the column.
  if (['null', 'raise', 'raise, deferred'].includes(design.trigger) || ambiguous(design)) found.add('')
  for (const name of Object.keys(values))
    if (typeof values[name] === 'string' && (values[name] as string).length > 2_000) found.add(name)
  return found
}

const ambiguous = (design: Design): boolean => {
  const domains = allMembers(design).flatMap(({ kind }) => (kind.name.endsWith('domain') ? [kind.name] : []))
  return new Set(domains).size < domains.length
}

const pointersOf = (answer: Answer): readonly string[] =>
  ((answer.json as { errors?: { pointer?: string }[] })?.errors ?? []).map(({ pointer = '' }) =>
    (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~'),
  )

/**
 * A POST gets 201 and its values are stored, or it gets a 422 that names the invalid member.
 */
export async function creates(client: Client, design: Design, rows: readonly RowDesign[]): Promise<readonly Found[]> {
  const found: Found[] = []
  for (const row of rows) {
    const answer = await client.send('POST', collection, {}, row.values)
    if (answer.status !== 201) {
      const allowed = suspects(design, row)
      const pointers = pointersOf(answer)
      expectLaw(answer.status === 422, 'A POST gets 201 or 422.', row.values, short(answer))
      expectLaw(pointers.length > 0 || allowed.has(''), 'A 422 points to a member.', row.values, short(answer))
      expectLaw(
        pointers.every((name) => allowed.has(name)),
        'A 422 points to the member at fault.',
        row.values,
        short(answer),
      )
      continue
    }
    const path = client.pathOf(String(answer.headers.location))
    const shown = await client.send('GET', path)
    expectLaw(shown.status === 200, 'Location leads to the record.', row.values, path, short(shown))
    const record = shown.json as Row
    for (const { name, kind } of allMembers(design)) {
      if (own(row.values, name) === undefined || rewrites(design, name)) continue
      const isSame = meaning(kind, own(row.values, name)) === meaning(kind, own(record, name))
      expectLaw(isSame, `GET shows what was sent in "${name}".`, row.values, short(shown))
    }
    expectLaw(!found.some((one) => one.path === path), 'Two records have different addresses.', path)
    found.push({ path, row: record })
  }
  return found
}

/**
 * Whether a trigger changes the value of the member. GET then shows the result of the trigger
 * instead of the value that was sent.
 */
const rewrites = (design: Design, name: string): boolean =>
  ['lower case', 'upper case, after', 'upper case, deferred'].includes(design.trigger) && watched(design)?.name === name

/** PUT accepts the record that GET shows. Neither this PUT nor an empty PATCH changes anything. */
export async function roundTrips(client: Client, design: Design, { path, row }: Found): Promise<void> {
  const read = async (): Promise<Answer> => {
    const answer = await client.send('GET', path)
    expectLaw(answer.status === 200, 'GET shows an existing record.', path, short(answer))
    return answer
  }
  const unchanged = (answer: Answer, law: string): void => {
    expectLaw(answer.status === 200, law, path, row, short(answer))
    expectLaw(same(design, row, answer.json as Row), law, path, row, short(answer))
  }
  for (const _ of [1, 2]) unchanged(await client.send('PUT', path, {}, row), 'PUT accepts what GET showed.')
  const before = await read()
  unchanged(before, 'PUT of what GET showed changes nothing.')
  expectLaw(isDeepStrictEqual(before.json, row), 'PUT of what GET showed keeps each value exactly.', row, short(before))
  const put = await client.send('PUT', path, { 'If-Match': String(before.headers.etag) }, before.json)
  unchanged(put, 'PUT with If-Match accepts what GET showed.')
  const again = await client.send('PUT', path, { 'If-Match': String(put.headers.etag) }, put.json)
  unchanged(again, 'PUT accepts the body and the tag that the previous PUT returned.')
  const stale = await client.send('PUT', path, { 'If-Match': '"none"' }, row)
  expectLaw(stale.status === 412, 'PUT with a tag that no response contained gets 412.', path, short(stale))

  for (const [name, value] of Object.entries(row)) {
    // In a merge patch, null inside an object removes the member (RFC 7396, section 2).
    if (value !== null && !Array.isArray(value) && /:null[,}]/.test(JSON.stringify(value))) continue
    const patch = Object.defineProperty({}, name, { value, enumerable: true })
    for (const _ of [1, 2])
      unchanged(await client.send('PATCH', path, {}, patch), `PATCH of "${name}" with its own value changes nothing.`)
  }
  const tag = String((await read()).headers.etag)
  unchanged(await client.send('PATCH', path, { 'If-Match': tag }, {}), 'An empty PATCH with If-Match changes nothing.')

  const xml = await client.send('GET', path, { Accept: 'application/xml' })
  expectLaw(xml.status === 200, 'GET shows XML.', path, short(xml))
  const type = { 'Content-Type': 'application/xml' }
  unchanged(await client.send('PUT', path, type, xml.text), 'PUT accepts the XML that GET showed.')
  const tagged = String((await read()).headers.etag)
  unchanged(
    await client.send('PUT', path, { ...type, 'If-Match': tagged }, xml.text),
    'PUT with If-Match accepts the XML that GET showed.',
  )
  const now = await client.send('GET', path, { Accept: 'application/xml' })
  expectLaw(now.text === xml.text, 'PUT of XML changes nothing.', path, xml.text, now.text)
  expectLaw(isDeepStrictEqual((await read()).json, row), 'PUT of XML does not change the JSON.', row)
}

const longestQuery = 6_000

/** All records of a list. They must fit on one page. */
async function listed(
  client: Client,
  query: Readonly<Record<string, string>> | string,
  law: string,
): Promise<readonly Row[]> {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString()
  const answer = await client.send('GET', `${collection}?${text}&limit=100`)
  expectLaw(answer.status === 200, law, text, short(answer))
  return answer.json as Row[]
}

const queryText = (value: unknown): string => String(value)

/**
 * Whether a query can contain a string. Lone surrogates have no UTF-8 encoding, and URLs have a
 * maximum length.
 */
const isAskable = (text: string, maxLength = longestQuery): boolean =>
  !/\p{Surrogate}/u.test(text) && encodeURIComponent(text).length <= maxLength

/** A string that identifies a record by its key, to compare lists. */
const keyOf = ({ key }: Design, row: Row): string => JSON.stringify(key.map(({ name }) => own(row, name)))
const keysOf = (design: Design, rows: readonly Row[]): readonly string[] =>
  rows.map((row) => keyOf(design, row)).toSorted()

/**
 * A filter by the value that GET shows finds exactly the records with this value. A filter by
 * another spelling of the value finds the same records, or gets 400.
 */
export async function filters(client: Client, design: Design): Promise<void> {
  const rows = await listed(client, '', 'A list without filters gets 200.')
  for (const filter of filtersOf(design)) {
    const { name, kind } = filter.member
    const nulls = await listed(client, { [filter.nulls]: 'true' }, `The null filter of "${name}" gets 200.`)
    const without = rows.filter((row) => own(row, name) == null)
    expectLaw(
      isDeepStrictEqual(keysOf(design, nulls), keysOf(design, without)),
      `The null filter of "${name}" finds all nulls, and nothing else.`,
      rows,
      nulls,
    )
    const values = [
      ...new Map(
        rows.filter((row) => own(row, name) != null).map((row) => [meaning(kind, own(row, name)), own(row, name)]),
      ).values(),
    ]
    for (const value of values) {
      if (kind.compares === 'contains') {
        for (const item of value as unknown[]) {
          if (!isAskable(queryText(item))) continue
          const found = await listed(
            client,
            { [filter.has]: queryText(item) },
            `The "contains" filter of "${name}" finds each item that GET shows.`,
          )
          const holders = rows.filter((row) =>
            (own(row, name) as unknown[] | null)?.some((one) => isDeepStrictEqual(one, item)),
          )
          expectLaw(
            isDeepStrictEqual(keysOf(design, found), keysOf(design, holders)),
            `The "contains" filter of "${name}" finds each item that GET shows.`,
            item,
            rows,
            found,
          )
        }
        continue
      }
      const text = queryText(value)
      if (!isAskable(text)) continue
      const law = `The filter of "${name}" finds what GET shows, and nothing else.`
      const exact = rows.filter((row) => meaning(kind, own(row, name)) === meaning(kind, value))
      // If `isBlind` is true, the store decides which strings are equal. Identical strings are
      // always equal.
      const equal = kind.isBlind ? await listed(client, { [filter.eq]: text }, law) : exact
      const equals = keysOf(design, equal)
      expectLaw(
        keysOf(design, exact).every((key) => equals.includes(key)),
        law,
        text,
        rows,
        equal,
      )
      for (const parameter of [filter.eq, filter.any]) {
        const found = await listed(client, { [parameter]: text }, law)
        expectLaw(isDeepStrictEqual(keysOf(design, found), keysOf(design, equal)), law, text, rows, found)
      }
      for (const spelling of kind.spellings?.(value) ?? []) {
        const answer = await client.send(
          'GET',
          `${collection}?${new URLSearchParams({ [filter.eq]: spelling })}&limit=100`,
        )
        if (answer.status === 400) continue
        const right =
          answer.status === 200 && isDeepStrictEqual(keysOf(design, answer.json as Row[]), keysOf(design, equal))
        expectLaw(
          right,
          `Another spelling of "${name}" finds the same rows or gets 400.`,
          spelling,
          value,
          short(answer),
        )
      }
      if (kind.compares === 'all') await ranges(client, design, filter, rows, value, equal)
    }
    const others = values.filter(
      (value) => kind.compares !== 'contains' && isAskable(queryText(value), longestQuery / 8),
    )
    if (others.length > 1 && !kind.isBlind) {
      const query = new URLSearchParams(
        others.map((value): [string, string] => [filter.any, queryText(value)]),
      ).toString()
      const found = await listed(client, query, `A filter by several values of "${name}" finds the records of each.`)
      const meant = new Set(others.map((value) => meaning(kind, value)))
      const right = keysOf(
        design,
        rows.filter((row) => meant.has(meaning(kind, own(row, name)))),
      )
      expectLaw(
        isDeepStrictEqual(keysOf(design, found), right),
        `A filter by several values of "${name}" finds the records of each.`,
        query,
        rows,
        found,
      )
    }
  }
}

/**
 * `gte` and `lte` include the value itself, and `gt` and `lt` exclude it. Null matches none of
 * them.
 */
async function ranges(
  client: Client,
  design: Design,
  filter: ReturnType<typeof filtersOf>[number],
  rows: readonly Row[],
  value: unknown,
  equal: readonly Row[],
): Promise<void> {
  const { name } = filter.member
  const text = queryText(value)
  const law = `The range filters of "${name}" divide the non-null records at a value.`
  const asked = async (parameter: string): Promise<readonly Row[]> => listed(client, { [parameter]: text }, law)
  const [gt, gte, lt, lte] = [
    await asked(filter.gt),
    await asked(filter.gte),
    await asked(filter.lt),
    await asked(filter.lte),
  ]
  const filled = rows.filter((row) => own(row, name) != null)
  const both = (one: readonly Row[], other: readonly Row[]): readonly string[] => keysOf(design, [...one, ...other])
  for (const [one, other, sum] of [
    [gt, equal, gte],
    [lt, equal, lte],
    [lt, gte, filled],
  ] as const)
    expectLaw(isDeepStrictEqual(both(one, other), keysOf(design, sum)), law, text, { gt, gte, lt, lte }, rows)
}

/**
 * The order of a list agrees with the comparisons of filters, and the pages of the list show each
 * record once.
 */
export async function orders(client: Client, design: Design): Promise<void> {
  const rows = await listed(client, '', 'A list without filters gets 200.')
  const parameters = new Map(filtersOf(design).map((filter) => [filter.member.name, filter]))
  for (const { name, kind } of sortsOf(design)) {
    for (const sign of ['', '-']) {
      const law = `A list sorted by "${sign}${name}" is in order.`
      const sorted = await listed(client, { sort: `${sign}${name}` }, law)
      expectLaw(isDeepStrictEqual(keysOf(design, sorted), keysOf(design, rows)), law, sorted, rows)
      const ascending = sign === '' ? sorted : sorted.toReversed()
      const values = ascending.map((row) => own(row, name) ?? null)
      const nulls = values.indexOf(null)
      expectLaw(
        nulls < 0 || values.slice(nulls).every((value) => value === null),
        'Null is ordered after every other value.',
        sorted,
      )
      const filter = parameters.get(name)
      if (kind.compares === 'all' && filter !== undefined) {
        for (const [i, row] of ascending.entries()) {
          const next = ascending[i + 1]
          const value = own(row, name)
          if (next === undefined || own(next, name) == null || !isAskable(queryText(value))) continue
          const from = await listed(client, { [filter.gte]: queryText(value) }, law)
          expectLaw(
            from.some((one) => keyOf(design, one) === keyOf(design, next)),
            law,
            { from: row, next },
            sorted,
          )
        }
      }
      await walks(client, design, `${sign}${name}`, sign === '' ? 1 : 2, sorted)
    }
  }
}

/**
 * Following the `Link` header fields shows each record once, in the order of the list, forwards and
 * backwards.
 */
async function walks(
  client: Client,
  design: Design,
  sort: string,
  size: number,
  sorted: readonly Row[],
): Promise<void> {
  const law = `With "sort=${sort}" and "limit=${size}", the pages show each record once.`
  const keys = sorted.map((row) => keyOf(design, row))
  let path: string | undefined = `${collection}?${new URLSearchParams({ sort, limit: String(size) })}`
  const seen: string[] = []
  let last: readonly string[] = []
  let previous: string | undefined
  for (let page = 0; path !== undefined && page <= sorted.length; page++) {
    const answer: Answer = await client.send('GET', path)
    expectLaw(answer.status === 200, law, path, short(answer))
    expectLaw(
      answer.headers['x-total-count'] === String(sorted.length),
      'The total counts every record.',
      path,
      answer.headers,
    )
    last = (answer.json as Row[]).map((row) => keyOf(design, row))
    seen.push(...last)
    previous = linkOf(client, answer, 'prev')
    path = linkOf(client, answer, 'next')
  }
  expectLaw(isDeepStrictEqual(seen, keys), law, seen, keys)
  const back: string[] = [...last]
  for (let page = 0; previous !== undefined && page <= sorted.length; page++) {
    const answer: Answer = await client.send('GET', previous)
    expectLaw(answer.status === 200, law, previous, short(answer))
    back.unshift(...(answer.json as Row[]).map((row) => keyOf(design, row)))
    previous = linkOf(client, answer, 'prev')
  }
  expectLaw(isDeepStrictEqual(back, keys), `Backwards: ${law}`, back, keys)
}

function linkOf(client: Client, { headers }: Answer, relation: string): string | undefined {
  const found = new RegExp(`<([^>]*)>; rel="?${relation}"?`).exec(String(headers.link ?? ''))
  return found?.[1] === undefined ? undefined : client.pathOf(found[1])
}

/** Each path leads to its own record, and DELETE removes only that record. */
export async function removes(client: Client, design: Design, found: readonly Found[]): Promise<void> {
  for (const [i, { path, row }] of found.entries()) {
    const before = await client.send('GET', path)
    expectLaw(isDeepStrictEqual(before.json, row), 'An address leads to its own record.', path, row, short(before))
    const exists = await client.send('HEAD', path)
    expectLaw(exists.status === 302, 'HEAD of an existing record gets 302.', path, short(exists))
    const removed = await client.send('DELETE', path, i % 2 === 0 ? {} : { 'If-Match': String(before.headers.etag) })
    expectLaw(removed.status === 204, 'DELETE removes a record.', path, short(removed))
    const gone = await client.send('GET', path)
    expectLaw(gone.status === 404, 'GET of a removed record gets 404.', path, short(gone))
    const left = await listed(client, '', 'A list without filters gets 200.')
    const others = found.slice(i + 1).map((one) => one.row)
    expectLaw(
      isDeepStrictEqual(keysOf(design, left), keysOf(design, others)),
      'DELETE removes no other record.',
      path,
      left,
      others,
    )
  }
}

/** The records of a list, each with the path that follows from its key. */
export async function addressed(client: Client, definition: ResourceDefinition): Promise<readonly Found[]> {
  const rows = await listed(client, '', 'A list without filters gets 200.')
  return rows.map((row) => ({
    row,
    path: `${collection}/${segmentOf(definition.key.text(definition.key.of(row as never) as never))}`,
  }))
}

/**
 * GET and lists show a record with values that JSON can't represent exactly. An empty PATCH does
 * not change the record. A PUT of the shown record does not change what GET shows. The PATCH and
 * the PUT can also get a 422 that names the member that JSON can't show.
 */
export async function inexact(
  client: Client,
  design: Design,
  { path }: Found,
  stored: () => Promise<string>,
): Promise<void> {
  const shown = await client.send('GET', path)
  expectLaw(shown.status === 200, 'GET shows a record that other sessions wrote.', path, short(shown))
  const before = await stored()
  const patched = await client.send('PATCH', path, {}, {})
  const members = new Set(design.members.filter(({ kind }) => kind.inexact !== undefined).map(({ name }) => name))
  const checks = (answer: Answer, law: string): void => {
    const pointers = pointersOf(answer)
    const refused = answer.status === 422 && pointers.length > 0 && pointers.every((name) => members.has(name))
    expectLaw(answer.status === 200 || refused, law, path, short(shown), short(answer))
  }
  checks(patched, 'An empty PATCH gets 200, or 422 for a member that JSON cannot show.')
  const after = await stored()
  expectLaw(
    after === before,
    'An empty PATCH does not change values that JSON cannot show.',
    before,
    after,
    short(patched),
  )
  const put = await client.send('PUT', path, {}, shown.json)
  checks(put, 'PUT of what GET showed gets 200, or 422 for a member that JSON cannot show.')
  // Generated members are not compared, because they can depend on a stored value that JSON can't
  // show.
  const now = await client.send('GET', path)
  const sent = { ...design, members: design.members.filter(({ filled }) => filled !== 'generated') }
  expectLaw(
    same(sent, shown.json as Row, now.json as Row),
    'PUT of what GET showed does not change what GET shows.',
    short(shown),
    short(now),
  )
  const xml = await client.send('GET', path, { Accept: 'application/xml' })
  expectLaw(xml.status === 200, 'GET of XML shows a record that other sessions wrote.', path, short(xml))
  for (const { name } of sortsOf(design)) {
    for (const size of [1, 3])
      await walks(
        client,
        design,
        name,
        size,
        await listed(client, { sort: name }, `A list sorted by "${name}" gets 200.`),
      )
  }
  for (const { member, eq, has } of filtersOf(design)) {
    const value = own(shown.json as Row, member.name)
    if (value == null) continue
    const text = member.kind.compares === 'contains' ? String((value as unknown[])[0]) : queryText(value)
    const answer = await client.send(
      'GET',
      `${collection}?${new URLSearchParams({ [member.kind.compares === 'contains' ? has : eq]: text })}`,
    )
    expectLaw([200, 400].includes(answer.status), 'A filter gets 200 or 400.', text, short(answer))
  }
}
