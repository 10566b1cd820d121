import { fullFormats } from 'ajv-formats/dist/formats.js'
import { describe, expect, it } from 'vitest'
import { formatTest } from '../../src/plan/formats.js'
import { compileValidator } from '../../src/plan/validator.js'
import { cpuTime } from '../cpu-time.js'

describe('ERR-2: the format "url"', () => {
  const isUrl = formatTest('url') as (text: string) => boolean
  const ofPlugin = (text: string): boolean => (fullFormats.url as RegExp).test(text)

  it.each([
    'http://foo.com/blah_blah',
    'HTTPS://www.example.com/wpstyle/?p=364#top',
    'http://✪df.ws/123',
    'http://userid:password@example.com:8080/',
    'http://a:b:c@d@example.com',
    "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
    'http://142.42.1.1:8080/',
    'http://a.b-c.de',
    'ftp://foo.bar/baz',
    'http://مثال.إختبار',
    'http://a.co/x@y',
  ])('accepts %s, as ajv-formats does', (text) => {
    expect([isUrl(text), ofPlugin(text)]).toEqual([true, true])
  })

  it.each([
    '',
    'http://',
    'http://foo.bar?q=Spaces should be encoded',
    'http://a.co/ b@c.co',
    'http://a.co/b\n',
    'http://@example.com',
    'http://:@',
    'rdar://1234',
    ':// should fail',
    'http://-error-.invalid/',
    'http://a.b--c.de/',
    'http://3628126748',
    'http://.www.foo.bar./',
    'http://10.1.1.1',
    'http://127.0.0.1/',
    'http://a.co:8',
    'mailto:a@b.co',
  ])('refuses %j, as ajv-formats does', (text) => {
    expect([isUrl(text), ofPlugin(text)]).toEqual([false, false])
  })

  it('is checked in linear time', () => {
    const validate = compileValidator(
      'piezas',
      { type: 'object', properties: { a: { type: 'string', format: 'url' } } },
      new Set(),
    )
    const texts = [':@'.repeat(60_000), `${'a@b.co/'.repeat(60_000)} `, `${'a.'.repeat(60_000)}!`, 'a-'.repeat(60_000)]
    const start = cpuTime()
    for (const text of texts) expect(validate({ a: `http://${text}` })).toHaveLength(1)
    expect(cpuTime() - start).toBeLessThan(1_000)
  })
})
