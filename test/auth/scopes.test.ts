import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Action } from '../../src/auth/permission.js'
import { scopePermission } from '../../src/auth/scopes.js'

const actions: readonly Action[] = ['list', 'create', 'read', 'replace', 'patch', 'remove', 'attach', 'detach']

describe('scopePermission()', () => {
  const permission = scopePermission()

  it('AUTH-4: allows an action only if a scope is `<resource>:<verb>` or `*:<verb>`', () => {
    const resource = fc.constantFrom('a', 'a:read', 'a:write', '*', '', 'read', 'constructor')
    const scope = fc.oneof(
      fc.tuple(resource, fc.constantFrom(':read', ':write', ':', '')).map((parts) => parts.join('')),
      fc.constantFrom('read', ':read:', 'a:Read'),
    )
    const form = fc.constantFrom('text', 'list')
    fc.assert(
      fc.property(fc.array(scope), form, resource, fc.constantFrom(...actions), (given, form, resource, action) => {
        const may = (verb: string): boolean => given.includes(`${resource}:${verb}`) || given.includes(`*:${verb}`)
        const [own, other] = action === 'list' || action === 'read' ? ['read', 'write'] : ['write', 'read']
        const principal = { scope: form === 'text' ? given.join(' ') : [...given, 7, null] }
        const expected = may(own as string) ? 'allow' : may(other as string) ? 'method-not-allowed' : 'forbidden'
        expect([permission(principal, action, resource), permission(principal, action, resource)]).toEqual([
          expected,
          expected,
        ])
      }),
    )
  })
})
