/**
 * Constraints next to a format must not conflict with the canonical strings of the format (REP-4).
 * If they do, defineResource() throws.
 */
import express from 'express'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, ConfigurationError, defineResource, mount } from '../../src/index.js'
import { listen } from '../clauses/fixture.js'

const define = (valor: object, more: object = {}) =>
  defineResource<Record<string, unknown>>()({
    collection: 'cosas',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, valor }, ...more } as never,
  })
const text = (format: string, more: object) => ({ type: ['string', 'null'], format, ...more })

describe('constraints next to a format', () => {
  it.each([
    ['uuid', { pattern: '^[0-9A-F]{8}-' }, /pattern matches "6F9619FF-.*" and not "6f9619ff-/],
    ['uuid', { pattern: '^[0-9A-F]{8}-[0-9A-F]{4}-7' }, /pattern matches/],
    ['uuid', { pattern: '^urn:uuid:' }, /pattern matches "urn:uuid:/],
    ['uuid', { maxLength: 32 }, /maxLength of 32 excludes .* at least 36 characters/],
    ['uuid', { minLength: 45 }, /minLength of 45 excludes .* at most 36 characters/],
    ['date-time', { pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$` }, /and not "2026-01-31T09:30:00.000Z"/],
    ['date-time', { pattern: '[+]02:00$|[+]01:00$' }, /pattern matches "2026-01-31T10:30:00\+01:00"/],
    ['date-time', { maxLength: 20 }, /maxLength of 20/],
    ['local-date-time', { pattern: String.raw`:\d\d$` }, /pattern matches "2026-01-31T09:30:00"/],
    ['decimal', { pattern: String.raw`^-?\d+\.\d{2}$` }, /pattern matches "1.50" and not "1.5"/],
    ['int64', { pattern: String.raw`^\d{10}$` }, /pattern matches "0000000005" and not "5"/],
    ['duration', { pattern: String.raw`^P\d+W$` }, /pattern matches "P1W" and not "P7D"/],
    [
      'decimal',
      { enum: ['1', 'uno'] },
      /but "uno" in its enum, const or default does not have this format\. Use a decimal number/,
    ],
    ['uuid', { const: 'x' }, /but "x" in its enum/],
    ['date-time', { default: 'now' }, /but "now" in its enum, const or default does not have this format/],
  ])('REP-4: %s with %j is refused by defineResource', (format, more, says) => {
    expect(() => define(text(format, more))).toThrow(says)
    expect(() => define(text(format, more))).toThrow(ConfigurationError)
    expect(() =>
      define({ type: 'object', properties: { dentro: { type: 'array', items: text(format, more) } } }),
    ).toThrow(/^"valor\.dentro\.\*" of "cosas"/)
    expect(() => define({ $ref: '#/$defs/uno' }, { $defs: { uno: text(format, more) } })).toThrow(says)
  })

  it.each([
    ['uuid', { pattern: '^[0-9a-fA-F-]{36}$', minLength: 36, maxLength: 36 }],
    ['uuid', { pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-4' }],
    ['uuid', { pattern: '^00000000-' }],
    ['date-time', { pattern: String.raw`^\d{4}-\d\d-\d\dT.*Z$`, maxLength: 30 }],
    ['decimal', { pattern: String.raw`^\d+(\.\d{1,2})?$`, minLength: 1, maxLength: 3 }],
    ['int64', { pattern: '^[1-9]' }],
    ['decimal', { enum: ['1.50', '2'], default: '1.5' }],
  ])('REP-4: %s with %j is allowed', (format, more) => {
    expect(() => define(text(format, more))).not.toThrow()
  })

  it('REP-4: an enum accepts other spellings of its values, and GET returns the spelling in the schema', async () => {
    const cosas = define({ type: 'string', format: 'decimal', enum: ['1.50', '2'], default: '1.500' })
    const { send, close } = await listen(express().use(api({ versions: { v1: [mount(cosas, memoryAdapter(cosas))] } })))
    try {
      expect((await send('POST', '/v1/cosas', {}, { id: 1 })).status).toBe(201)
      expect((await send('POST', '/v1/cosas', {}, { id: 2, valor: '1.5' })).status).toBe(201)
      for (const id of [1, 2]) expect((await send('GET', `/v1/cosas/${id}`)).json).toEqual({ id, valor: '1.50' })
      expect((await send('POST', '/v1/cosas', {}, { id: 3, valor: '1.51' })).status).toBe(422)
    } finally {
      await close()
    }
  })
})
