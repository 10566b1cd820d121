/**
 * How the twin (the hand-written test service) responds: representations, entity tags and problems.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Request, Response } from 'express'
import type { Customer, Order } from './data.js'
import type { Twin } from './twin.js'

export const originOf = (req: Request): string => `http://${req.headers.host}`

export function shownCustomer(req: Request, { id, name, phone, parentId }: Customer, twin: Twin) {
  const parent = parentId === null ? null : { href: `${originOf(req)}/v1/customers/${parentId}` }
  return { id, name, ...(phone === null && twin.has('null left out') ? {} : { phone }), parent }
}

export function shownOrder(req: Request, order: Order, expand: readonly string[], twin: Twin): object {
  const { customerId, createdAt, note, ...rest } = order
  const path = `/v1/${twin.has('links lead nowhere') ? 'clients' : 'customers'}/${customerId}`
  const href = twin.has('relative links') ? path : `${originOf(req)}${path}`
  const customer = expand.includes('customer') ? expanded(req, customerId, href, twin) : { href, id: customerId }
  return {
    ...rest,
    customer,
    createdAt: twin.has('three fractional digits') ? createdAt.slice(0, 23) : createdAt,
    ...(note === null && twin.has('null left out') ? {} : { note }),
  }
}

function expanded(req: Request, id: string, href: string, twin: Twin): object {
  const isHidden =
    twin.subject(req) === 'guest' && !twin.has('expansion shows what is forbidden') && !twin.has('no permission needed')
  if (isHidden) return { href, id }
  const { name, ...whole } = shownCustomer(req, twin.data.customers.get(id) as Customer, twin)
  const parentId = twin.data.customers.get(id)?.parentId
  const deeper = parentId === null || parentId === undefined ? undefined : twin.data.customers.get(parentId)
  return {
    ...whole,
    ...(twin.has('expansion lacks a member') ? {} : { name }),
    ...(twin.has('links in an expansion are expanded') && deeper !== undefined
      ? { parent: shownCustomer(req, deeper, twin) }
      : {}),
  }
}

const variesBy = (twin: Twin): string =>
  twin.has('Vary without Accept')
    ? 'Authorization'
    : twin.has('Vary without Authorization')
      ? 'Accept'
      : 'Accept, Authorization'

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/**
 * Sends a representation in the format that `Accept` asks for, with the entity tag of the
 * representation. Responds with 304 if the client already has this representation, and with 415 if
 * `Accept` allows no format.
 */
export function sendValue(req: Request, res: Response, value: unknown, twin: Twin, status = 200): unknown {
  const type = formatOf(req, twin)
  if (type === undefined) return unanswerable(res, twin)
  const isXml = type === 'application/xml'
  const text = isXml ? `<?xml version="1.0"?>${xmlOf('value', value, twin)}` : JSON.stringify(value)
  const tag =
    twin.has('change without ETag') && req.method !== 'GET' && req.method !== 'HEAD'
      ? undefined
      : tagOfValue(value, text, twin)
  const isList = Array.isArray(value)
  res
    .set('Cache-Control', twin.has('public responses') ? 'public, max-age=60' : 'private, no-cache')
    .set('Vary', variesBy(twin))
  const isWeak = twin.has('weak tag with gzip') && req.get('Accept-Encoding') !== undefined
  if (tag !== undefined) res.set('ETag', isWeak ? `W/${tag}` : tag)
  if (req.method === 'GET' && isKnown(req, tag, twin, isList)) {
    if (twin.has('304 without fields')) res.removeHeader('Vary')
    return res.status(304).end()
  }
  res.status(status).set('Content-Type', type)
  // Express's send() is not used, because it would generate its own entity tag.
  return res.end(req.method === 'HEAD' ? undefined : text)
}

/** Refuses a request whose `Accept` names no media type of the twin. */
export const unanswerable = (res: Response, twin: Twin): unknown =>
  problem(res, twin.has('406 for 415') ? 406 : 415, 'unsupported', 'Accept names no media type of this service.', twin)

