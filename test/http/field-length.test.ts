import { describe, expect, it } from 'vitest'
import { checkField, longestField } from '../../src/http/field-length.js'
import { HttpProblem } from '../../src/index.js'
import { problemBody } from '../../src/problem.js'
import { longestProblemText, maxProblemItems } from '../../src/violation.js'

describe('checkField()', () => {
  it('ERR-1: refuses only fields that exceed the maximum length', () => {
    expect(() => checkField('If-Match', 'x'.repeat(longestField))).not.toThrow()
    expect(() => checkField('If-Match', undefined)).not.toThrow()
    expect(() => checkField('If-Match', 'x'.repeat(longestField + 1))).toThrow(
      expect.objectContaining({
        code: 'bad-request',
        errors: [expect.objectContaining({ header: 'If-Match', code: 'maxLength' })],
      }),
    )
  })
})

describe('the body of a problem', () => {
  it('ERR-3: stays within the declared lengths, even if the problem that the service throws is huge', () => {
    const huge = `${'x'.repeat(longestProblemText - 4)}😀${'y'.repeat(100)}`
    const errors = Array.from({ length: maxProblemItems + 1 }, () => ({
      detail: huge,
      pointer: huge,
      allowed: Array(maxProblemItems + 1).fill('a'),
    }))
    const body = problemBody(new HttpProblem('rule', { detail: huge, errors }), { instance: huge }) as {
      detail: string
      instance: string
      errors: { detail: string; pointer: string; allowed: string[] }[]
    }
    expect(body.errors).toHaveLength(maxProblemItems)
    const [first] = body.errors
    for (const text of [body.detail, body.instance, first?.detail ?? '', first?.pointer ?? '']) {
      expect(text.length).toBeLessThanOrEqual(longestProblemText)
      expect(text).toMatch(/^x+\.\.\.$/)
    }
    expect(first?.allowed).toHaveLength(maxProblemItems)
  })

  it('is unchanged if it is within the limits', () => {
    const errors = [{ detail: 'No.', pointer: '/a', params: { limit: 1 }, allowed: [1, 2] }]
    expect(problemBody(new HttpProblem('rule', { detail: 'No.', errors }))).toMatchObject({ detail: 'No.', errors })
  })
})
