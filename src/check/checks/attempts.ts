/**
 * Checks of failed logins (AUTH-6). Failed logins could lock an account, or the service could block
 * the IP address of this client. So these checks are run only against a disposable service, and
 * after all other checks.
 */
import { canonicalText, isObject } from '../../definition/json.js'
import { header } from '../../wire.js'
import type { ServiceCheck } from '../check.js'
import type { Caller, Exchange } from '../client/exchange.js'
import type { Service } from '../service.js'
import { breaks, holds, Unchecked, unscripted } from '../verdict.js'
import { describe } from './expecting.js'
import { logIn, loginOf, unknownUser } from './login.js'

/**
 * The maximum number of failed logins that a check sends for one user. The conventions do not
 * define after how many failed logins a service must respond with 429, but no service needs to
 * allow more than this number.
 */
const maxAttempts = 100

/**
 * A response counts as delayed if it takes this many milliseconds longer than the first response.
 * Instead of responding with 429, a service may delay its responses to failed logins.
 */
const longDelay = 1_000

/**
 * The number of logins of each kind. The response times of two kinds are compared: logins of
 * unknown users, and logins with a wrong password.
 */
const pairs = 5

/**
 * If response times differ by fewer milliseconds than this, the difference may be due to chance.
 */
const minDifference = 5

/**
 * Throws `NotApplicable` if no login is known, and `Unchecked` if the service is not disposable.
 */
function needsAttempts(service: Service): void {
  loginOf(service)
  if (!service.isDisposable)
    throw new Unchecked(
      'failed logins could lock an account or block the IP address of this client. ' +
        'If you accept that the service loses all its data, give --disposable',
    )
}

/** Sends a login that must fail. Throws `Unchecked` if the status is not 401. */
async function failed(service: Service, caller: Caller): Promise<Exchange> {
  const exchange = await logIn(service, caller, { returnsLimits: true })
  const { status } = exchange.answer
  if (status !== 401) throw new Unchecked(`a login with wrong credentials got ${status}, so logins cannot be compared`)
  return exchange
}

export const attemptChecks: readonly ServiceCheck[] = [
  {
    id: 'AUTH-6/unknown-user',
    rule: 'An unknown user and a wrong password get the same response, after the same time.',
    why: 'Otherwise anyone can find out which users exist.',
    fix: 'Hash the password even if the user is unknown, and send the same response in both cases.',
    async run(service) {
      needsAttempts(service)
      const { account } = service.client
      if (account === undefined)
        throw new Unchecked('no user that can log in was given (set "account" in a target file)')
      // This login is not measured. It may take longer than the others, because it may have to open
      // a connection.
      await failed(service, unknownUser())
      const [unknown, wrong]: [Exchange[], Exchange[]] = [[], []]
      const stranger = unknownUser()
      for (let n = 0; n < pairs; n++) {
        unknown.push(await failed(service, n === 0 ? stranger : unknownUser()))
        wrong.push(await failed(service, { kind: 'wrong-password' }))
      }
      const [one, other] = [wrong[0] as Exchange, unknown[0] as Exchange]
      if (comparableContent(one, account.user) !== comparableContent(other, stranger.user))
        return breaks('the same response to an unknown user and a wrong password', 'different responses', one, other)
      const [fast, slow] = [timesOf(unknown), timesOf(wrong)].sort((a, b) => a.median - b.median)
      if (fast === undefined || slow === undefined || !isApart(fast, slow)) return holds
      const [first, second] = [timesOf(wrong), timesOf(unknown)].map(({ median }) => median.toFixed(1))
      const seen = `${first} ms for a wrong password, and ${second} ms for an unknown user (medians of ${pairs} logins)`
      return unscripted('the same time for an unknown user and a wrong password', seen, one, other)
    },
  },
  {
    id: 'AUTH-6/limited',
    rule: 'Repeated failed logins of one user get 429 or a delayed response, even if the user does not exist.',
    why: 'Otherwise attackers can guess passwords.',
    fix: 'Count failed logins by user and by IP address, and answer 429 above a limit.',
    async run(service) {
      needsAttempts(service)
      const user = unknownUser()
      const first = await failed(service, user)
      let last = first
      for (let n = 1; n < maxAttempts; n++) {
        last = await logIn(service, user, { returnsLimits: true })
        const { status } = last.answer
        if (status === 429 || (last.milliseconds ?? 0) > (first.milliseconds ?? 0) + longDelay) return holds
        if (status !== 401) break
      }
      return unscripted(`429 within ${maxAttempts} failed logins of one user`, describe(last), first, last)
    },
  },
]

interface Times {
  readonly min: number
  readonly median: number
  readonly max: number
}

function timesOf(exchanges: readonly Exchange[]): Times {
  const all = exchanges.map(({ milliseconds = 0 }) => milliseconds).sort((a, b) => a - b)
  return { min: all[0] as number, median: all[all.length >> 1] as number, max: all.at(-1) as number }
}

/**
 * Whether the response times differ by more than chance. All times in `fast` must be shorter than
 * all times in `slow`, and the medians must differ by a factor of two and by `minDifference`.
 */
const isApart = (fast: Times, slow: Times): boolean =>
  fast.max < slow.min && slow.median >= 2 * fast.median && slow.median - fast.median >= minDifference

/**
 * The content of a response, for a comparison. Request ids, times and the name of the user are left
 * out, because they may differ between any two responses.
 */
function comparableContent({ answer }: Exchange, user: string): string {
  const { status, json, type } = answer
  const members = isObject(json) ? [json.type, json.title, json.code, json.detail, json.errors] : [type]
  const all = [status, answer.field(header.wwwAuthenticate) ?? '', ...members.map((one) => one ?? null)]
  return canonicalText(all).replaceAll(user, '')
}