function tagOfValue(value: unknown, text: string, twin: Twin): string | undefined {
  if (twin.has('tag stays after a change')) return tagOf(`${text.charAt(0)}${JSON.stringify(value, ['id'])}`, twin)
  return tagOf(twin.has('one tag for JSON and XML') ? JSON.stringify(value) : text, twin)
}

/** The entity tag of the JSON form of a value. `If-Match` is compared with this tag. */
export const currentTag = (value: unknown, twin: Twin): string | undefined =>
  tagOfValue(value, JSON.stringify(value), twin)

function tagOf(text: string, twin: Twin): string | undefined {
  if (twin.has('no tag')) return undefined
  const strong = `"${twin.has('random tag') ? randomUUID() : hash(text)}"`
  return twin.has('weak tag') ? `W/${strong}` : strong
}

function isKnown(req: Request, tag: string | undefined, twin: Twin, isList: boolean): boolean {
  const field = req.get('If-None-Match')
  if (twin.has('no-cache turns 304 off') && req.get('Cache-Control') === 'no-cache') return false
  if (field === undefined || tag === undefined || twin.has('304 never') || (isList && twin.has('304 of lists never')))
    return false
  if (field === '*' || twin.has('304 always')) return true
  return field.split(',').some((one) => one.trim().replace(/^W\//, '') === tag.replace(/^W\//, ''))
}

export function formatOf(req: Request, twin: Twin): string | undefined {
  if (twin.has('Accept ignored')) return 'application/json'
  const accept = twin.has('q-values ignored') ? req.get('Accept')?.replace(/;\s*q=[\d.]+/g, '') : req.get('Accept')
  const wanted = (accept ?? '*/*').split(',').map((one) => {
    const [range = '', ...rest] = one.split(';').map((part) => part.trim())
    return { range, quality: Number(rest.find((part) => part.startsWith('q='))?.slice(2) ?? 1) }
  })
  const qualityOf = (type: string): number =>
    [type, 'application/*', '*/*']
      .map((range) => wanted.find((one) => one.range === range)?.quality)
      .find((one) => one !== undefined) ?? 0
  const [best] = ['application/json', 'application/xml']
    .filter((type) => qualityOf(type) > 0)
    .sort((a, b) => qualityOf(b) - qualityOf(a))
  return best
}

const escaped = (text: string): string => text.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`)

function xmlOf(name: string, value: unknown, twin: Twin): string {
  if (value === null) return `<${name}/>`
  if (Array.isArray(value)) return `<${name}>${value.map((one) => xmlOf('item', one, twin)).join('')}</${name}>`
  if (typeof value !== 'object') return `<${name}>${escaped(String(value))}</${name}>`
  const members = Object.entries(value as object).filter(
    ([member]) => !(twin.has('XML lacks a member') && member === 'createdAt'),
  )
  return `<${name}>${members.map(([member, one]) => xmlOf(member, one, twin)).join('')}</${name}>`
}

/** Sends a problem (RFC 9457). */
export function problem(
  res: Response,
  status: number,
  code: string,
  detail: string,
  twin: Twin,
  errors?: readonly (string | { readonly detail: string; readonly pointer: string })[],
): unknown {
  const shown = {
    type: 'about:blank',
    title: code,
    status: twin.has('status of problems is wrong') ? 500 : status,
    ...(twin.has('problems without code') ? {} : { code }),
    detail: twin.has('stack in problems') ? `Error: x\n    at list (/srv/app/orders.js:10:7)` : detail,
    ...(errors === undefined ? {} : { errors: errors.map((one) => (typeof one === 'string' ? { detail: one } : one)) }),
  }
  if (!twin.has('errors without no-store')) res.set('Cache-Control', 'no-store')
  res
    .status(status)
    .set('Content-Type', twin.has('errors in plain JSON') ? 'application/json' : 'application/problem+json')
  return res.end(JSON.stringify(shown))
}
