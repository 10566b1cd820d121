import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { bearer, jwks, login, scopePermission, tokenIssuer } from '../../src/auth/index.js'
import { docsPages } from '../../src/docs/index.js'
import { api, defineResource, mount, representation } from '../../src/index.js'
import { crossOrigin, methodRules, rateLimit } from '../../src/middleware/index.js'
import { checkArgument, checkOptions } from '../../src/options/check.js'
import { count, type Kind, type KindTable, milliseconds } from '../../src/options/kinds.js'
import { ConfigurationError } from '../../src/problem.js'

const page = { options: { size: count, first: { oneOf: [1, 0] } } }
const kinds: KindTable = {
  on: 'boolean',
  name: { required: 'string' },
  timeout: { ...milliseconds, to: 1000 },
  ratio: { from: 0, above: true },
  page,
  levels: { each: page },
  hooks: { values: 'function' },
  made: { by: 'the result of made()', is: () => false },
  mode: { oneOf: ['pass', 'refuse', false] },
  by: 'names',
  path: { a: 'a path such as "/live"', like: /^\// },
  table: ['string', { options: { schema: 'string', name: { required: 'string' } } }],
  issuer: { present: 'string' },
  key: { instead: 'Put it into tls.' },
  tls: { options: { timeout: { instead: 'Put it beside tls.' } }, open: true },
  signal: 'any',
}

describe('checkOptions() and checkArgument()', () => {
  it.each<[string, unknown, string]>([
    ['options that are null', null, 'The options of made() are null. Give an object.'],
    ['options that are missing', undefined, 'The options of made() are missing. Give an object.'],
    ['options that are a list', [], 'The options of made() are an empty list. Give an object.'],
    ['options that are a promise', Promise.resolve(), 'The options of made() are a promise. Give an object.'],
    ['a misspelt name', { name: 'a', pagee: {} }, 'made() has no option "pagee". Did you mean "page"?'],
    [
      'a misspelt name in an option',
      { name: 'a', page: { sise: 1 } },
      'The option "page" of made() has no option "sise". Did you mean "size"?',
    ],
    [
      'a name similar to no option',
      { name: 'a', page: { colour: 1 } },
      'has no option "colour". The options are: size, first.',
    ],
    ['a missing option', {}, 'The option "name" of made() is missing. Give a string.'],
    ['an option that is undefined', { name: undefined }, 'The option "name" of made() is missing. Give a string.'],
    [
      'a string instead of a boolean',
      { name: 'a', on: 'false' },
      `The option "on" of made() is 'false'. Give a boolean.`,
    ],
    [
      'a string instead of a number',
      { name: 'a', timeout: '10' },
      `"timeout" of made() is '10'. Give a whole number of milliseconds from 1 to 1000.`,
    ],
    ['a tab instead of an enum value', { name: 'a', mode: '\t' }, `is '\\t'. Give 'pass', 'refuse' or false.`],
    ['NaN', { name: 'a', timeout: Number.NaN }, 'is NaN.'],
    ['a fraction', { name: 'a', timeout: 1.5 }, 'is 1.5.'],
    ['a number below its bound', { name: 'a', timeout: 0 }, 'is 0.'],
    ['a number above its bound', { name: 'a', timeout: 1001 }, 'is 1001.'],
    ['a number equal to its exclusive bound', { name: 'a', ratio: 0 }, 'is 0. Give a number above 0.'],
    ['null', { name: null }, 'The option "name" of made() is null. Give a string.'],
    [
      'a string instead of a number in a nested option',
      { name: 'a', page: { size: '25' } },
      `The option "page.size" of made() is '25'. Give a whole number from 1.`,
    ],
    [
      'a number below its bound in a list',
      { name: 'a', levels: [{}, { size: -1 }] },
      'The option "levels[1].size" of made() is -1.',
    ],
    [
      'a gap in a list',
      { name: 'a', levels: [undefined] },
      'The option "levels[0]" of made() is undefined. Give { size, first }.',
    ],
    [
      'a string instead of a function in an object of functions',
      { name: 'a', hooks: { start: 'x' } },
      'The option "hooks.start" of made() is of type string. Give a function.',
    ],
    ['an object that no factory made', { name: 'a', made: {} }, 'is of type object. Give the result of made().'],
    ['a value that is not in the enum', { name: 'a', mode: 'fail' }, `is 'fail'. Give 'pass', 'refuse' or false.`],
    ['a repeated name', { name: 'a', by: ['x', 'x'] }, 'is a list. Give a name, or a list of different names.'],
    ['no name', { name: 'a', by: [] }, 'is an empty list. Give a name, or a list of different names.'],
    ['a string that is not a path', { name: 'a', path: 'live' }, `is 'live'. Give a path such as "/live".`],
    ['a value of a kind that is not allowed', { name: 'a', table: 5 }, 'is 5. Give a string or { schema, name }.'],
    [
      'a misspelt name in an option that takes a string or an object',
      { name: 'a', table: { nam: 'x' } },
      'The option "table" of made() has no option "nam". Did you mean "name"?',
    ],
    [
      'an undefined option that turns a check off',
      { name: 'a', issuer: undefined },
      'is undefined, which would silently disable a check. Give a value, or omit the option.',
    ],
    ['an option that belongs in "tls"', { name: 'a', key: 'k' }, 'made() has no option "key". Put it into tls.'],
    [
      'an option in "tls" that belongs beside "tls"',
      { name: 'a', tls: { timeout: 1, cert: 'c' } },
      'The option "tls" of made() has no option "timeout". Put it beside tls.',
    ],
  ])('%s: the message has the path, the value and the fix', (_, given, message) => {
    expect(() => checkOptions('made()', given, kinds)).toThrow(ConfigurationError)
    expect(() => checkOptions('made()', given, kinds)).toThrow(message)
  })

  it.each<[Kind]>([
    ['string'],
    ['function'],
    ['list'],
    [{ by: 'a key', is: () => false }],
    [[{ oneOf: [1] }, 'table']],
  ])('the message does not repeat a string that may be a secret, for an option of the kind %j', (kind) => {
    const given = kind === 'string' ? ['hunter2'] : 'hunter2'
    expect(() => checkOptions('made()', { key: given }, { key: kind })).toThrow(
      /^(?!.*hunter2).*of made\(\) is (?:of type string|a list)\./,
    )
  })

  it('accepts valid options and absent ones, and treats undefined as absent', () => {
    const given = {
      on: undefined,
      name: 'a',
      timeout: 1000,
      ratio: 0.5,
      page: { size: 5, first: undefined },
      levels: [{}, { first: 0 }],
      hooks: { start() {}, stop: undefined },
      mode: false,
      by: ['x', 'y'],
      path: '/',
      table: { name: 'x' },
      issuer: 'me',
      tls: { cert: 'c' },
      signal: null,
    }
    expect(checkOptions('made()', given, kinds)).toBe(given)
    expect(checkOptions('made()', {}, { on: 'boolean' })).toEqual({})
  })

  it('a name that every object inherits, such as constructor, is not an option', () => {
    expect(() => checkOptions('made()', { constructor: 1 }, { on: 'boolean' })).toThrow(
      'made() has no option "constructor".',
    )
    expect(() => checkOptions('made()', { on: true }, kinds)).toThrow('"name" of made() is missing')
  })

  it('reports a missing options object even if every option is optional', () => {
    expect(() => checkOptions('made()', undefined, { on: 'boolean' })).toThrow(
      'The options of made() are missing. Give an object.',
    )
    expect(() => checkOptions('the part "a"', undefined, { on: 'boolean' })).toThrow(
      'The part "a" is missing. Give an object.',
    )
  })

  it('the message contains both bounds of a number, even if only the lower bound is exclusive', () => {
    expect(() => checkOptions('made()', { a: 0 }, { a: { from: 0, above: true, to: 10 } })).toThrow(
      'Give a number above 0, at most 10.',
    )
  })

  it('checkArgument() checks an argument in the same way as an option', () => {
    expect(() => checkArgument('the first argument of made()', undefined, 'function')).toThrow(
      'The first argument of made() is missing. Give a function.',
    )
    expect(() => checkArgument('the list of offers of negotiate()', ['a', 5], { each: 'string' })).toThrow(
      'The list of offers of negotiate() has a fault: "[1]" is 5. Give a string.',
    )
    expect(() => checkArgument('the first argument of made()', 'x', 'function')).toThrow(
      'The first argument of made() is of type string. Give a function.',
    )
  })
})

describe('a factory that is passed instead of its result', () => {
  const pedidos = defineResource({
    collection: 'pedidos',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  })
  const serve = (options: object) => () =>
    api({ versions: { v1: [mount(pedidos, memoryAdapter(pedidos))] }, ...options } as never)
  const rules = (options: object) => () =>
    methodRules({ on: 'item', allow: ['GET'], resource: 'pedidos', key: false, ...options } as never)

  it.each<[string, () => unknown, string]>([
    ['scopePermission', serve({ permission: scopePermission }), 'Call it: scopePermission().'],
    ['scopePermission in methodRules()', rules({ permission: scopePermission }), 'Call it: scopePermission().'],
    ['crossOrigin', serve({ cors: crossOrigin }), 'Call it: crossOrigin({ origins }).'],
    ['bearer', serve({ authenticate: bearer }), 'Call it: bearer({ keys }).'],
    ['rateLimit', serve({ rateLimit }), 'Call it: rateLimit({ limit: 600 }).'],
    ['login', serve({ login }), 'Call it: login({ find, token }).'],
    ['docsPages', serve({ describe: { pages: docsPages } }), 'Call it: docsPages().'],
    ['representation in a list', serve({ representations: [representation] }), 'Call it: representation('],
    ['jwks', () => bearer({ keys: jwks } as never), 'Call it: jwks(url).'],
    ['tokenIssuer', () => login({ find: () => null, token: tokenIssuer } as never), 'Call it: tokenIssuer({ ... }).'],
    ['memoryAdapter', () => mount(pedidos, memoryAdapter as never), 'such as memoryAdapter(definition).'],
  ])('%s is refused, and the message says how to call it', (name, build, fix) => {
    expect(build).toThrow(ConfigurationError)
    expect(build).toThrow(` is the function ${name.split(' ')[0]} itself. `)
    expect(build).toThrow(fix)
  })
})
