import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { exampleRecords } from '../../src/mock/example-records.js'
import { addFormats } from '../../src/plan/formats.js'
import { size } from '../size.js'
import { patterns, recordSchema } from './schemas.js'

const define = defineResource<Record<string, unknown>>()
const resource = (schema: JsonSchema) => define({ collection: 'orders', key: 'id', schema } as never)

/** The violations in records that Ajv finds with the string formats of this library. */
function faultsOf(schema: JsonSchema, records: readonly unknown[]): unknown[] {
  const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true })
  addFormats(ajv)
  const validate = ajv.compile(schema)
  return records.flatMap((record) => (validate(record) ? [] : [{ record, errors: validate.errors }]))
}

describe('example records', () => {
  it(
    'match random schemas that can be satisfied, and are the same for the same seed',
    async () => {
      await fc.assert(
        fc.asyncProperty(recordSchema, fc.nat(1000), async (schema, seed) => {
          const records = await exampleRecords(resource(schema), { count: 6, seed })
          expect(records).toHaveLength(6)
          expect(new Set(records.map((record) => record.id)).size).toBe(6)
          expect(faultsOf(schema, records)).toEqual([])
          expect(await exampleRecords(resource(structuredClone(schema)), { count: 6, seed })).toEqual(records)
        }),
        { numRuns: size(20, 400), endOnFailure: true },
      )
    },
    size(90_000, 600_000),
  )

  it.each(patterns)('match the pattern %s', async (pattern) => {
    const schema = {
      type: 'object',
      required: ['id', 'text'],
      properties: { id: { type: 'integer' }, text: { type: 'string', pattern } },
    }
    const records = await exampleRecords(resource(schema), { count: 4 })
    for (const record of records) expect(record.text).toMatch(new RegExp(pattern, 'u'))
  })
})
