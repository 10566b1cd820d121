import { describe, expect, it } from 'vitest'
import { compareContracts, DocumentError, openapi, upgradeGuide } from '../../src/openapi/index.js'
import { build, data } from '../clauses/fixture.js'
import { document } from './documents.js'

const service = build(data())
const [v1, v8] = [openapi(service, 'v1'), openapi(service, 'v8')]

describe('upgradeGuide()', () => {
  const guide = upgradeGuide(v1, v8)

  it('lists changes in requests, changes in responses, and additions, member by member', () => {
    expect(guide).toMatch(/^# From v1 to v8\n\nCall `\/v8` in place of `\/v1`\./)
    const [, contratos = ''] = guide.split('\n## contratos\n')
    const [own = ''] = contratos.split('\n## ')
    const part = (heading: string) => own.split(`### ${heading}\n`)[1]?.split('\n###')[0] ?? ''
    expect(part('Changes in requests')).toContain(
      '- `nombre` was removed (`POST /contratos`, `PUT /contratos/{codigo}`, `PATCH /contratos/{codigo}`): clients ' +
        'that send it get 422, or the value is ignored. `descripcion` is new and has the same type: the ' +
        'member may have been renamed.',
    )
    expect(part('Changes in requests')).toContain(
      '- `descripcion` is new and required (`POST /contratos`, `PUT /contratos/{codigo}`): clients that leave it ' +
        'out get 422.',
    )
    expect(part('Changes in requests')).toContain(
      '- The filter "nombre" of contratos was removed: clients that send it get 400.',
    )
    expect(part('Changes in responses')).toMatch(
      /- `nombre` was removed \(`GET \/contratos`.*: clients that read it no longer find it\. `descripcion` is new and has the same type/,
    )
    expect(part('New')).toContain('- `/contratos/{codigo}/activo`: GET, PUT, DELETE.')
    expect(part('New')).toContain('`cliente` is new')
    expect(guide.indexOf('## contratos')).toBeLessThan(guide.indexOf('## clientes'))
  })

  it('omits changes that do not matter to clients', () => {
    expect(guide).not.toMatch(/HEAD|OPTIONS|no longer deprecated|header "?Sunset|other operation|--accept|\bv1: /)
  })

  it('names the member, filter or path of each breaking change, except in header fields and in the base path', () => {
    for (const { place, path, kind, breaking } of compareContracts(v1, v8)) {
      if (!breaking || kind === 'base-path-changed' || place.includes('header')) continue
      const name = /([^ .[\]"]+)"?$/.exec(place)?.[1] ?? ''
      expect(guide, `${kind} ${path} ${place}`).toContain(kind === 'path-removed' ? path : name)
    }
  })

  it('says so if there are no breaking changes, lists removed paths, and checks its arguments', () => {
    expect(upgradeGuide(v1, { ...v1, info: { ...v1.info, version: 'v2' } })).toContain(
      'v2 has no breaking changes for clients of v1.',
    )
    expect(upgradeGuide(v8, v1)).toContain('### Removed')
    expect(upgradeGuide(v8, v1, { from: 'old', to: 'young' })).toMatch(/^# From old to young/)
    expect(() => upgradeGuide({}, v1)).toThrow(DocumentError)
    expect(() => upgradeGuide(v1, v8, { form: 'v1' } as never)).toThrow(/Did you mean "from"/)
  })

  it.each([
    ['requests', 'request', { contentType: 'image/png' }, 'The part "file" of the body of POST /things is no longer'],
    ['responses', 'answer', { contentType: 'image/png' }, 'The part "file" of the 200 response of POST /things is no'],
    ['requests', 'request', { style: 'spaceDelimited' }, 'The part "file" of the body of POST /things is serialized'],
    ['responses', 'answer', { style: 'spaceDelimited' }, 'The part "file" of the 200 response of POST /things is ser'],
  ])(
    'lists changes of the parts of a form under the heading "Changes in %s" (%s, %j)',
    (heading, side, after, text) => {
      const form = (encoding: object) => ({
        content: {
          'multipart/form-data': {
            schema: { type: 'object', properties: { file: { type: 'array', items: { type: 'string' } } } },
            encoding: { file: encoding },
          },
        },
      })
      const things = (encoding: object) =>
        document({
          '/things': {
            post: {
              ...(side === 'request' ? { requestBody: form(encoding) } : {}),
              responses: { 200: { description: 'It.', ...(side === 'request' ? {} : form(encoding)) } },
            },
          },
        })
      const before = 'contentType' in after ? { contentType: 'image/png, image/jpeg' } : { style: 'form' }
      const guide = upgradeGuide(things(before), things(after))
      const [, section = ''] = guide.split(`### Changes in ${heading}`)
      expect(section.split('###')[0]).toContain(text)
    },
  )

  it('names the path of a version only if info.version looks like v1', () => {
    const unnamed = (title: string) => ({ openapi: '3.1.0', info: { title }, paths: {} })
    expect(upgradeGuide(unnamed('a'), unnamed('b'))).toContain('Call the new version in place of the old version. The')
    const numbered = (version: string) => ({ openapi: '3.1.0', info: { title: 'a', version }, paths: {} })
    expect(upgradeGuide(numbered('1.4.0'), numbered('2.0.0'))).toContain('Call 2.0.0 in place of 1.4.0. The')
  })

  it('escapes names and values that look like Markdown or HTML', () => {
    const tagged = (properties: object, tag: string) => ({
      openapi: '3.1.0',
      info: { title: 'x', version: tag },
      paths: {
        '/a': {
          get: {
            tags: ['<b>t</b>\n# head'],
            responses: {
              200: { description: '', content: { 'application/json': { schema: { type: 'object', properties } } } },
            },
          },
        },
      },
    })
    const text = upgradeGuide(
      tagged(
        { '`<img src=x>`\n# x': { type: 'string' }, b: { type: 'string', enum: ['[a](javascript:x)', '\ud800'] } },
        'v1',
      ),
      tagged({ b: { type: 'string', enum: ['<script>', '\n- item', '\ud800'] } }, 'v2'),
    )
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# From v1 to v2',
      '## \\<b\\>t\\</b\\> \\# head',
      expect.stringMatching(/^### /),
    ])
    expect(text).toContain('`` `<img src=x>` # x ``')
    expect(text).not.toMatch(/\p{Surrogate}/u)
    expect(text).not.toMatch(/^- item/m)
  })
})
