import { describe, expect, it } from 'vitest'
import { ConfigurationError, HttpProblem } from '../src/problem.js'

describe('ERR-3: new HttpProblem() refuses what would be missing in the answer', () => {
  const own = { code: 'sold-out', status: 422, title: 'Sold out' }
  const make =
    (...given: unknown[]) =>
    () =>
      new HttpProblem(...(given as ConstructorParameters<typeof HttpProblem>))

  it.each([
    [[{ ...own, detail: 'None left.' }], /has "detail" in its first argument\. Give it in the second argument\./],
    [[{ ...own, type: 'about:blank' }], /has "type" in its first argument\. There are: code, status, title, clause\./],
    [[own, { details: 'None left.' }], /has no option "details"\. There are: detail, errors, headers, cause\./],
    [[own, 'None left.'], /second argument that is no object/],
    [['no-such-code'], /the code "no-such-code"/],
    [['constructor'], /the code "constructor"/],
    [[{ code: 'sold-out', status: 422 }], /without a code or a title/],
    [[{ ...own, status: 200 }], /the status 200\. Give one from 400 to 599\./],
    [[undefined], /has no kind/],
    [[null], /has no kind/],
  ])('%j', (given, message) => {
    expect(make(...given)).toThrow(ConfigurationError)
    expect(make(...given)).toThrow(message)
  })

  it('takes a code of the library, a kind of the team and every option', () => {
    expect(make('rule', { detail: 'a' })().detail).toBe('a')
    expect(make(own, { detail: 'a', errors: [], headers: {}, cause: 1 })().code).toBe('sold-out')
    expect(make({ ...own, clause: 'ERR-2' })().clause).toBe('ERR-2')
  })
})
