/** Compares what requests send and what answers bring: bodies by media type, statuses, header fields. */
import { own } from '../definition/json.js'
import { header, parameter } from '../wire.js'
import type { Found } from './changes.js'
import { compareEncoding, isForm } from './compare-encoding.js'
import { compareLinks } from './compare-links.js'
import type { OperationSides } from './compare-parameters.js'
import type { Comparison, Finding, SchemaPlace } from './findings.js'
import { schemaOf } from './flatten.js'
import { levelOf, type OwnKind } from './kinds.js'
import { holds, isBinary, isTextual, isXml, normalType } from './media-types.js'
import { child, type Place, type Source } from './nodes.js'
import { changeOf } from './sentences.js'

type Rest = Pick<Found, 'what' | 'so' | 'before' | 'after' | 'detail' | 'place'>

function add({ changes, operation }: OperationSides, kind: OwnKind, { so, ...rest }: Rest): void {
  const level = levelOf(kind)
  changes.add({ kind, level, operation, ...rest, ...(level === 'breaking' && so !== undefined ? { so } : {}) })
}

const nameOf = ({ operation: { method, path } }: OperationSides): string => `${method} ${path}`

/** Compares the bodies that two operations take. */
export function compareRequestBodies(before: Place, after: Place, sides: OperationSides): void {
  const old = sides.before.member(before, 'requestBody')
  const young = sides.after.member(after, 'requestBody')
  const [wanted, isWanted] = [old, young].map((body) => own(body?.value, 'required') === true)
  const of = nameOf(sides)
  const rest = { before: old, after: young, place: 'body' }
  if (old === undefined && young === undefined) return
  if (old === undefined) {
    const what = `${of} takes a body now`
    if (isWanted)
      add(sides, 'required-request-body-added', {
        ...rest,
        what: `${what} and requires it`,
        so: 'clients that send none get 400',
      })
    else add(sides, 'request-body-added', { ...rest, what })
    return
  }
  if (young === undefined) {
    add(sides, 'request-body-removed', {
      ...rest,
      what: `${of} takes no body any more`,
      so: 'clients that send one get 400',
    })
    return
  }
  if (!wanted && isWanted)
    add(sides, 'request-body-became-required', {
      ...rest,
      what: `the body of ${of} is required now`,
      so: 'clients that send none get 400',
    })
  if (wanted && !isWanted)
    add(sides, 'request-body-became-optional', { ...rest, what: `the body of ${of} is optional now` })
  compareContents({ before: old, after: young }, { place: 'request', words: `the body of ${of}`, at: 'body' }, sides)
}

/** A body in words, and whether clients send it. */
interface Body {
  readonly place: 'request' | 'response' | 'delivery' | 'reply'
  readonly words: string
  readonly at: string
  /** Whether it is a page of a list, whose length clients choose. */
  readonly isPage?: boolean
}

type Content = ReadonlyMap<string, { readonly type: string; readonly place: Place }>

const contentOf = (source: Source, body: Place): Content =>
  new Map(
    [...source.members(source.member(body, 'content'))].map(([type, place]) => [normalType(type), { type, place }]),
  )

/** Compares a body in each of its media types. */
export function compareContents(
  bodies: { readonly before: Place; readonly after: Place },
  body: Body,
  sides: OperationSides,
): void {
  const before = contentOf(sides.before, bodies.before)
  const after = contentOf(sides.after, bodies.after)
  const { place, words, at } = body
  const isSent = place === 'request' || place === 'reply'
  const matched = new Set<string>()
  for (const [name, old] of before) {
    const [found, young] = after.has(name)
      ? [name, after.get(name)]
      : ([...after].find(([other]) => (isSent ? holds(other, name) : holds(name, other))) ?? [])
    if (found === undefined || young === undefined) {
      const [verb, so] = lostType[place]
      add(sides, `${place}-media-type-removed`, {
        before: old.place,
        place: `${at} ${old.type}`,
        what: `${words} no longer ${verb} ${old.type}`,
        so,
      })
      continue
    }
    matched.add(found)
    if (isBinary(name)) continue
    const comparison: Comparison = { place, text: isSent && isTextual(name), xml: isXml(name) }
    const schema = (side: Place) => schemaOf(nothingLess(child(side, 'schema')))
    const pair = { before: schema(old.place), after: schema(young.place) }
    for (const finding of sides.schemas.compare(pair, comparison)) {
      if (body.isPage === true && isLongerPage(finding)) continue
      sides.changes.add(
        changeOf(finding, comparison, { operation: sides.operation, words, place: `${at} ${young.type}` }),
      )
    }
    if (isForm(name))
      compareEncoding({ before: old.place, after: young.place }, sides, {
        place,
        words,
        at,
        add: (kind, rest) => add(sides, kind, rest),
      })
  }
  for (const [name, young] of after) {
    if (matched.has(name)) continue
    add(sides, `${place}-media-type-added`, {
      after: young.place,
      place: `${at} ${young.type}`,
      what: `${words} may be ${young.type} now`,
      so: 'clients that know only what was there before fail',
    })
  }
}

