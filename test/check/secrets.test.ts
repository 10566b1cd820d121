/** Reports hide the secrets that a response contains, and scripts do not overwrite each other. */
import { expect, it } from 'vitest'
import { Answer, type Exchange } from '../../src/check/client/exchange.js'
import type { CheckReport } from '../../src/check/report/report.js'
import { scriptsOf } from '../../src/check/report/scripts.js'
import { withoutSecrets } from '../../src/check/report/secrets.js'
import { breaks, type Result } from '../../src/check/verdict.js'

const account = { user: 'ana', password: 'correct horse battery' }
const credentials = Buffer.from(`${account.user}:${account.password}`).toString('base64')
const admin = { name: 'admin', token: 'a-token-of-the-admin-user' }

const exchange = (body: string): Exchange => ({
  request: {
    method: 'GET',
    url: 'http://localhost/v1/a',
    headers: {},
    caller: { kind: 'principal', name: 'admin' },
    body: undefined,
  },
  answer: new Answer(500, new Map([['x-echo', body]]), body),
  milliseconds: 1,
})
const resultAt = (where: string, body = ''): Result => ({
  check: 'ERR-3/body',
  clause: 'ERR-3',
  where,
  rule: 'Errors have a body.',
  why: 'Clients read it.',
  fix: 'Send a body.',
  outcome: breaks('a problem', body, exchange(body)),
})

it('a report contains neither the tokens nor the credentials that a response repeats', () => {
  const echoed = `${admin.token} ${account.password} Basic ${credentials}`
  const report = { results: [resultAt('/a', echoed)] } as unknown as CheckReport
  const [{ outcome } = resultAt('/a')] = withoutSecrets(report, [admin], account).results
  if (outcome.verdict !== 'breaks') throw new Error('unexpected verdict')
  const { answer } = outcome.evidence[0]
  const hidden = '(hidden) (hidden) Basic (hidden)'
  expect([outcome.seen, answer.body, answer.field('x-echo')]).toEqual([hidden, hidden, hidden])
})

it('scripts for paths that differ only in punctuation have different names', () => {
  const scripts = scriptsOf(
    ['/a-b', '/a-b-2', '/a/b', '/a.b'].map((where) => resultAt(where)),
    [admin],
  )
  expect(scripts.map(({ name }) => name)).toEqual(
    ['a-b', 'a-b-2', 'a-b-3', 'a-b-4'].map((end) => `ERR-3-body-${end}.sh`),
  )
})
