/**
 * The clients for version 2, which follow the conventions. Each of them replaces a client in
 * old.cjs.
 */
const assert = require('node:assert/strict')
const { randomUUID } = require('node:crypto')

const as =
  (client) =>
  async (method, url, { body, ...headers } = {}) => {
    const answer = await fetch(url, {
      method,
      redirect: 'manual', // HEAD of an item returns 302 without a Location
      headers: {
        Authorization: `Bearer ${client}-token`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = /json/.test(answer.headers.get('content-type'))
    return { status: answer.status, headers: answer.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
  }
const office = as('office')
const scanner = as('scanner')
const shop = as('shop')
const billing = as('billing')

/** Returns an unused code. */
const newCode = () => randomUUID().toUpperCase()

/** Creates a delivery to the depot of delivery 2, and returns the URL of the new delivery. */
async function create(base) {
  const { body: other } = await office('GET', `${base}/v2/deliveries/2`)
  const body = { code: newCode(), recipient: 'Ana', address: 'Mitre 1', depot: other.depot }
  const { status, headers, body: answer } = await office('POST', `${base}/v2/deliveries`, { body })
  assert.deepEqual([status, answer], [201, ''])
  return headers.get('location')
}

/**
 * Applies `edit` to the current state of a delivery. If another client has changed the delivery in
 * the meantime, tries again.
 */
async function change(client, url, edit) {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const { headers, body: delivery } = await client('GET', url)
    const answer = await client('PATCH', url, { 'If-Match': headers.get('etag'), body: edit(delivery) })
    if (answer.status !== 412) return answer
  }
  throw new Error('another client changed the delivery during each of five attempts')
}

module.exports = {
  async 'the scanner loads all deliveries by the links to the next page'(base) {
    const seen = new Set()
    let total
    for (let url = `${base}/v2/deliveries?limit=100`; url !== undefined; ) {
      const { status, headers, body } = await scanner('GET', url)
      assert.equal(status, 200)
      total = Number(headers.get('x-total-count'))
      for (const { id } of body) seen.add(id)
      url = /<([^>]*)>; rel="next"/.exec(headers.get('link'))?.[1]
    }
    assert.equal(seen.size, total)
  },

  async 'two scanners change one delivery, and no update is lost'(base) {
    const url = await create(base)
    const [first, second] = await Promise.all([
      change(scanner, url, () => ({ status: 'out' })),
      change(scanner, url, ({ address }) => ({ address: `${address}, 2nd floor` })),
    ])
    assert.deepEqual([first.status, second.status], [200, 200])
    const { body } = await scanner('GET', url)
    assert.deepEqual([body.status, body.address], ['out', 'Mitre 1, 2nd floor'])
  },

  async 'the office follows the Location of the new delivery'(base) {
    const { status, body } = await office('GET', await create(base))
    assert.deepEqual([status, body.recipient], [200, 'Ana'])
  },

  async 'the office gets a pointer to the missing member'(base) {
    const { status, body } = await office('POST', `${base}/v2/deliveries`, {
      body: { code: 'X-1', address: 'Mitre 1', depot: { id: 1 } },
    })
    assert.deepEqual([status, body.errors.map(({ pointer }) => pointer)], [422, ['/recipient']])
  },

  async 'the office checks with HEAD whether a delivery exists'(base) {
    assert.equal((await office('HEAD', `${base}/v2/deliveries/2`)).status, 302)
    assert.equal((await office('HEAD', `${base}/v2/deliveries/999999`)).status, 404)
  },

  async 'the office reads a delivery, and deletes it with If-Match'(base) {
    const url = await create(base)
    const { headers } = await office('GET', url)
    const { status, body } = await office('DELETE', url, { 'If-Match': headers.get('etag') })
    assert.deepEqual([status, body], [204, ''])
    assert.equal((await office('GET', url)).status, 404)
  },

  async 'the shop cancels a delivery with PATCH, and a second attempt is refused'(base) {
    const url = await create(base)
    const cancel = () => change(shop, url, () => ({ status: 'cancelled' }))
    assert.equal((await cancel()).status, 200)
    const { status, body } = await cancel()
    assert.equal(status, 422)
    assert.match(body.detail, /already/)
  },

  async 'the shop reads a delivery with its depot'(base) {
    const { body: expanded } = await shop('GET', `${base}/v2/deliveries/2?expand=depot`)
    assert.equal(expanded.depot.name, 'Rosario Norte')
    const { body } = await shop('GET', `${base}/v2/deliveries/2`)
    assert.deepEqual((await shop('GET', body.depot.href)).body, expanded.depot)
  },

  async 'the billing client requests CSV with Accept'(base) {
    const { status, headers, body } = await billing('GET', `${base}/v2/deliveries?status=out`, { Accept: 'text/csv' })
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8'])
    const [head, ...lines] = body.trimEnd().split('\n')
    assert.equal(head, 'code;recipient;status')
    assert.ok(lines.length > 0 && lines.every((line) => line.endsWith(';out')))
  },
}
