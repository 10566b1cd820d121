/** The log line of a failed request: what it contains, and what it never contains. */
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Busy, Cancelled, Exhausted, Lost } from '../../src/adapters/postgres/connections/failures.js'
import { causesOf } from '../../src/failures/causes.js'
import { incidents } from '../../src/failures/incidents.js'
import { type Failure, failureLine } from '../../src/failures/line.js'
import { loggable } from '../../src/failures/loggable.js'
import { HttpProblem, Unavailable } from '../../src/index.js'

const failure: Failure = {
  method: 'GET',
  httpRoute: '/v1/cosas/{id}',
  status: 503,
  code: 'unavailable',
  clause: 'ERR-1',
  step: 'execute',
  requestId: 'r-1',
  error: undefined,
}
const line = (error: unknown, more: Partial<Failure> = {}): string => failureLine({ ...failure, ...more, error })
const textOf = (error: unknown): string =>
  causesOf(error)
    .map(({ text }) => text)
    .join(' <- ')
const systemError = (fields: object): Error => Object.assign(new Error('hunter2'), fields)
const serverError = (fields: object): Error =>
  Object.assign(new Error('value "hunter2"'), { severity: 'ERROR', ...fields })

describe('failureLine()', () => {
  it('has the request, route, step, clause, the chain of causes with host and port, and the page to read', async () => {
    const refused = await new Promise<Error>((resolve) => connect(1, '127.0.0.1').once('error', resolve))
    const error = new Unavailable({
      cause: new Busy('PostgreSQL at 127.0.0.1:1 cannot be reached.', { cause: refused }),
    })
    expect(line(error)).toBe(
      'GET /v1/cosas/{id} 503 unavailable ERR-1 step=execute request=r-1 cause="PostgreSQL at 127.0.0.1:1 cannot ' +
        'be reached <- connect ECONNREFUSED 127.0.0.1:1" look="Is PostgreSQL running, and can this host reach it?" ' +
        'see=docs/operations.md#database-gone',
    )
  })

  it('replaces line breaks, control characters and double quotes', () => {
    expect(line(loggable(new Error('a\nb\r\n"c"\u2028\u0007 d.')))).toContain(`cause="a b 'c' d"`)
  })

  it.each<[string, unknown, string]>([
    ['no free connection', new Exhausted('No connection was free within 5 ms.'), 'pool-exhausted'],
    ['a broken connection', new Lost('The connection broke.'), 'database-gone'],
    ['a server with too many connections', new Busy('x', { cause: serverError({ code: '53300' }) }), 'pool-exhausted'],
    ['a statement that timed out', new Unavailable({ cause: new Cancelled('The time is up.') }), 'slow-filter'],
    ['a full disk of the database', serverError({ code: '53100' }), 'disk-full'],
    ['a full disk of this host', systemError({ syscall: 'write', code: 'ENOSPC' }), 'disk-full'],
    ['a table that lacks a column', serverError({ code: '42703' }), 'table-unfit'],
    ['a deadlock', serverError({ code: '40P01' }), 'stale-storm'],
    [
      'an unreachable upstream',
      new TypeError('fetch failed', {
        cause: systemError({ syscall: 'connect', code: 'ECONNREFUSED', address: '::1', port: 9 }),
      }),
      'unreachable',
    ],
    ['a bug in the code', new TypeError('hunter2'), 'code-fault'],
    ['an unknown cause in the step "execute"', undefined, 'stale-storm'],
  ])('for %s, the line links to a section of docs/operations.md', (_what, error, incident) => {
    expect(line(error)).toMatch(new RegExp(`look="[^"]+" see=docs/operations\\.md#${incident}$`))
  })

  it('if the cause is unknown, the link depends on the step', () => {
    const at = (step: string, status = 503) => /#(.*)$/.exec(line(undefined, { step, status }))?.[1]
    expect([at('admit'), at('authenticate'), at('throttle'), at('parse', 500)]).toEqual([
      'overload',
      'key-rotation',
      'redis-gone',
      'code-fault',
    ])
    expect(Object.keys(incidents)).toEqual(
      expect.arrayContaining(['overload', 'key-rotation', 'redis-gone', 'code-fault']),
    )
  })
})

