/** The option `search.members` names only members that clients may see (REP-8). */
import { expect, it } from 'vitest'
import { tableDdl } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/index.js'

const notes = defineResource({
  collection: 'notes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      text: { type: 'string' },
      pin: { type: 'string', writeOnly: true },
      author: { type: 'object', properties: { name: { type: 'string' }, pin: { type: 'string', writeOnly: true } } },
    },
  },
  search: true,
})
const ddl = (members: readonly ('text' | 'author.name' | 'pin' | 'author.pin' | 'author')[]) =>
  tableDdl(notes, { table: 'notes', search: { members } })

it('members that clients may see can be searched', () => {
  expect(ddl(['text', 'author.name'])).toContain('USING gin')
})

it.each([
  ['pin', '"pin" in "search.members", but it is writeOnly'],
  ['author.pin', '"author.pin" in "search.members", but it is writeOnly'],
  ['author', '"author" in "search.members", but "author.pin" is writeOnly: searches would reveal its value'],
] as const)('"%s" is refused, because searches would reveal a writeOnly member', (member, message) => {
  expect(() => ddl(['text', member])).toThrow(message)
})
