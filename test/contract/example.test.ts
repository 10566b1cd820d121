import { beforeAll, describe, expect, it } from 'vitest'
import { compareContracts } from '../../src/contract/compare.js'
import { compareServices, type Documents } from '../../src/contract/compare-services.js'
import { isObject } from '../../src/definition/json.js'
import { documentsOf } from '../../src/openapi/documents.js'
import { openapi } from '../../src/openapi/index.js'
import { describedApis } from '../openapi/example.js'

let documents: Documents
let v1: Record<string, unknown>

beforeAll(async () => {
  const [[, api] = []] = await describedApis()
  documents = documentsOf(api ?? {})
  v1 = JSON.parse(JSON.stringify(documents.get('v1')))
})

/** A copy of the document of v1. `edit` changes one of its component schemas. */
function edited(
  name: string,
  edit: (properties: Record<string, unknown>, schema: Record<string, unknown>) => void,
): unknown {
  const copy = JSON.parse(JSON.stringify(v1))
  const schema = copy.components.schemas[name]
  edit(schema.properties, schema)
  return copy
}

describe('the documents of the example', () => {
  it('are those of the served versions, and contain their sunsets (VER-2, VER-3)', () => {
    expect([...documents.keys()]).toEqual(['v8', 'v1'])
    expect(documents.get('v1')).toHaveProperty('x-sunset', '2027-12-31T00:00:00.000Z')
    expect(documents.get('v8')).not.toHaveProperty('x-sunset')
  })

  it('may lose v1 after its sunset, but not before', () => {
    const left: Documents = new Map([...documents].filter(([version]) => version === 'v8'))
    const kinds = (now: string) => compareServices(documents, left, new Date(now)).map(({ kind }) => kind)
    expect(kinds('2027-12-30')).toEqual(['version-retired'])
    expect(kinds('2027-12-31')).toEqual(['version-retired-after-sunset'])
  })

  it('include the document of the public API, whose OpenAPI 3.0 and 3.1 forms describe the same contract', async () => {
    const [, , [, api, version] = []] = await describedApis()
    const [one, other] = [openapi(api ?? {}, version ?? ''), openapi(api ?? {}, version ?? '', { openapi: '3.0.3' })]
    expect(compareContracts(one, other)).toEqual([])
    expect(compareContracts(other, one)).toEqual([])
  })

  it('have a breaking change if a member of a response is removed, but not if one is added', () => {
    const components = isObject(v1.components) && isObject(v1.components.schemas) ? v1.components.schemas : {}
    for (const name of ['PrePieza', 'Contrato', 'CodigoPostal']) {
      const schema = components[name]
      const properties = isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : []
      expect(properties.length, name).toBeGreaterThan(2)
      // Tests only every fourth member, because testing all of them would take long.
      for (const member of properties.filter((_, index) => index % 4 === 0)) {
        const without = edited(name, (members, owner) => {
          delete members[member]
          owner.required = Array.isArray(owner.required) ? owner.required.filter((one) => one !== member) : []
        })
        const gone = compareContracts(v1, without).filter(
          ({ breaking, kind }) => breaking && kind === 'response-member-removed',
        )
        expect(
          gone.map(({ pointer }) => pointer),
          `${name}.${member}`,
        ).toContain(`#/components/schemas/${name}/properties/${member}`)
      }
      const more = edited(name, (members) => {
        members.fresh = { type: 'string' }
      })
      expect(compareContracts(v1, more).filter(({ breaking }) => breaking)).toEqual([])
    }
  })
})
