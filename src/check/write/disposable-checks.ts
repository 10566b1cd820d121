/**
 * Checks that could destroy records that they have not created (VERB-7, VERB-9, AUTH-4). They need
 * the option `disposable`.
 */
import { header, mediaType } from '../../wire.js'
import type { WriteCheck } from '../check.js'
import { describe, firstBreak } from '../checks/expecting.js'
import type { SendOptions } from '../client/client.js'
import { type Exchange, nobody } from '../client/exchange.js'
import { breaksBy, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { type Owner, withJson } from './own-record.js'

export const disposableChecks: readonly WriteCheck[] = [
  {
    id: 'VERB-7/refused',
    rule: 'DELETE of a whole collection gets 405 with `Allow`.',
    why: 'A client that omits an id by mistake must not delete everything.',
    fix: 'Answer DELETE of a collection with 405 for every caller.',
    run: (owner) => refused(owner, [['DELETE', {}]]),
  },
  {
    id: 'VERB-9/collection',
    rule: 'PUT and PATCH of a whole collection get 405 with `Allow`.',
    why: 'A client that omits an id by mistake must not replace everything.',
    fix: 'Answer PUT and PATCH of a collection with 405.',
    run(owner) {
      const attempts: readonly Attempt[] = [
        ['PUT', withJson({})],
        ['PATCH', { headers: { [header.contentType]: mediaType.mergePatch }, body: '{}' }],
      ]
      return refused(owner, attempts)
    },
  },
  {
    id: 'AUTH-4/write',
    needs: ['AUTH-4/nobody'],
    rule: 'A write without credentials gets 401.',
    why: 'Otherwise anyone can change records, without a trace.',
    fix: 'Authenticate each request before processing it, whatever its method is.',
    async run(owner) {
      const { target } = owner.list
      if (!target.secured) throw new NotApplicable(`${target.template} needs no credentials`)
      const { methods, itemMethods } = target
      if (methods.includes('POST')) {
        const wrong = unauthenticated('POST', await owner.postAsNobody())
        if (wrong !== undefined) return wrong
      }
      const offered = ['PUT', 'PATCH', 'DELETE'].filter((method) => itemMethods.includes(method))
      if (offered.length === 0 && !methods.includes('POST'))
        throw new NotApplicable(`${target.template} has no write methods`)
      if (offered.length === 0) return holds
      const path = await owner.list.anItem()
      const found = await firstBreak(offered, async (method) => {
        const body = method === 'DELETE' ? {} : withJson({})
        return unauthenticated(method, await owner.sendHazard(method, path, { ...body, caller: nobody }))
      })
      return found ?? holds
    },
  },
]

type Attempt = readonly [method: string, options: SendOptions]

/**
 * Sends the requests in `attempts` to a collection. Leaves out PUT or PATCH if it is a documented
 * method of the collection. Each response must be 405 with `Allow`.
 */
async function refused(owner: Owner, attempts: readonly Attempt[]): Promise<Outcome> {
  const { methods, template } = owner.list.target
  const strange = attempts.filter(([method]) => method === 'DELETE' || !methods.includes(method))
  if (strange.length === 0)
    throw new NotApplicable(`${template} offers ${attempts.map(([method]) => method).join(' and ')}`)
  const found = await firstBreak(strange, async ([method, options]) => {
    const exchange = await owner.sendHazard(method, owner.list.path, options)
    if (exchange.answer.status === 401) {
      const need = owner.list.service.client.hasPrincipal
        ? 'the first principal needs valid credentials'
        : 'no principal with valid credentials was given'
      throw new Unchecked(`${method} got 401: ${need}`)
    }
    if (exchange.answer.status !== 405)
      return breaksBy(
        { kind: 'status', answer: 0, expected: [405] },
        `405 for ${method} of a collection`,
        describe(exchange),
        exchange,
      )
    if (exchange.answer.field(header.allow) !== undefined) return undefined
    return breaksBy({ kind: 'no-field', answer: 0, name: header.allow }, 'a field Allow with 405', 'none', exchange)
  })
  return found ?? holds
}

const unauthenticated = (method: string, exchange: Exchange): Outcome | undefined =>
  exchange.answer.status === 401
    ? undefined
    : breaksBy(
        { kind: 'status', answer: 0, expected: [401] },
        `401 for ${method} without credentials`,
        describe(exchange),
        exchange,
      )
