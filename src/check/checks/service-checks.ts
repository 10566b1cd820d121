/**
 * Checks of the service as a whole: versions (PATH-1, VER-1, VER-2) and the login (AUTH-2, AUTH-3).
 */
import type { ServiceCheck } from '../check.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'
import { describe, expectStatus, firstBreak } from './expecting.js'
import { loginChecks } from './login.js'
import { besideVersion } from './version-root.js'

export const serviceChecks: readonly ServiceCheck[] = [
  {
    id: 'PATH-1/version',
    rule: 'Every URL has a version such as `v1` before its collection.',
    why: 'The URLs that old clients use continue to work when the service changes.',
    fix: 'Begin each path with the version.',
    async run(service) {
      const { base, target } = service
      const all = [...target.collections, ...(target.unlisted ?? [])].map(({ template }) => template)
      const isIn = (path: string): boolean => /\/v\d+(?:\/|$)/.test(path)
      const odd = isIn(base.replace(/^https?:\/\/[^/]*/, '')) ? undefined : all.find((one) => !isIn(one))
      // If there is a violation, this exchange is its evidence. If there is none, the request only
      // shows that the service can be reached. If the service can't be reached, `send()` throws
      // `Unchecked`.
      const exchange = await service.send('GET', (odd ?? all[0] ?? '').replace(/\/\{.*$/, ''))
      return odd === undefined ? holds : breaks('an address with a version such as v1', odd, exchange)
    },
  },
  {
    id: 'VER-1/unknown',
    rule: 'A request for an unknown version gets 404.',
    why: 'A client with a wrong address gets an error instead of another version.',
    fix: 'Answer 404 for versions that do not exist.',
    async run(service) {
      const { root, below } = besideVersion(service)
      const exchange = await service.client.send('GET', `${root}/v98765${below}`)
      if (exchange.answer.status === 401) {
        const who = service.client.hasPrincipal ? 'the first principal' : 'a caller without credentials'
        throw new Unchecked(`${who} gets 401 for an unknown version`)
      }
      return expectStatus(exchange, [404], 'an unknown version') ?? holds
    },
  },
  {
    id: 'VER-2/retired',
    rule: 'A request for a retired version gets 410 without a body.',
    why: 'The status tells old clients that the version has ended permanently.',
    fix: 'Answer all requests to a retired version with 410, and without a body.',
    async run(service) {
      const { retired } = service.target
      if (retired.length === 0)
        throw new NotApplicable(
          'no retired version is known. If the service has retired versions, list them as "retired" in a target file',
        )
      const { root, below } = besideVersion(service)
      const found = await firstBreak(retired, async (version) => {
        const exchange = await service.client.send('GET', `${root}/${version}${below}`)
        const { status, body } = exchange.answer
        return status === 410 && body === '' ? undefined : breaks('410 without a body', describe(exchange), exchange)
      })
      return found ?? holds
    },
  },
  ...loginChecks,
]
