import { describe, expect, it } from 'vitest'
import { ConfigurationError, HttpProblem } from '../src/problem.js'

describe('ERR-3: new HttpProblem()', () => {
  const own = { code: 'sold-out', status: 422, title: 'Sold out' }
  const make =
    (...given: unknown[]) =>
    () =>
      new HttpProblem(...(given as ConstructorParameters<typeof HttpProblem>))

  it.each([
    [
      [{ ...own, detail: 'None left.' }],
      /The first argument of new HttpProblem\(\) has no option "detail"\. Pass it in the second argument\./,
    ],
    [
      [{ ...own, type: 'about:blank' }],
      /The first argument of new HttpProblem\(\) has no option "type"\. The options are: code, status, title, clause\./,
    ],
    [[own, { details: 'None left.' }], /new HttpProblem\(\) has no option "details"\. Did you mean "detail"\?/],
    [[own, 'None left.'], /options of new HttpProblem\(\) are of type string\. Give an object\./],
    [[own, { detail: 5 }], /"detail" of new HttpProblem\(\) is 5\. Give a string\./],
    [[own, { errors: {} }], /"errors" of new HttpProblem\(\) is of type object\. Give a list of objects\./],
    [[own, { headers: [] }], /"headers" of new HttpProblem\(\) is an empty list\. Give an object\./],
    [['rules'], /is "rules", which is not a code of this library\. Did you mean "rule"\?/],
    [['no-such-code'], /is "no-such-code", which is not a code of this library/],
    [['constructor'], /is "constructor", which is not a code of this library/],
    [
      [{ code: 'sold-out', status: 422 }],
      /"title" of the first argument of new HttpProblem\(\) is missing\. Give a string\./,
    ],
    [
      [{ ...own, status: 200 }],
      /"status" of the first argument of new HttpProblem\(\) is 200\. Give a whole number from 400 to 599\./,
    ],
    [[undefined], /is missing\. Give a code such as 'rule', or \{ code, status, title \}/],
    [[null], /is null\. Give a code such as 'rule', or \{ code, status, title \}/],
  ])('refuses %j', (given, message) => {
    expect(make(...given)).toThrow(ConfigurationError)
    expect(make(...given)).toThrow(message)
  })

  it('accepts a code of the library, a problem type of the service, and every option', () => {
    expect(make('rule', { detail: 'a' })().detail).toBe('a')
    expect(make(own, { detail: 'a', errors: [], headers: {}, cause: 1 })().code).toBe('sold-out')
    expect(make({ ...own, clause: 'ERR-2' })().clause).toBe('ERR-2')
  })
})
