import { describe, expect, it } from 'vitest'
import { runCommand } from '../../src/cli/commands.js'
import { readMockCall } from '../../src/cli/mock-flags.js'
import { put, temporaryFolder } from './repository.js'

const read = (line: string, cwd = '.') => readMockCall(line.split(' '), cwd)

describe('the flags of mock', () => {
  it('have defaults', () => {
    expect(read('api.js')).toEqual({
      module: 'api.js',
      port: 3000,
      host: '127.0.0.1',
      options: {
        seed: 1,
        records: 25,
        data: {},
        visitors: { auth: 'off', principal: { sub: 'mock', scope: '*:read *:write' }, isNamed: false },
      },
    })
  })

  it('set every option', () => {
    const cwd = temporaryFolder()
    put(cwd, 'data.json', '{ "notes": [{ "id": 1 }] }')
    const line =
      'api.js --port 0 --host ::1 --seed 7 --records 10000 --data data.json --auth keep --principal "ana" ' +
      '--delay 100-800 --fail 5%:500,10%'
    expect(read(line, cwd)).toEqual({
      module: 'api.js',
      port: 0,
      host: '::1',
      options: {
        seed: 7,
        records: 10_000,
        data: { notes: [{ id: 1 }] },
        visitors: { auth: 'keep', principal: 'ana', isNamed: true },
        delay: { min: 100, max: 800 },
        failures: [
          { share: 0.05, status: 500 },
          { share: 0.1, status: 503 },
        ],
      },
    })
  })

  it.each([
    ['', 'Which module?'],
    ['a.js b.js', 'One module at a time. Remove "b.js".'],
    ['a.js --prot 1', '--prot is not a flag. Did you mean "--port"?'],
    ['a.js --port 70000', '--port is "70000". Give a whole number from 0 to 65535.'],
    ['a.js --port x', '--port is "x"'],
    ['a.js --records 0', '--records is "0". Give a whole number from 1 to 1000000.'],
    ['a.js --seed -1', '--seed'],
    ['a.js --delay 800-100', '--delay is "800-100". Give milliseconds, such as 200 or 100-800'],
    ['a.js --delay soon', '--delay is "soon"'],
    ['a.js --fail 5', '--fail is "5". Give percentages of the requests'],
    ['a.js --fail 5%:200', '--fail is "5%:200"'],
    ['a.js --fail 60%,60%:500', 'which adds up to more than 100%'],
    ['a.js --auth on', '--auth is "on". Allowed are "off", and "keep"'],
    ['a.js --principal {x', '--principal is {x, which is not a principal in JSON'],
    ['a.js --principal null', 'which is not a principal in JSON'],
    ['a.js --data lost.json', '--data lost.json cannot be read: ENOENT'],
    ['a.js --data list.json', '--data list.json is not an object. Give records by collection'],
  ])('are refused if they are invalid: %j', (line, message) => {
    const cwd = temporaryFolder()
    put(cwd, 'list.json', '[]')
    expect(() => readMockCall(line === '' ? [] : line.split(' '), cwd)).toThrow(message)
  })

  it('have a help text that names each of them', async () => {
    let out = ''
    const unused = async (): Promise<never> => {
      throw new Error('not called')
    }
    const terminal = {
      cwd: '.',
      out: (text: string) => {
        out += text
      },
      error: () => {},
      now: () => new Date(0),
      documentsOf: unused,
      serviceOf: unused,
      usageOf: unused,
      reportAt: unused,
      ended: unused,
    }
    expect(await runCommand(['mock', '--help'], terminal)).toBe(0)
    for (const flag of ['port', 'host', 'seed', 'records', 'data', 'auth', 'principal', 'delay', 'fail'])
      expect(out).toContain(`--${flag} `)
  })
})
