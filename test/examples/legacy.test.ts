/** The migration of examples/legacy. Existing clients keep working at every step. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endings, newClients, oldClients, type Served, serve, serveStep, steps } from './legacy-steps.js'

describe.each(steps)('the old clients at step %d', (step) => {
  let service: Served
  beforeAll(async () => {
    service = await serveStep(step)
  })
  afterAll(() => service.close())

  it.each(Object.keys(oldClients))('%s runs without an error', (name) => oldClients[name]?.(service.base))

  it('work if each of them runs twice, all at the same time', async () => {
    const runs = [...Object.values(oldClients), ...Object.values(oldClients)]
    await Promise.all(runs.map((run) => run(service.base)))
  })
})

const places = [
  ['at step 7, before the old version ends', 'step-7/app.cjs', endings.ahead],
  ['at step 7, when the old version has ended', 'step-7/app.cjs', endings.past],
  ['after the removal of the old version', 'step-7/afterwards.cjs', endings.past],
] as const

describe.each(places)('the new clients %s', (_, file, sunset) => {
  let service: Served
  beforeAll(async () => {
    service = await serve(file, sunset)
  })
  afterAll(() => service.close())

  it.each(Object.keys(newClients))('%s runs without an error', (name) => newClients[name]?.(service.base))

  it(`VER-2, VER-3: version 1 ${sunset === endings.ahead ? 'announces its sunset' : 'responds with 410'}`, async () => {
    const token = { Authorization: 'Bearer office-token' }
    const { status, headers } = await fetch(`${service.base}/v1/deliveries/2`, { headers: token })
    if (sunset === endings.ahead) {
      expect([status, headers.get('sunset'), headers.get('deprecation')]).toEqual([
        200,
        'Tue, 01 Jan 2999 00:00:00 GMT',
        '@1751328000',
      ])
      expect(headers.get('link')).toContain(`<${service.base}/v2/deliveries/2>; rel="successor-version"`)
      return
    }
    for (const path of [
      '/v1/deliveries',
      '/v1/deliveries/2',
      '/v1/deliveries.csv',
      '/v1/depot/1',
      '/v1/deliveries/2/cancel',
    ]) {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        const answer = await fetch(service.base + path, { method })
        expect([method, path, answer.status, await answer.text()]).toEqual([method, path, 410, ''])
      }
    }
  })
})
