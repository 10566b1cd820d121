/**
 * A program that serves notes by the conventions, with `node:http` alone. It has UUIDs as ids,
 * version counters as entity tags, and an opaque token. It supports only JSON, and neither `sort`
 * nor `expand`. It prints its port.
 *
 * `FAULT` selects a fault. With the faults `PUT`, `PATCH` and `DELETE`, the service waits between
 * the comparison of the entity tag and the change. With the fault `keys`, it waits between the
 * lookup and the storage of an idempotency key. `WINDOW` is the waiting time in milliseconds.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

const { FAULT: fault = '', WINDOW = '0', TOKEN: token = 'opaque' } = process.env
const window = Number(WINDOW)
const notes = new Map()
const keys = new Map()

for (let n = 0; n < 12; n++) {
  const id = randomUUID()
  notes.set(id, { id, text: `note ${n}`, count: n % 4, done: n % 3 === 0, version: 1 })
}

/** Waits without blocking other requests. Timers are too coarse for waits of less than 1 ms. */
async function pause() {
  const end = performance.now() + window
  while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve))
}

class Problem extends Error {
  constructor(status, code, errors, headers = {}) {
    super(code)
    Object.assign(this, { status, code, errors, headers })
  }
}

const shown = ({ version: _, ...note }) => note
const tagOf = (note) => `"${note.id.slice(0, 8)}-${note.version}"`
const fields = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization', 'Content-Type': 'application/json' }

function readQuery(text) {
  const errors = []
  const values = {}
  for (const pair of text.split('&').filter(Boolean)) {
    let [name, value = ''] = pair.split('=', 2)
    try {
      ;[name, value] = [decodeURIComponent(name), decodeURIComponent(value.replaceAll('+', ' '))]
    } catch {
      throw new Problem(400, 'undecodable')
    }
    if (!['offest', 'limit', 'text', 'count', 'done'].includes(name))
      errors.push({ parameter: name, detail: `"${name}" is unknown. Known: offest, limit, text, count, done` })
    else if (name in values) errors.push({ parameter: name, detail: `"${name}" is given twice` })
    else if (['offest', 'limit'].includes(name) && (!/^[1-9]\d{0,8}$/.test(value) || (name === 'limit' && value > 50)))
      errors.push({ parameter: name, detail: `"${name}" must be a whole number from 1; "limit" is at most 50` })
    else if (name === 'count' && !/^-?\d{1,9}$/.test(value))
      errors.push({ parameter: name, detail: '"count" must be a whole number' })
    else if (name === 'done' && !/^(?:true|false)$/.test(value))
      errors.push({ parameter: name, detail: '"done" must be true or false' })
    else values[name] = value
  }
  if (errors.length > 0) throw new Problem(400, 'query', errors)
  return values
}

function list(req, query) {
  const { offest = 1, limit = 20, ...filters } = readQuery(query)
  const all = [...notes.values()].filter((note) =>
    Object.entries(filters).every(([name, one]) => String(note[name]) === one),
  )
  const page = all.slice((offest - 1) * limit, offest * limit)
  const last = Math.max(1, Math.ceil(all.length / limit))
  const to = (n, rel) => {
    const text = new URLSearchParams({ ...filters, offest: n, limit })
    return `<http://${req.headers.host}/api/v2/notes?${text}>; rel="${rel}"`
  }
  const next = Number(offest) < last ? [to(Number(offest) + 1, 'next')] : []
  const link = [to(1, 'first'), ...next, to(last, 'last')].join(', ')
  return [200, { ...fields, 'x-total-count': all.length, Link: link }, page.map(shown)]
}

async function bodyOf(req) {
  let text = ''
  for await (const chunk of req) text += chunk
  const [type] = (req.headers['content-type'] ?? '').split(';')
  if (type !== 'application/json' && type !== 'application/merge-patch+json') throw new Problem(415, 'type')
  let value
  try {
    value = JSON.parse(text)
  } catch {
    throw new Problem(400, 'malformed')
  }
  return value
}

function validated(value, known) {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(422, 'invalid', [{ pointer: '', detail: 'The body must be an object' }])
  const types = { id: 'string', text: 'string', count: 'number', done: 'boolean' }
  const errors = Object.entries(value).flatMap(([name, one]) => {
    if (!Object.hasOwn(types, name)) return [{ pointer: `/${name}`, detail: `"${name}" is unknown` }]
    if (name === 'id' && one !== known?.id) return [{ pointer: '/id', detail: '"id" is read-only' }]
    return typeof one === types[name] ? [] : [{ pointer: `/${name}`, detail: `"${name}" must be a ${types[name]}` }]
  })
  if (errors.length > 0) throw new Problem(422, 'invalid', errors)
  return value
}

