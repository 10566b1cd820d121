import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../src/cli/commands.js'
import { UsageError } from '../../src/cli/usage-error.js'
import { canonicalDocument } from '../../src/contract/canonical.js'
import { type Json, list } from '../contract/documents.js'
import { commit, git, put, repository, temporaryFolder } from './repository.js'

const text = { type: 'string' }
const filter = (name: string): Json => ({ name, in: 'query', schema: text })
const withFilters = (...names: readonly string[]): Json => list(...names.map(filter))

const unused = () => Promise.reject(new Error('not asked'))

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/**
 * Runs a command line in a folder, with a service that has these OpenAPI documents. `reason` is the
 * value of `--accept`.
 */
async function run(
  cwd: string,
  documents: Readonly<Record<string, unknown>>,
  line: string,
  reason?: string,
): Promise<Ran> {
  let out = ''
  let error = ''
  const code = await runCommand([...line.split(' '), ...(reason === undefined ? [] : ['--accept', reason])], {
    cwd,
    out: (said) => {
      out += said
    },
    error: (said) => {
      error += said
    },
    now: () => new Date('2026-11-22T12:00:00Z'),
    async documentsOf(file) {
      if (!file.endsWith('api.js')) throw new UsageError(`There is no module ${file}.`)
      return new Map(Object.entries(documents))
    },
    serviceOf: async () => ({}),
    usageOf: unused,
    reportAt: unused,
    ended: async () => {},
  })
  return { code, out, error }
}

/**
 * Creates a git repository whose branch `main` contains the contract of a service with these
 * documents.
 */
async function released(documents: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = repository()
  await run(folder, documents, 'openapi api.js')
  commit(folder)
  return folder
}

const check = 'openapi api.js --check --against main'

describe('openapi <module>', () => {
  it('writes one canonical file for each version, and removes the files of removed versions', async () => {
    const folder = temporaryFolder()
    expect(await run(folder, { v1: withFilters('a'), v2: withFilters('b') }, 'openapi api.js')).toEqual({
      code: 0,
      out: 'written openapi/v1.json\nwritten openapi/v2.json\n',
      error: '',
    })
    expect(readFileSync(join(folder, 'openapi/v1.json'), 'utf8')).toBe(canonicalDocument(withFilters('a')))
    put(folder, 'openapi/notes.json', '[]')
    expect((await run(folder, { v2: withFilters('b', 'c') }, 'openapi api.js')).out).toBe(
      'written openapi/v2.json\nremoved openapi/v1.json: the version is no longer served\n',
    )
    expect(existsSync(join(folder, 'openapi/v1.json'))).toBe(false)
    expect(existsSync(join(folder, 'openapi/notes.json'))).toBe(true)
    expect((await run(folder, { v2: withFilters('b', 'c') }, 'openapi api.js --out openapi')).out).toBe(
      'unchanged openapi/v2.json\n',
    )
  })
})

