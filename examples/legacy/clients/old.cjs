/**
 * The existing clients of the service. Each function sends the requests of a client, and checks the
 * parts of the responses that the client relies on. The clients can't be updated soon, so this file
 * is the same for all steps. The clients work until the old version ends (step 7).
 */
const assert = require('node:assert/strict')
const { randomUUID } = require('node:crypto')
const { once } = require('node:events')
const http = require('node:http')

/**
 * Returns a function that sends requests as the clients do, with a token and JSON. JSON responses
 * are parsed.
 */
const as =
  (client) =>
  async (method, url, body, headers = {}) => {
    const answer = await fetch(url, {
      method,
      headers: {
        Authorization: `Bearer ${client}-token`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = /json/.test(answer.headers.get('content-type'))
    return {
      status: answer.status,
      etag: answer.headers.get('etag'),
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
  }
const office = as('office')
const scanner = as('scanner')
const shop = as('shop')

/** Returns an unused code. */
const newCode = () => randomUUID().toUpperCase()

/**
 * The office creates a delivery to the depot of delivery 2, and reads the id of the new delivery
 * from the body.
 */
async function create(base) {
  const { body: other } = await office('GET', `${base}/v1/deliveries/2`)
  const delivery = { code: newCode(), recipient: 'Ana', address: 'Mitre 1', depot: other.depot }
  const { status, body } = await office('POST', `${base}/v1/deliveries`, delivery)
  assert.equal(status, 201)
  assert.deepEqual(body, { id: body.id, status: 'open', ...delivery })
  assert.equal(typeof body.id, 'number')
  return body
}

module.exports = {
  /**
   * Requests pages of 1000 items until a page is empty, and accepts smaller pages. The parameter
   * `_` prevents caching by a proxy.
   */
  async 'the scanner loads all deliveries'(base) {
    const seen = new Set()
    for (let page = 1, last = false; !last; page++) {
      const { status, body } = await scanner('GET', `${base}/v1/deliveries?page=${page}&per_page=1000&_=${Date.now()}`)
      assert.equal(status, 200)
      for (const { id } of body) seen.add(id)
      last = body.length === 0
    }
    assert.ok(seen.size >= 600, `${seen.size} deliveries`)
  },

  /** The scanner's HTTP library caches responses, and sends their entity tags. */
  async 'the scanner reads a delivery twice, and marks it as delivered'(base) {
    const { id, ...rest } = await create(base)
    const url = `${base}/v1/deliveries/${id}`
    const first = await scanner('GET', url)
    const second = await scanner('GET', url, undefined, { 'If-None-Match': first.etag })
    assert.ok([200, 304].includes(second.status))
    const { status, body } = await scanner('PATCH', url, { status: 'delivered' }, { 'If-Match': first.etag })
    assert.deepEqual([status, body], [200, { id, ...rest, status: 'delivered' }])
  },

  /** The office sends no entity tag, so the last write wins. */
  async 'the office changes an address'(base) {
    const { id } = await create(base)
    const { status, body } = await office('PATCH', `${base}/v1/deliveries/${id}`, { address: 'Mitre 2' })
    assert.deepEqual([status, body.address], [200, 'Mitre 2'])
  },

  /** The scanner's HTTP library sends an `Accept` that allows only text, but parses JSON. */
  async 'the scanner accepts text only, and reads JSON'(base) {
    const { status, body } = await scanner('GET', `${base}/v1/deliveries/2`, undefined, { Accept: 'text/plain' })
    assert.deepEqual([status, body.id], [200, 2])
  },

  /** The table in the office's program sends all its columns as parameters. */
  async 'the office requests a list with parameters that the service never had'(base) {
    const { status, body } = await office(
      'GET',
      `${base}/v1/deliveries?status=open&sort_by=code&columns=code&page=2&per_page=10`,
    )
    assert.deepEqual([status, body.length], [200, 10])
    assert.ok(body.every((one) => one.status === 'open'))
  },

  async 'the office creates a delivery and reads it again'(base) {
    const created = await create(base)
    const { status, body } = await office('GET', `${base}/v1/deliveries/${created.id}`)
    assert.deepEqual([status, body], [200, created])
  },

  async 'the office shows the text of an error'(base) {
    const { code, ...rest } = await create(base)
    const incomplete = await office('POST', `${base}/v1/deliveries`, {
      ...rest,
      id: undefined,
      code: newCode(),
      recipient: undefined,
    })
    assert.ok(incomplete.status >= 400)
    assert.match(incomplete.body.error, /recipient/)
    const twice = await office('POST', `${base}/v1/deliveries`, { ...rest, id: undefined, code })
    assert.ok(twice.status >= 400)
    assert.match(twice.body.error, /exists/)
  },

  async 'the office checks with HEAD whether a delivery exists'(base) {
    assert.equal((await office('HEAD', `${base}/v1/deliveries/2`)).status, 200)
    assert.equal((await office('HEAD', `${base}/v1/deliveries/999999`)).status, 404)
  },

  async 'the office deletes a delivery, and looks for `deleted`'(base) {
    const { id } = await create(base)
    const { status, body } = await office('DELETE', `${base}/v1/deliveries/${id}`)
    assert.deepEqual([status, body], [200, { deleted: true }])
    assert.equal((await office('GET', `${base}/v1/deliveries/${id}`)).status, 404)
  },

  async 'the shop cancels a delivery, and shows the error of a second attempt'(base) {
    const { id } = await create(base)
    const first = await shop('POST', `${base}/v1/deliveries/${id}/cancel`)
    assert.deepEqual([first.status, first.body.status], [200, 'cancelled'])
    const second = await shop('POST', `${base}/v1/deliveries/${id}/cancel`)
    assert.ok(second.status >= 400)
    assert.match(second.body.error, /already/)
  },

  async 'the shop follows the address of the depot'(base) {
    const { body } = await shop('GET', `${base}/v1/deliveries/2`)
    const depot = await shop('GET', body.depot)
    assert.deepEqual([depot.status, depot.body.name], [200, 'Rosario Norte'])
    const closed = await shop('GET', `${base}/v1/depot/99`)
    assert.equal(closed.status, 404)
    assert.ok(closed.body.error)
  },

  /** The billing client is a program from 2015 that uses plain `http`. */
  async 'the billing client reads the list as CSV each night'(base) {
    const options = { headers: { Authorization: 'Bearer billing-token' } }
    const [answer] = await once(http.get(`${base}/v1/deliveries.csv?status=out`, options), 'response')
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) text += chunk
    const [head, ...lines] = text.trimEnd().split('\n')
    assert.deepEqual([answer.statusCode, head], [200, 'code;recipient;status'])
    assert.ok(lines.length > 100 && lines.every((line) => line.endsWith(';out')))
  },

  async 'a client with a wrong token gets 401 and a reason'(base) {
    const { status, body } = await as('nobody')('GET', `${base}/v1/deliveries`)
    assert.equal(status, 401)
    assert.ok(body.error)
  },

  /**
   * The scanner's radio link may lose half of a body. The response is then a 400, and the scanner
   * sends the change again.
   */
  async 'the scanner sends half of a change, and then the whole change'(base) {
    const url = `${base}/v1/deliveries/${(await create(base)).id}`
    assert.equal((await scanner('PATCH', url, '{"status": "deliv')).status, 400)
    assert.equal((await scanner('PATCH', url, { status: 'delivered' })).body.status, 'delivered')
  },
}
