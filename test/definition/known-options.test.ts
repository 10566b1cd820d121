import { describe, expect, it } from 'vitest'
import { scopes } from '../../src/auth/scopes.js'
import { functionOption, knownOptions, listOption, namesOption, textOption } from '../../src/definition/known-options.js'
import { ConfigurationError } from '../../src/problem.js'

describe('options of the wrong kind', () => {
  it.each<[string, () => unknown, string]>([
    ['an object that is null', () => knownOptions('page of "notas"', null, {}), 'page of "notas" is missing or null. Give an object.'],
    ['options that are null', () => knownOptions('bearer()', null, {}), 'The options of bearer() are missing or null. Give an object.'],
    ['options that are a list', () => knownOptions('bearer()', [], {}), 'The options of bearer() must be an object, not a list.'],
    ['a text that is missing', () => textOption('The field', undefined), 'The field is missing. Give a name.'],
    ['a text that is a number', () => textOption('The field', 5), 'The field must be a name, not number.'],
    ['names that are missing', () => namesOption('by', undefined), 'by is missing. Give a name or a list of names.'],
    ['a list that is null', () => listOption('allow', null), 'allow is missing or null. Give a list of names.'],
    ['a list with a gap', () => listOption('allow', ['GET', undefined]), 'Each of allow must be a name, not undefined.'],
    ['a function that is null', () => functionOption('identify', null), 'identify is missing or null. Give a function.'],
    ['a function that is a text', () => scopes({ of: 'scp' } as never), 'The option "of" of scopes() must be a function, not string.'],
  ])('%s: the message says what is there and what to give', (_, run, message) => {
    expect(run).toThrow(ConfigurationError)
    expect(run).toThrow(message)
  })

  it('what may be left out is empty', () => {
    expect([knownOptions('scopes()', undefined, {}), listOption('sort', undefined)]).toEqual([{}, []])
    expect(namesOption('by', 'id')).toEqual(['id'])
  })
})