/** What happens to a media type that is gone, and to its clients. */
const lostType: Readonly<Record<Body['place'], readonly [verb: string, so: string]>> = {
  request: ['may be', 'clients that send it get 415'],
  response: ['comes as', 'clients that ask for it get 415'],
  delivery: ['comes as', 'clients that read it find another'],
  reply: ['may be', 'clients that answer with it are not understood'],
}

const nothingLess = (place: Place): Place | undefined => (place.value === undefined ? undefined : place)

/** Compares the answers of two operations. */
export function compareResponses(before: Place, after: Place, sides: OperationSides): void {
  const old = sides.before.members(sides.before.member(before, 'responses'))
  const young = sides.after.members(sides.after.member(after, 'responses'))
  const pairs = new Map<string, readonly [string, Place, Place]>()
  for (const [status, place] of old) {
    const [key, other] = statusOf(young, status)
    if (other !== undefined) pairs.set(`${status} ${key}`, [status, place, other])
    else removedStatus(status, place, old, young, sides)
  }
  for (const [status, place] of young) {
    const [key, other] = statusOf(old, status)
    if (other !== undefined) pairs.set(`${key} ${status}`, [status, other, place])
    else addedStatus(status, place, before, after, sides)
  }
  const isPage = hasPageSize(sides.before, before) && hasPageSize(sides.after, after)
  for (const [status, one, other] of pairs.values())
    compareResponse(status, { before: one, after: other, isPage }, sides)
}

/** Whether clients say how many items they want. */
const hasPageSize = (source: Source, operation: Place): boolean =>
  source.items(child(operation, 'parameters')).some(({ value }) => own(value, 'name') === parameter.size)

/** A page is longer only where a client asks for more. */
const isLongerPage = ({ path, difference, keyword }: Finding): boolean =>
  path.length === 0 && difference === 'maximum-raised' && keyword === 'maxItems'

/** The answer for a status: its own, that of its range (`2XX`), or the default, which stands for successes only where no other does. */
export function statusOf(all: ReadonlyMap<string, Place>, status: string): readonly [string, Place | undefined] {
  const isOther = isSuccess(status) ? [...all.keys()].some(isSuccess) : !saysSomething(all.get('default'))
  const others = isOther ? [] : ['default']
  const key = [status, status.toUpperCase(), `${status.charAt(0)}XX`, ...others].find((one) => all.has(one)) ?? status
  return [key, all.get(key)]
}

/** A default without content and header fields says nothing that a status could lack. */
const saysSomething = (answer: Place | undefined): boolean =>
  ['content', 'headers'].some((member) => own(answer?.value, member) !== undefined)

/** What clients get where all goes well: 304 is for those who asked for it. */
export const isSuccess = (status: string): boolean => /^[123]/.test(status) && status !== '304'

function removedStatus(
  status: string,
  place: Place,
  old: ReadonlyMap<string, Place>,
  young: ReadonlyMap<string, Place>,
  sides: OperationSides,
): void {
  const isRange = /^[1-5]XX$/i.test(status)
  // Statuses of their own have taken its place.
  if (isRange && [...young.keys()].some((one) => one.startsWith(status.charAt(0)))) return
  const isDefaultSuccess =
    status === 'default' && ![...old.keys()].some(isSuccess) && ![...young.keys()].some(isSuccess)
  const rest = { before: place, place: status, what: `${nameOf(sides)} no longer answers ${status}` }
  if (isDefaultSuccess || isSuccess(status))
    add(sides, 'status-removed', { ...rest, so: 'clients that wait for it fail' })
  else add(sides, 'error-status-removed', rest)
}

