import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultAt } from '../../src/http/json-fault.js'

describe('faultAt', () => {
  it('ERR-3: an error has an RFC 6901 pointer, and parsing the pointer returns the path', () => {
    expect(faultAt('x', [])).toEqual({ malformed: 'x', pointer: '' })
    expect(faultAt('x', ['a', 0, 'b/c', '~1', ''])).toEqual({ malformed: 'x', pointer: '/a/0/b~1c/~01/' })
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'a/~01') })), (path) => {
        const steps = (faultAt('x', path).pointer ?? '').split('/').slice(1)
        expect(steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))).toEqual(path)
      }),
    )
  })

  it('ERR-3: a pointer that is too long is left out', () => {
    expect(faultAt('x', ['a'.repeat(1_000)])).toEqual({ malformed: 'x' })
    expect(faultAt('x', Array(1_000).fill('a'))).toEqual({ malformed: 'x' })
  })
})
