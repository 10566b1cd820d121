/** Checks of the service as a whole: versions (VER-1, VER-2). */
import type { ServiceCheck } from '../check.js'
import type { Service } from '../service.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'
import { describe, expectStatus, firstBreak } from './expecting.js'

/** What stands before the version, and a path below it. */
async function besideVersion({ base, target }: Service): Promise<{ readonly root: string; readonly below: string }> {
  const [, root, last] = /^(.*)\/(v\d+)$/.exec(base) ?? []
  const below = target.collections[0]?.template.replace(/\/\{.*$/, '') ?? ''
  if (root !== undefined && last !== undefined) return { root, below }
  const [, version, rest = ''] = /^(\/v\d+)(\/.*)$/.exec(below) ?? []
  if (version === undefined)
    throw new Unchecked('neither the base address nor the paths begin with a version such as v1')
  return { root: base, below: rest }
}

export const serviceChecks: readonly ServiceCheck[] = [
  {
    id: 'VER-1/unknown',
    rule: 'An unknown version is 404.',
    why: 'A client with a wrong address learns it, instead of talking to another version.',
    fix: 'Answer 404 for versions that do not exist.',
    async run(service) {
      const { root, below } = await besideVersion(service)
      const exchange = await service.client.send('GET', `${root}/v98765${below}`)
      if (exchange.answer.status === 401) throw new Unchecked('an unknown version is 401 for the first principal')
      return expectStatus(exchange, [404], 'an unknown version') ?? holds
    },
  },
  {
    id: 'VER-2/retired',
    rule: 'A retired version is 410 without a body.',
    why: 'Old clients learn that they will never be served again.',
    fix: 'Answer all requests to a retired version with 410, and without a body.',
    async run(service) {
      const { retired } = service.target
      if (retired.length === 0)
        throw new NotApplicable('no retired version is known. Name it as "retired" in a target file')
      const { root, below } = await besideVersion(service)
      const found = await firstBreak(retired, async (version) => {
        const exchange = await service.client.send('GET', `${root}/${version}${below}`)
        const { status, body } = exchange.answer
        return status === 410 && body === '' ? undefined : breaks('410 without a body', describe(exchange), exchange)
      })
      return found ?? holds
    },
  },
]