describe('openapi <module> --check --against <git ref>', () => {
  it('passes if nothing changed, and if all changes are compatible', async () => {
    const folder = await released({ v1: withFilters('a') })
    expect(await run(folder, { v1: withFilters('a') }, check)).toEqual({
      code: 0,
      out: '0 breaking changes, 0 harmless\n',
      error: '',
    })
    expect(await run(folder, { v1: withFilters('a', 'b') }, check)).toEqual({
      code: 0,
      out: '0 breaking changes, 1 harmless\n',
      error: 'note: openapi/v1.json differs from the current service. Write and commit the contract again.\n',
    })
  })

  it('fails if a filter is removed, until the removal is accepted', async () => {
    const folder = await released({ v1: withFilters('a', 'b', 'c') })
    const failed = await run(folder, { v1: withFilters('b', 'c') }, check)
    expect(failed.code).toBe(1)
    expect(failed.error).toContain(
      'v1: the filter "a" of things was removed: clients that send it get 400. ' +
        'Put the change into v2, or accept it with --accept [filter-removed]\n',
    )
    expect(failed.out).toBe('1 breaking change, 0 harmless\n')

    const accepted = await run(
      folder,
      { v1: withFilters('b', 'c') },
      'openapi api.js --against main',
      'nobody sends it',
    )
    expect(accepted).toEqual({
      code: 0,
      out:
        'accepted: v1: the filter "a" of things was removed: clients that send it get 400\nRecorded in ' +
        'openapi/accepted.json: commit it with the change.\n',
      error: '',
    })
    const [entry] = JSON.parse(readFileSync(join(folder, 'openapi/accepted.json'), 'utf8'))
    expect(entry).toMatchObject({
      kind: 'filter-removed',
      version: 'v1',
      place: 'GET /things query "a"',
      reason: 'nobody sends it',
      date: '2026-11-22',
    })
    expect(await run(folder, { v1: withFilters('b', 'c') }, check)).toMatchObject({
      code: 0,
      out: '0 breaking changes, 1 accepted, 0 harmless\n',
    })

    const again = await run(folder, { v1: withFilters('c') }, check)
    expect(again.code).toBe(1)
    expect(again.error).not.toContain('filter "a"')
    expect(again.error).toContain('v1: the filter "b" of things was removed')
  })

  it('fails if an accepted change of a shared schema reaches another operation', async () => {
    const of = (a: string, b: string): Json => {
      const get = (name: string): Json => {
        const schema = { $ref: `#/components/schemas/${name}` }
        return { get: { responses: { 200: { description: 'x', content: { 'application/json': { schema } } } } } }
      }
      const schemas = { Old: { type: 'string' }, New: { type: 'integer' } }
      return { ...list(), paths: { '/a': get(a), '/b': get(b) }, components: { schemas } }
    }
    const folder = await released({ v1: of('Old', 'Old') })
    await run(folder, { v1: of('New', 'Old') }, 'openapi api.js --against main', 'nobody reads a')
    expect(await run(folder, { v1: of('New', 'Old') }, check)).toMatchObject({ code: 0 })
    expect(await run(folder, { v1: of('New', 'New') }, check)).toMatchObject({ code: 1 })

    // An entry from an earlier version of the library contains only the first operation.
    const file = join(folder, 'openapi/accepted.json')
    const [{ operations, ...entry }] = JSON.parse(readFileSync(file, 'utf8'))
    expect(operations).toEqual(['GET /a'])
    put(folder, 'openapi/accepted.json', JSON.stringify([entry]))
    expect(await run(folder, { v1: of('New', 'Old') }, check)).toMatchObject({ code: 0 })
    expect(await run(folder, { v1: of('Old', 'New') }, check)).toMatchObject({ code: 1 })
  })

  it('compares with the contract at the git ref, and not with the contract in the working tree', async () => {
    const folder = await released({ v1: withFilters('a') })
    git(folder, 'checkout', '--quiet', '-b', 'topic')
    await run(folder, { v1: withFilters() }, 'openapi api.js')
    expect((await run(folder, { v1: withFilters() }, check)).code).toBe(1)
    commit(folder)
    expect((await run(folder, { v1: withFilters() }, check)).code).toBe(1)
    git(folder, 'rm', '-r', '--quiet', 'openapi')
    expect((await run(folder, { v1: withFilters() }, check)).code).toBe(1)
  })

  it('accepting the removal of one value does not accept the removal of another value', async () => {
    const values = (...names: readonly string[]): Json => list({ name: 'state', in: 'query', schema: { enum: names } })
    const folder = await released({ v1: values('a', 'b', 'c') })
    await run(folder, { v1: values('b', 'c') }, 'openapi api.js --against main', 'a is never used')
    expect((await run(folder, { v1: values('b', 'c') }, check)).code).toBe(0)
    expect((await run(folder, { v1: values('a', 'c') }, check)).code).toBe(1)
    expect((await run(folder, { v1: values('c') }, check)).code).toBe(1)
  })

  it('VER-2: fails if a version without a sunset is removed, and suggests v9 for a breaking change in v8', async () => {
    const folder = await released({ v1: withFilters(), v8: withFilters('a') })
    expect((await run(folder, { v8: withFilters('a') }, check)).error).toContain(
      'v1: the version was removed and had no sunset',
    )
    expect((await run(folder, { v1: withFilters(), v8: withFilters() }, check)).error).toContain(
      'Put the change into v9',
    )
  })

  it('passes if there are only warnings, and prints them', async () => {
    const named = (operationId: string): Json => ({
      openapi: '3.1.0',
      paths: { '/a': { get: { operationId, responses: {} } } },
    })
    const folder = await released({ v1: named('one') })
    const ran = await run(folder, { v1: named('other') }, check)
    expect(ran).toMatchObject({ code: 0, out: '0 breaking changes, 1 warning, 0 harmless\n' })
    expect(ran.error).toContain('warning: v1: the operation id "one" of GET /a is "other" now')
  })

  it('finds the contract in a subfolder of the repository, and in the folder that --out names', async () => {
    const folder = repository()
    put(folder, 'services/pieces/api.js', '')
    const service = join(folder, 'services/pieces')
    await run(service, { v1: withFilters('a') }, 'openapi api.js --out contract')
    commit(folder)
    expect((await run(service, { v1: withFilters('a') }, `${check} --out contract`)).code).toBe(0)
    expect((await run(service, { v1: withFilters() }, `${check} --out contract`)).code).toBe(1)
    git(folder, 'tag', 'v1.4.0')
    expect(
      (await run(service, { v1: withFilters() }, 'openapi api.js --check --against v1.4.0 --out contract')).code,
    ).toBe(1)
  })

  it('passes after the first contract is written, even if the git ref has no contract yet', async () => {
    const folder = repository()
    put(folder, 'README.md', 'A service')
    commit(folder)
    const first = await run(folder, { v1: withFilters() }, check)
    expect(first.code).toBe(2)
    expect(first.error).toBe(
      'There is no contract at main:openapi yet. Write the first contract with: npx express-rest-conventions openapi ' +
        'api.js\nCommit and merge openapi. From then on, this check compares with it.\n',
    )
    await run(folder, { v1: withFilters() }, 'openapi api.js')
    expect(await run(folder, { v1: withFilters() }, check)).toEqual({
      code: 0,
      out:
        'There is no contract at main:openapi yet. The contract in openapi is the first. Commit and merge it. From ' +
        'then on, this check compares with it.\n',
      error: '',
    })
  })
})

