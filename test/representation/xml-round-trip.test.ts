/**
 * Values are written as XML and read back with a form. A form describes the JSON types of the
 * members. XML itself does not distinguish these types.
 */
import fc from 'fast-check'
import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { parseXml } from '../../src/http/xml-tree.js'
import { openForm } from '../../src/plan/form.js'
import { readXml } from '../../src/representation/xml-reader.js'
import { writeXml } from '../../src/representation/xml-writer.js'
import { anyJson, asJson, formedValue } from './xml-values.js'

const limits = { depth: 1_000 }
const runs = { numRuns: 1_000 }

describe('writing XML and reading it back', () => {
  it('HDR-5: a JSON value that is written and read with the same form stays the same', () => {
    fc.assert(
      fc.property(
        formedValue,
        fc.constantFrom(undefined, 'pre-pieza'),
        fc.constantFrom(undefined, 'i'),
        ({ value, form }, item, nestedItem) => {
          const names = { ...(item === undefined ? {} : { item }), ...(nestedItem === undefined ? {} : { nestedItem }) }
          const document = writeXml(value, { root: 'pre-piezas', form, ...names })
          const read = { value: asJson(value) }
          expect(readXml(document, undefined, form, limits)).toEqual(read)
          expect(readXml(Buffer.from(document), undefined, form, limits)).toEqual(read)
        },
      ),
      runs,
    )
  })

  it('HDR-5: a document that was written without a form is read correctly with any form', () => {
    fc.assert(
      fc.property(anyJson, formedValue, (value, { form }) => {
        const document = writeXml(value, { root: 'r', form: openForm, namespace: 'urn:example:a&b' })
        // Every element names its type, so the form cannot change the result.
        expect(readXml(document, undefined, form, limits)).toEqual({ value: asJson(value) })
      }),
      runs,
    )
  })

  it('HDR-5: members keep their order', () => {
    const value = { zeta: 1, alpha: { y: 1, x: 2 }, '': 3, member: 4, 'a:b': 5 }
    const read = readXml(writeXml(value, { root: 'r', form: openForm }), undefined, openForm, limits)
    expect(JSON.stringify(read)).toBe(JSON.stringify({ value }))
  })

  it('HDR-1: every written document is well-formed', () => {
    fc.assert(
      fc.property(formedValue, ({ value, form }) => {
        const document = writeXml(value, { root: 'r', form })
        expect(parseXml(document, { depth: 1_000 })).toHaveProperty('root')
        expect(XMLValidator.validate(document)).toBe(true)
      }),
      runs,
    )
  })
})

const whole = {
  preserveOrder: true,
  ignoreAttributes: false,
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  // Without this option, fast-xml-parser would rename members such as `toString`, which
  // Object.prototype has too.
  onDangerousProperty: (name: string) => name,
}

describe('compared with fast-xml-parser', () => {
  /**
   * Removes two differences in notation between documents: writes `<a/>` as `<a></a>`, and `&apos;`
   * as an apostrophe.
   */
  const normal = (document: string): string =>
    document.replace(/<([^\s<>/?]+)((?:\s[^<>]*?)?)\/>/g, '<$1$2></$1>').replaceAll('&apos;', "'")

  it('HDR-1: a document stays the same if fast-xml-parser reads it and writes it again', () => {
    const parser = new XMLParser(whole)
    const builder = new XMLBuilder({ ...whole, suppressEmptyNode: true })
    fc.assert(
      fc.property(formedValue, ({ value, form }) => {
        const document = writeXml(value, { root: 'r', form })
        // fast-xml-parser refuses these names.
        fc.pre(!/<(constructor|prototype)[ >]/.test(document))
        expect(normal(builder.build(parser.parse(document)) as string)).toBe(normal(document))
      }),
      runs,
    )
  })

  it('HDR-1: fast-xml-parser reads the members and strings of a record unchanged', () => {
    const record = { numero: 7, lote: 'A & B <c>', vacio: '', direccion: { calle: 'Perú', altura: '1' } }
    const parsed = new XMLParser({ parseTagValue: false }).parse(writeXml(record, { root: 'pieza', form: openForm }))
    expect(parsed.pieza).toEqual({
      numero: '7',
      lote: 'A & B <c>',
      vacio: '',
      direccion: { calle: 'Perú', altura: '1' },
    })
  })

  it('HDR-5: a document that fast-xml-parser writes is read according to the form', () => {
    const built = new XMLBuilder({}).build({
      pieza: { numero: 7, lote: 'A & B', urgente: true, componentes: { componente: [{ a: 1 }, { a: 2 }] } },
    })
    const schema = { a: { kind: 'number' } } as const
    expect(built).toContain('<componente>')
    const scalar = (kind: 'number' | 'string' | 'boolean') => ({ ...openForm, kind })
    const item = { ...openForm, kind: 'object' as const, member: () => scalar(schema.a.kind) }
    const form = {
      ...openForm,
      member: (name: string) =>
        name === 'numero'
          ? scalar('number')
          : name === 'urgente'
            ? scalar('boolean')
            : name === 'lote'
              ? scalar('string')
              : { ...openForm, kind: 'array' as const, item: () => item },
    }
    expect(readXml(built as string, undefined, form, limits)).toEqual({
      value: { numero: 7, lote: 'A & B', urgente: true, componentes: [{ a: 1 }, { a: 2 }] },
    })
  })
})