async function create(req) {
  const body = validated(await bodyOf(req))
  const key = req.headers['idempotency-key']
  const text = JSON.stringify(body)
  const first = keys.get(key)
  if (first !== undefined && first.text !== text) throw new Problem(422, 'key')
  const id = first?.id ?? randomUUID()
  if (fault === 'keys' && window > 0) await pause()
  if (key !== undefined) keys.set(key, { text, id })
  if (first === undefined) notes.set(id, { text: '', count: 0, done: false, ...body, id, version: 1 })
  return [201, { ...fields, Location: `http://${req.headers.host}/api/v2/notes/${id}`, Etag: `"${id.slice(0, 8)}-1"` }]
}

function check(req, note) {
  const { 'if-match': match, 'if-none-match': none } = req.headers
  const has = (field) => field === '*' || field.split(',').some((one) => one.trim() === tagOf(note))
  if (match !== undefined && !has(match)) throw new Problem(412, 'stale')
  if (none !== undefined && has(none.replaceAll('W/', ''))) throw new Problem(412, 'known')
}

async function change(req, id) {
  const { method } = req
  const body = method === 'DELETE' ? undefined : await bodyOf(req)
  const note = notes.get(id)
  if (note === undefined) throw new Problem(404, 'absent')
  check(req, note)
  if (method !== 'DELETE') validated(body, note)
  if (window > 0 && fault === method) await pause()
  if (method === 'DELETE') {
    notes.delete(id)
    return [202, {}]
  }
  // If the note was deleted while this write waited, the write creates the note again.
  const base = method === 'PUT' ? { text: '', count: 0, done: false } : note
  const next = { ...base, ...body, id, version: (notes.get(id) ?? note).version + 1 }
  notes.set(id, next)
  return [200, { ...fields, Etag: tagOf(next) }, shown(next)]
}

function item(req, id) {
  const note = notes.get(id)
  if (note === undefined) throw new Problem(404, 'absent')
  const head = { ...fields, Etag: tagOf(note) }
  if (req.method === 'HEAD') return [302, head]
  const none = req.headers['if-none-match']
  const isKnown = none !== undefined && (none === '*' || none.replaceAll('W/', '').split(/, */).includes(tagOf(note)))
  return isKnown ? [304, head] : [200, head, shown(note)]
}

const exposed = 'Etag, Location, Link, x-total-count, Retry-After'

async function answer(req) {
  const [path, query = ''] = req.url.split('?', 2)
  const [, api, version, collection, id, ...more] = path.replace(/(.)\/$/, '$1').split('/')
  const { method } = req
  const isPreflight = method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined
  if (isPreflight && fault !== 'preflight')
    return [
      204,
      {
        'Access-Control-Allow-Methods': 'PUT, PATCH, DELETE',
        'Access-Control-Allow-Headers': 'authorization, if-match, content-type, idempotency-key',
      },
    ]
  if (api !== 'api' || version !== 'v2') throw new Problem(404, 'version')
  if (req.headers.authorization !== `Bearer ${token}`)
    throw new Problem(401, 'token', undefined, { 'WWW-Authenticate': 'Bearer' })
  if (collection !== 'notes' || more.length > 0) throw new Problem(404, 'path')
  const allowed =
    id === undefined ? ['GET', 'HEAD', 'POST', 'OPTIONS'] : ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  if (!allowed.includes(method)) throw new Problem(405, 'method', undefined, { Allow: allowed.join() })
  if (method === 'OPTIONS') return [200, { Allow: allowed.join() }]
  if (!accepts(req.headers.accept ?? '*/*')) throw new Problem(415, 'accept')
  if (id === undefined) return method === 'POST' ? create(req) : list(req, query)
  let plain
  try {
    plain = decodeURIComponent(id)
  } catch {
    throw new Problem(400, 'path')
  }
  if (query !== '') readQuery(query)
  return method === 'GET' || method === 'HEAD' ? item(req, plain) : change(req, plain)
}

function accepts(field) {
  const ranges = field.split(',').map((one) =>
    one
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  )
  for (const wanted of ['application/json', 'application/*', '*/*']) {
    const found = ranges.find(([range]) => range === wanted)
    if (found !== undefined) return !found.some((one) => /^q=0(?:\.0*)?$/.test(one))
  }
  return false
}

const server = createServer((req, res) => {
  const cors =
    req.headers.origin === undefined
      ? {}
      : {
          'Access-Control-Allow-Origin': req.headers.origin,
          'Access-Control-Expose-Headers': fault === 'exposed' ? 'Etag' : exposed,
        }
  answer(req).then(
    ([status, headers, value]) => {
      res.writeHead(status, { ...cors, ...headers })
      res.end(value === undefined || req.method === 'HEAD' ? undefined : JSON.stringify(value))
    },
    (error) => {
      const { status = 500, code = 'fault', errors, headers } = error
      res.writeHead(status, {
        ...cors,
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
        ...headers,
      })
      res.end(
        req.method === 'HEAD'
          ? undefined
          : JSON.stringify({
              title: code,
              status,
              code,
              errors,
              detail: errors?.map(({ detail }) => detail).join(' '),
            }),
      )
    },
  )
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.on('disconnect', () => process.exit(0))
