/** The responses of step 0 and step 1 of examples/legacy have the same bytes, except in `Date`. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { serveStep } from './legacy-steps.js'

const auth = 'Authorization: Bearer office-token\r\n'

const request = (line: string, fields = auth, body = ''): string =>
  `${line} HTTP/1.1\r\nHost: courier.test\r\nConnection: ` +
  `close\r\n${fields}${
    body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  }\r\n${body}`

const delivery = (code: string) =>
  JSON.stringify({ code, recipient: 'Ana', address: 'Mitre 1', depot: 'http://courier.test/v1/depot/2' })

const requests = [
  request('GET /v1/deliveries?page=2&per_page=3&_=1&page=3'),
  request('GET /v1/deliveries?per_page=9999'),
  request('GET /v1/deliveries.csv?status=out'),
  request('GET /v1/deliveries/2', `${auth}Accept: text/plain\r\n`),
  request('GET /v1/deliveries/2', `${auth}If-None-Match: *\r\n`),
  request('GET /v1/deliveries/2', `${auth}If-None-Match: *\r\nCache-Control: no-cache\r\n`),
  request('HEAD /v1/deliveries/2'),
  request('HEAD /v1/deliveries'),
  request('OPTIONS /v1/deliveries/2'),
  request('GET /v1/depot/2'),
  request('GET /v1/depot/9'),
  request('GET /v1/deliveries/%E0%A4%A'),
  request('GET /nowhere?a=%'),
  request('GET /v1/deliveries', ''),
  request('POST /v1/deliveries', auth, delivery('A-1')),
  request('POST /v1/deliveries', auth, delivery('A-1')),
  request('POST /v1/deliveries', auth, '{"code":'),
  request('POST /v1/deliveries', auth, '{}'),
  request('PATCH /v1/deliveries/621', `${auth}If-Match: W/"1"\r\n`, '{"status":"out"}'),
  request('POST /v1/deliveries/621/cancel'),
  request('POST /v1/deliveries/621/cancel'),
  request('PUT /v1/deliveries/621', auth, '{}'),
  request('DELETE /v1/deliveries/621'),
  request('DELETE /v1/deliveries'),
]

/** All bytes of the responses of a step, without the field `Date`. */
async function answers(step: number): Promise<string[]> {
  const service = await serveStep(step)
  const found: string[] = []
  for (const text of requests) {
    const socket = connect(Number(new URL(service.base).port), '127.0.0.1').setEncoding('latin1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.write(text)
    await once(socket, 'close')
    found.push(answer.replace(/^Date: .*\r\n/m, ''))
  }
  await service.close()
  return found
}

it('the responses of step 0 and step 1 of examples/legacy have the same bytes, except in Date', async () => {
  const before = await answers(0)
  expect(before).toHaveLength(requests.length)
  for (const answer of before) expect(answer).toMatch(/^HTTP\/1\.1 [2-4]\d\d /)
  expect(await answers(1)).toEqual(before)
})