describe('openapi <module> --check --against <file or folder>', () => {
  it('compares one version with a file in JSON or YAML', async () => {
    const folder = temporaryFolder()
    put(folder, 'released/v1.json', JSON.stringify(withFilters('a')))
    put(
      folder,
      'old.yaml',
      'openapi: 3.1.0\ninfo: { title: Things, version: v1 }\npaths:\n  /gone:\n    get: { responses: {} }\n',
    )
    const documents = { v1: withFilters(), v2: withFilters() }
    expect((await run(folder, documents, 'openapi api.js --check --against released/v1.json')).error).toContain(
      'the filter "a" of things was removed',
    )
    expect((await run(folder, documents, 'openapi api.js --check --against old.yaml')).error).toContain(
      'v1: the path /gone was removed with its operation GET: clients',
    )
    expect(
      (await run(folder, { v1: withFilters('a') }, 'openapi api.js --check --against released/v1.json')).code,
    ).toBe(0)
  })

  it('compares the members that YAML merge keys add', async () => {
    const folder = temporaryFolder()
    const yaml = (type: string): string =>
      `openapi: 3.1.0
info: { title: Things, version: v1 }
x-shared: &limit { name: a, in: query, schema: { type: ${type} } }
paths:
  /things:
    get: { parameters: [{ <<: *limit, description: A }], responses: {} }
`
    put(folder, 'old.yaml', yaml('string'))
    put(folder, 'new.yaml', yaml('integer'))
    expect((await run(folder, {}, 'openapi new.yaml --check --against old.yaml')).code).toBe(1)
  })

  it('compares two documents, even if they differ in info.version', async () => {
    const folder = temporaryFolder()
    const said = (version: string, ...names: readonly string[]): string =>
      JSON.stringify({ ...withFilters(...names), info: { title: 'Things', version } })
    put(folder, 'before.json', said('1.4.0', 'a'))
    put(folder, 'after.json', said('1.5.0'))
    expect((await run(folder, {}, 'openapi after.json --check --against before.json')).error).toContain(
      'v1: the filter "a" of things was removed',
    )
    expect((await run(folder, {}, 'openapi before.json --check --against after.json')).code).toBe(0)
  })

  it('writes a contract that includes the files to which the document refers', async () => {
    const folder = repository()
    const parameter = (schema: Json): Json => ({ components: { parameters: { A: { ...filter('a'), schema } } } })
    put(folder, 'docs/v1.json', JSON.stringify(list({ $ref: './shared/common.json#/components/parameters/A' })))
    put(folder, 'docs/shared/common.json', JSON.stringify(parameter(text)))
    expect(await run(folder, {}, 'openapi docs/v1.json')).toMatchObject({ code: 0 })
    commit(folder)
    expect(await run(folder, {}, 'openapi docs/v1.json --check --against main')).toMatchObject({ code: 0, error: '' })
    put(folder, 'docs/shared/common.json', JSON.stringify(parameter({ ...text, maxLength: 5 })))
    const ran = await run(folder, {}, 'openapi docs/v1.json --check --against main')
    expect(ran.error).toContain('the filter "a" of things has maxLength 5')
    expect(ran.code).toBe(1)
    put(folder, 'docs/v1.json', JSON.stringify(list({ $ref: './lost.json#/A' })))
    expect(await run(folder, {}, 'openapi docs/v1.json --check --against main')).toMatchObject({ code: 2 })
  })

  it('compares with the versions in a folder, and reports a version that is no longer served', async () => {
    const folder = temporaryFolder()
    put(folder, 'released/v1.json', JSON.stringify(withFilters('a')))
    put(folder, 'released/v2.json', JSON.stringify(withFilters('a')))
    const ran = await run(folder, { v2: withFilters('a') }, 'openapi api.js --check --against released')
    expect(ran.error).toContain('v1: the version was removed')
    expect(ran.code).toBe(1)
  })
})

