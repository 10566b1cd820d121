import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { readSettings, SettingError } from '../../examples/pre-piezas/settings.js'

describe('settings', () => {
  it('are all optional; an empty value counts as unset', () => {
    expect(readSettings({})).toEqual({ port: 3000, rateLimit: 600, seedSize: 1000 })
    expect(readSettings({ PORT: '', BASE_URL: ' ', SEED_SIZE: '' })).toEqual({
      port: 3000,
      rateLimit: 600,
      seedSize: 1000,
    })
    expect(readSettings({ PORT: '0', BASE_URL: 'https://api.example.com/private/', SEED_SIZE: '100000' })).toEqual({
      port: 0,
      rateLimit: 600,
      seedSize: 100_000,
      baseUrl: 'https://api.example.com/private',
    })
    expect(readSettings({ DATABASE_URL: 'postgres://me@db.example/courier' })).toMatchObject({
      databaseUrl: 'postgres://me@db.example/courier',
    })
    expect(readSettings({ DATABASE_URL: '', DATA_DIR: './data' })).toEqual({
      port: 3000,
      rateLimit: 600,
      seedSize: 1000,
      dataDir: './data',
    })
  })

  it('allow DATABASE_URL or DATA_DIR, but not both', () => {
    expect(() => readSettings({ DATABASE_URL: 'postgres://db.example/x', DATA_DIR: './data' })).toThrow(
      new SettingError('DATABASE_URL and DATA_DIR are both set: give only one of them.'),
    )
  })

  it('configure the pool, the timeout and the sentinels; with sentinels, REDIS_URL names their master', () => {
    expect(
      readSettings({
        DATABASE_POOL: '25',
        DATABASE_PREPARE: 'false',
        DATABASE_TIMEOUT: '0',
        REDIS_SENTINELS: 's1:26380, 10.0.0.2,[::1]:7',
      }),
    ).toMatchObject({
      databasePool: 25,
      databasePrepare: false,
      databaseTimeout: 0,
      redisUrl: 'redis://mymaster',
      redisSentinels: [
        { host: 's1', port: 26_380 },
        { host: '10.0.0.2', port: 26_379 },
        { host: '::1', port: 7 },
      ],
    })
    expect(readSettings({ REDIS_URL: 'redis://me:secret@limits', REDIS_SENTINELS: 's1' }).redisUrl).toBe(
      'redis://me:secret@limits',
    )
    const empty = { DATABASE_POOL: '', DATABASE_PREPARE: ' ', DATABASE_TIMEOUT: '', REDIS_SENTINELS: '', WORKERS: '' }
    expect(readSettings(empty)).toEqual(readSettings({}))
  })

  it('allow several workers only with a database server', () => {
    const DATABASE_URL = 'postgres://db.example/x'
    expect(readSettings({ WORKERS: '3', DATABASE_URL }).workers).toBe(3)
    expect(readSettings({ WORKERS: 'auto', DATABASE_URL }).workers).toBe(availableParallelism())
    expect(readSettings({ WORKERS: '1' }).workers).toBe(1)
    expect(() => readSettings({ WORKERS: '2' })).toThrow(/^WORKERS is more than 1 without DATABASE_URL[^\n]*$/)
  })

  it.each(['mysql://me:secret@db.example/x', 'me:secret@db.example', 'postgres://me:secret@db.example:port/x'])(
    'report an invalid DATABASE_URL without its password: %s',
    (url) => {
      expect(() => readSettings({ DATABASE_URL: url })).toThrow(/^DATABASE_URL is not an address.*give[^\n]*$/)
      expect(() => readSettings({ DATABASE_URL: url })).not.toThrow(/secret/)
    },
  )

  it('keep white space in TOKEN_SECRET and PUBLIC_PASSWORD', () => {
    const secret = ' 32 bytes, blanks at both ends.. '
    expect(
      readSettings({
        RATE_LIMIT: '0',
        DRAIN: '0',
        REDIS_URL: 'redis://r.example:6379',
        TOKEN_SECRET: secret,
        PUBLIC_USER: 'ana',
        PUBLIC_PASSWORD: ' a:b ',
      }),
    ).toMatchObject({
      rateLimit: 0,
      drain: 0,
      redisUrl: 'redis://r.example:6379',
      tokenSecret: secret,
      publicUser: 'ana',
      publicPassword: ' a:b ',
    })
    expect(readSettings({ REDIS_URL: '', TOKEN_SECRET: '', PUBLIC_USER: '', PUBLIC_PASSWORD: '' })).toEqual(
      readSettings({}),
    )
  })

  it('report an invalid TOKEN_SECRET, REDIS_URL or PUBLIC_PASSWORD without its value', () => {
    expect(() => readSettings({ TOKEN_SECRET: 'hunter2' })).toThrow(
      /^TOKEN_SECRET is shorter than 32 bytes: give[^\n]*$/,
    )
    expect(() => readSettings({ TOKEN_SECRET: 'hunter2' })).not.toThrow(/hunter2/)
    expect(() => readSettings({ REDIS_URL: 'http://me:secret@r.example' })).toThrow(
      /^REDIS_URL is not an address of a Redis server: give[^\n]*$/,
    )
    expect(() => readSettings({ REDIS_URL: 'http://me:secret@r.example' })).not.toThrow(/secret/)
    expect(() => readSettings({ PUBLIC_PASSWORD: 'hunter2\t' })).toThrow(
      /^PUBLIC_PASSWORD has control characters[^\n]*give[^\n]*$/,
    )
    expect(() => readSettings({ PUBLIC_PASSWORD: 'hunter2\t' })).not.toThrow(/hunter2/)
  })

  it.each([
    ['PORT', 'abc'],
    ['WORKERS', '0'],
    ['WORKERS', 'many'],
    ['DATABASE_POOL', '0'],
    ['DATABASE_PREPARE', 'no'],
    ['DATABASE_TIMEOUT', '10s'],
    ['REDIS_SENTINELS', 'a:b'],
    ['REDIS_SENTINELS', 'redis://a:1'],
    ['REDIS_SENTINELS', 'a:1,'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['SEED_SIZE', '100001'],
    ['RATE_LIMIT', 'many'],
    ['PUBLIC_USER', 'ana:maria'],
    ['PUBLIC_USER', 'ana\u0000'],
    ['SEED_SIZE', '1.5'],
    ['SEED_SIZE', '1e3'],
    ['BASE_URL', 'api.example.com'],
    ['BASE_URL', '/private'],
    ['BASE_URL', 'https://api.example.com/?a=1'],
  ])('report an invalid value in one line: %s=%s', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingError)
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} is .*give.*$`))
  })
})