function addedStatus(status: string, place: Place, before: Place, after: Place, sides: OperationSides): void {
  const required = (source: Source, operation: Place): boolean =>
    source
      .items(child(operation, 'parameters'))
      .some(
        ({ value }) =>
          String(own(value, 'name')).toLowerCase() === header.ifMatch.toLowerCase() && own(value, 'required') === true,
      )
  if (status === '428' && !required(sides.before, before)) {
    // Where the parameter says it, too, that has been told.
    if (!required(sides.after, after)) {
      add(sides, 'if-match-required', {
        after: place,
        place: status,
        what: `${nameOf(sides)} answers 428 now`,
        so: 'clients that send no If-Match are refused',
      })
    }
    return
  }
  add(sides, 'status-added', { after: place, place: status, what: `${nameOf(sides)} answers ${status} now` })
}

interface ResponsePair {
  readonly before: Place
  readonly after: Place
  readonly isPage: boolean
}

function compareResponse(status: string, { before, after, isPage }: ResponsePair, sides: OperationSides): void {
  const words = `the ${status} answer of ${nameOf(sides)}`
  compareHeaders(status, { before, after }, words, sides)
  compareContents({ before, after }, { place: 'response', words, at: status, isPage }, sides)
  compareLinks({ before, after }, sides, { status, of: words, add: (kind, rest) => add(sides, kind, rest) })
}

/** Header fields that only announce something. */
const advisory: ReadonlySet<string> = new Set([header.deprecation, header.sunset].map((name) => name.toLowerCase()))

function compareHeaders(
  status: string,
  pair: { readonly before: Place; readonly after: Place },
  of: string,
  sides: OperationSides,
): void {
  const before = headersOf(sides.before, pair.before)
  const after = headersOf(sides.after, pair.after)
  for (const [key, old] of before) {
    const young = after.get(key)
    const place = `${status} header "${old.name}"`
    const words = `the header ${old.name} of ${of}`
    if (young === undefined) {
      const kind = advisory.has(key) ? 'advisory-header-removed' : 'response-header-removed'
      add(sides, kind, { before: old.place, place, what: `${words} is gone`, so: lostHeader(key) })
      continue
    }
    const [was, is] = [old, young].map((one) => own(one.place.value, 'required') === true)
    const rest = { before: old.place, after: young.place, place }
    if (was && !is)
      add(sides, 'response-header-became-optional', {
        ...rest,
        what: `${words} is not always there any more`,
        so: 'clients that count on it fail where it is missing',
      })
    if (!was && is) add(sides, 'response-header-became-required', { ...rest, what: `${words} is always there now` })
    const comparison: Comparison = { place: 'header' satisfies SchemaPlace, text: false }
    const schema = (side: Place) => schemaOf(nothingLess(child(side, 'schema')))
    for (const finding of sides.schemas.compare(
      { before: schema(old.place), after: schema(young.place) },
      comparison,
    )) {
      sides.changes.add(changeOf(finding, comparison, { operation: sides.operation, words, place }))
    }
  }
  for (const [key, young] of after) {
    if (!before.has(key))
      add(sides, 'response-header-added', {
        after: young.place,
        place: `${status} header "${young.name}"`,
        what: `the header ${young.name} of ${of} is new`,
      })
  }
}

const lostHeader = (name: string): string =>
  name === header.totalCount
    ? `clients that show pages by ${parameter.page} do not know how many there are`
    : 'clients that read it find nothing'

interface Field {
  readonly name: string
  readonly place: Place
}

function headersOf(source: Source, response: Place): ReadonlyMap<string, Field> {
  const fields = [...source.members(source.member(response, 'headers'))].map(
    ([name, place]) => [name.toLowerCase(), { name, place }] as const,
  )
  // The content says it (OpenAPI 3.1, Response Object).
  return new Map(fields.filter(([name]) => name !== 'content-type'))
}