describe('messages for command lines', () => {
  const messages: readonly (readonly [string, string, string])[] = [
    ['an unknown command', 'openapy api.js', '"openapy" is not a command. Did you mean "openapi"?'],
    ['no module', 'openapi', 'Which module? Give the file that exports your api(), such as: openapi ./api.js'],
    ['two modules', 'openapi api.js b.js', 'One module at a time. Remove "b.js".'],
    ['an unknown flag', 'openapi api.js --chek', '--chek is not a flag. Did you mean "--check"?'],
    [
      'an unknown flag without a similar name',
      'openapi api.js --verbose',
      '--verbose is not a flag. Allowed: --out, --check, --against, --accept, --help.',
    ],
    ['a flag twice', 'openapi api.js --check --check', '--check is given twice.'],
    ['a flag without its value', 'openapi api.js --check --against', '--against needs a value.'],
    ['a flag in place of a value', 'openapi api.js --against --check', '--against needs a value.'],
    ['a value for a flag that takes none', 'openapi api.js --check=yes', '--check takes no value.'],
    [
      '--check without --against',
      'openapi api.js --check',
      'Nothing to compare with. Give --against a git ref, a file or a folder',
    ],
    [
      '--against without --check or --accept',
      'openapi api.js --against main',
      '--against needs --check, or --accept "reason".',
    ],
    ['a missing module', 'openapi lost.mjs', 'There is no module '],
    [
      'an empty folder',
      'openapi api.js --check --against ./empty',
      'The folder ./empty has no file of a version, such as v1.json.',
    ],
    [
      'an unknown ref',
      'openapi api.js --check --against nowhere',
      '"nowhere" is not a git ref, file or folder. A shallow clone has no other branches. Fetch the branch first',
    ],
    [
      'an option in place of a ref',
      'openapi api.js --check --against=--all',
      '"--all" is not a git ref, file or folder.',
    ],
    [
      'a name that is both a path and a git ref',
      'openapi api.js --check --against main',
      '"main" is both a path and a git ref. Write ./main for the path',
    ],
    ['malformed JSON', 'openapi api.js --check --against broken.json', 'broken.json is not JSON: '],
    ['malformed YAML', 'openapi api.js --check --against broken.yaml', 'broken.yaml is not YAML: '],
    [
      'a file that is not an OpenAPI document',
      'openapi api.js --check --against other.json',
      'other.json: This is not an OpenAPI document of version 3',
    ],
    [
      'a file that names no version',
      'openapi api.js --check --against plain.json',
      'does not say which version it describes. Name it after the version, such as v1.json; this service has v1, v2.',
    ],
    [
      'a folder outside of the repository',
      'openapi api.js --check --against HEAD --out /tmp',
      'is not in the git repository',
    ],
  ]

  it.each(messages)('%s gets exit code 2 and a message', async (_title, line, message) => {
    const folder = repository()
    put(folder, 'empty/none.txt', '')
    put(folder, 'main', '')
    put(folder, 'broken.json', '{"openapi": ')
    put(folder, 'broken.yaml', 'openapi: [')
    put(folder, 'other.json', '{}')
    put(folder, 'plain.json', JSON.stringify({ openapi: '3.1.0', paths: {} }))
    commit(folder)
    const ran = await run(folder, { v1: withFilters(), v2: withFilters() }, line)
    expect(ran).toMatchObject({ code: 2, out: '' })
    expect(ran.error).toContain(message)
  })

  it('a git ref outside a repository gets exit code 2 and a message', async () => {
    const folder = temporaryFolder()
    const ran = await run(folder, { v1: withFilters() }, check)
    expect(ran.code).toBe(2)
    expect(ran.error).toBe(
      `"main" is neither a file nor a folder. It cannot be a git ref, because ${folder} is not in a git repository.\n`,
    )
  })

  it('an invalid accepted.json fails the check, with a message that says what is wrong', async () => {
    const folder = await released({ v1: withFilters('a') })
    put(folder, 'openapi/accepted.json', '[{"kind": "filter-removed"}]')
    expect((await run(folder, { v1: withFilters() }, check)).error).toContain('Entry 1 of ')
    put(folder, 'openapi/accepted.json', '{}')
    expect((await run(folder, { v1: withFilters() }, check)).error).toContain('is not a list of accepted changes')
    put(folder, 'openapi/accepted.json', '[')
    expect(await run(folder, { v1: withFilters() }, check)).toMatchObject({ code: 2 })
  })

  it('the help of openapi describes --against, and the help of the package lists openapi', async () => {
    const folder = temporaryFolder()
    expect((await run(folder, {}, 'openapi --help')).out).toContain('--against <contract>')
    expect(await run(folder, {}, '--help')).toMatchObject({ code: 0 })
    expect((await run(folder, {}, 'help')).out).toContain('openapi    write the OpenAPI documents of a service')
  })

  it('--accept writes no file if no change is breaking', async () => {
    const folder = await released({ v1: withFilters('a') })
    expect((await run(folder, { v1: withFilters('a') }, 'openapi api.js --against main', 'why')).out).toContain(
      'Nothing to accept',
    )
    expect(existsSync(join(folder, 'openapi/accepted.json'))).toBe(false)
  })
})