describe('causes', () => {
  it.each<[string, unknown, string]>([
    [
      'a refused connection over IPv6',
      systemError({ syscall: 'connect', code: 'ECONNREFUSED', address: '::1', port: 5432 }),
      'connect ECONNREFUSED [::1]:5432',
    ],
    [
      'an unknown host name',
      systemError({ syscall: 'getaddrinfo', code: 'ENOTFOUND', hostname: 'db.internal' }),
      'getaddrinfo ENOTFOUND db.internal',
    ],
    ['a path', systemError({ syscall: 'open', code: 'EACCES', path: '/home/hunter2' }), 'open EACCES'],
    [
      'failed connections to several addresses',
      new AggregateError([
        systemError({ syscall: 'connect', code: 'ECONNREFUSED', address: '::1', port: 1 }),
        systemError({ syscall: 'connect', code: 'ETIMEDOUT', address: '10.0.0.1', port: 1 }),
      ]),
      'connect ECONNREFUSED [::1]:1, connect ETIMEDOUT 10.0.0.1:1',
    ],
    [
      'a unique constraint',
      serverError({ code: '23505', detail: 'Key (mail)=(hunter2)', constraint: 'people_mail', table: 'people' }),
      'PostgreSQL 23505 (people, people_mail)',
    ],
    ['a message of a trigger', serverError({ code: '57014', routine: 'exec_stmt_raise' }), 'PostgreSQL 57014'],
    [
      'a Redis server that is full',
      Object.assign(new Error("OOM command not allowed when used memory > 'maxmemory'."), { name: 'ReplyError' }),
      'Redis OOM',
    ],
    ['a thrown value that is not an error', 'hunter2', 'a thrown string'],
    ['null', null, 'a thrown null'],
    [
      'a problem and its cause',
      new HttpProblem('internal', { detail: 'hunter2', cause: 'hunter2' }),
      'a thrown string',
    ],
  ])('are described without secrets: %s', (_what, error, expected) => {
    expect(textOf(error)).toBe(expected)
  })

  it('an error of any other kind shows its class, its error code and its location in the source', () => {
    class CardRefused extends Error {}
    expect(textOf(Object.assign(new CardRefused('hunter2'), { code: 'E_CARD' }))).toMatch(
      /^CardRefused E_CARD at test\/failures\/line\.test\.ts:\d+:\d+$/,
    )
    const changed = new Error('a')
    changed.message = 'at /hunter2:1:1'
    expect(textOf(changed)).not.toContain('hunter2')
    expect(textOf(new Error('a\n    at hunter2 (/hunter2.js:1:1)'))).not.toContain('hunter2')
  })

  it.each([
    ['    at save (/srv/my shop/orders.js:7:9)', '/srv/my shop/orders.js:7:9'],
    ['    at /srv/my shop/orders.js:7:9', '/srv/my shop/orders.js:7:9'],
    ['    at async file:///srv/orders.mjs:7:9', '/srv/orders.mjs:7:9'],
    ['    at async save (file:///srv/orders.mjs:7:9)', '/srv/orders.mjs:7:9'],
    ['    at async node:internal/a:1:2\n    at /srv/orders.js:7:9', '/srv/orders.js:7:9'],
    ['    at eval (eval at run (/srv/a.js:1:2), <anonymous>:1:1)\n    at run (/srv/a.js:1:2)', '/srv/a.js:1:2'],
    [
      '    at q (C:\\shop\\node_modules\\pg\\a.js:1:2)\n    at save (C:\\shop\\orders.js:7:9)',
      'C:\\shop\\orders.js:7:9',
    ],
  ])('the location is the first line of the stack outside Node and node_modules: %s', (stack, place) => {
    const error = new Error('hunter2')
    error.stack = `Error: hunter2\n${stack}`
    expect(textOf(error).replace(`${process.cwd()}/`, '')).toBe(`Error at ${place}`)
  })

  it('long and cyclic chains of causes are cut, and an unreadable error is described as unreadable', () => {
    const round: Error & { cause?: unknown } = new Error('a')
    round.cause = new Error('b', { cause: round })
    expect(causesOf(round)).toHaveLength(2)
    let deep: Error = new Error('last')
    for (let i = 0; i < 50; i++) deep = new Error('next', { cause: deep })
    expect(causesOf(deep)).toHaveLength(8)
    const hostile = new Proxy(new Error('a'), {
      get: () => {
        throw new Error('hunter2')
      },
      getPrototypeOf: () => {
        throw new Error('hunter2')
      },
    })
    expect(textOf(hostile)).toBe('an error that cannot be read')
  })

  it('contain no secret from any member of an error', () => {
    const members = [
      'message',
      'detail',
      'hint',
      'where',
      'path',
      'query',
      'parameters',
      'password',
      'stack',
      'code',
      'table',
      'address',
      'hostname',
      'syscall',
      'name',
      'port',
    ]
    // This text cannot pass as a table name, because it is too long, or as a host name, because it
    // has a space.
    const secret = `geheim ${'x'.repeat(70)}`
    const error = fc
      .record({
        made: fc.constantFrom(Error, TypeError, SyntaxError, RangeError),
        members: fc.subarray(members),
        severity: fc.constantFrom(undefined, 'ERROR', 'FATAL'),
        code: fc.constantFrom(undefined, '23505', '22P02', 'P0001', '42601', 'XX000'),
      })
      .map(({ made, members: some, severity, code }) => {
        const one = new made(secret) as Error & Record<string, unknown>
        if (severity !== undefined) one.severity = severity
        if (code !== undefined) one.code = code
        for (const member of some) one[member] = secret
        return one as Error
      })
    fc.assert(
      fc.property(fc.array(error, { minLength: 1, maxLength: 4 }), (chain) => {
        for (const [i, one] of chain.entries()) if (i > 0) (chain[i - 1] as Error & { cause?: unknown }).cause = one
        const said = line(chain[0])
        expect(said).not.toContain('geheim')
        expect(said.split('\n')).toHaveLength(1)
      }),
    )
  })
})
