/** Checks of the header fields of deprecated resources (VER-3). */
import { header } from '../../wire.js'
import type { ListCheck } from '../check.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'

export const versionChecks: readonly ListCheck[] = [
  {
    id: 'VER-3/said',
    rule: 'Responses of deprecated resources have `Deprecation`.',
    why: 'Tools can read the header field and warn. They do not read the documentation.',
    fix: 'Send Deprecation: @seconds (RFC 9745) with every response of a deprecated resource.',
    async run(list) {
      if (list.target.deprecated !== true)
        throw new NotApplicable(`the document does not call ${list.target.template} deprecated`)
      const exchange = await list.sample()
      if (exchange.answer.status !== 200) throw new Unchecked(`GET of the list got ${exchange.answer.status}`)
      return exchange.answer.field(header.deprecation) === undefined
        ? breaks(`a field ${header.deprecation}`, 'none', exchange)
        : holds
    },
  },
  {
    id: 'VER-3/order',
    rule: '`Sunset` is not before `Deprecation`.',
    why: 'Otherwise the resource would have ended before it was deprecated.',
    fix: 'Set Sunset to the time in Deprecation or a later time (RFC 9745, section 4).',
    async run(list) {
      const exchange = await list.sample()
      const seconds = /^@(-?\d+)$/.exec(exchange.answer.field(header.deprecation) ?? '')?.[1]
      const sunset = Date.parse(exchange.answer.field(header.sunset) ?? '')
      if (seconds === undefined || Number.isNaN(sunset))
        throw new NotApplicable('the response does not have valid dates in both Deprecation and Sunset')
      if (sunset >= Number(seconds) * 1000) return holds
      return breaks(
        `Sunset not before ${new Date(Number(seconds) * 1000).toUTCString()}`,
        exchange.answer.field(header.sunset) as string,
        exchange,
      )
    },
  },
]
