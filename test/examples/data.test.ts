import { describe, expect, it } from 'vitest'
import { generate } from '../../examples/pre-piezas/data/generator.js'
import { clientes } from '../../examples/pre-piezas/resources/clientes.js'
import { codigosPostales } from '../../examples/pre-piezas/resources/codigos-postales.js'
import { componentes } from '../../examples/pre-piezas/resources/componentes.js'
import { contratos } from '../../examples/pre-piezas/resources/contratos.js'
import { prePiezas } from '../../examples/pre-piezas/resources/pre-piezas.js'
import { sucursales } from '../../examples/pre-piezas/resources/sucursales.js'
import type { ResourceDefinition } from '../../src/index.js'
import { compileResource } from '../../src/plan/resource-plan.js'
import { valuesAt } from './wire.js'

const data = generate(1000)
const tables: readonly [ResourceDefinition, readonly unknown[]][] = [
  [prePiezas as ResourceDefinition, data.prePiezas],
  [componentes as ResourceDefinition, data.componentes],
  [contratos as ResourceDefinition, data.contratos],
  [clientes as ResourceDefinition, data.clientes],
  [codigosPostales as ResourceDefinition, data.codigosPostales],
  [sucursales as ResourceDefinition, data.sucursales],
]

describe('the generated data', () => {
  it('is the same for the same size, and has the expected numbers of records', () => {
    expect(generate(1000)).toEqual(data)
    expect(data.prePiezas).toHaveLength(1000)
    expect(data.contratos).toHaveLength(50)
    expect(data.clientes).toHaveLength(20)
    const none = generate(0)
    expect([none.prePiezas.length, none.componentes.length, none.contratos.length, none.clientes.length]).toEqual([
      0, 0, 5, 3,
    ])
    expect(data.codigosPostales.length).toBeGreaterThanOrEqual(40)
    expect(data.sucursales).toHaveLength(10)
  })

  it.each(tables.map(([definition, records]) => [definition.collection, definition, records] as const))(
    'matches the schema of %s, and each record has its own key',
    (_, definition, records) => {
      const { validate, key } = compileResource(definition)
      expect(records.flatMap((record) => validate(record))).toEqual([])
      const ids = records.map((record) => {
        const found = key.of(record)
        return found === undefined ? undefined : key.text(found)
      })
      expect(ids).not.toContain(undefined)
      expect(new Set(ids).size).toBe(records.length)
    },
  )

  it('refers only to existing records', () => {
    const unknownIn = (values: readonly unknown[], known: readonly unknown[]) =>
      values.filter((value) => value !== null && !known.includes(value))
    expect(
      unknownIn(valuesAt(data.prePiezas, 'contratoId'), valuesAt(data.contratos, 'codigoDeContratoInterno')),
    ).toEqual([])
    expect(unknownIn(valuesAt(data.prePiezas, 'cpDestinoId'), valuesAt(data.codigosPostales, 'codigo'))).toEqual([])
    expect(unknownIn(valuesAt(data.contratos, 'clienteId'), valuesAt(data.clientes, 'id'))).toEqual([])
    expect(unknownIn(valuesAt(data.componentes, 'numeroDeCabecera'), valuesAt(data.prePiezas, 'numero'))).toEqual([])
  })

  const party = ['apellido', 'documento', 'nombre', 'nombreCompleto', 'email', 'tipoDocumento']
  it.each([
    ...['destinatario', 'remitente'].flatMap((who) =>
      party.map((member) => [`${who}.${member}`, data.prePiezas] as const),
    ),
    ...['href', 'idLocalidad', 'idPais', 'idProvincia', 'iditg'].map(
      (member) => [`direccionPostal.${member}`, data.contratos] as const,
    ),
    ['clienteId', data.contratos] as const,
    ['email', data.clientes] as const,
  ])('has %s both with and without a value', (path, records) => {
    const values = valuesAt(records, path)
    expect(values.filter((value) => value === null).length).toBeGreaterThan(0)
    expect(values.filter((value) => value !== null && value !== undefined).length).toBeGreaterThan(0)
  })

  it.each(['cicloDeDistribucion', 'cicloDeReenvio', 'cicloDeRendicionParaEntrega', 'cicloDeRendicionParaNoEntrega'])(
    'has %s.permiteEntregaEnMostrador as true, false and null, even with few contracts',
    (ciclo) => {
      expect(new Set(valuesAt(generate(0).contratos, `${ciclo}.permiteEntregaEnMostrador`))).toEqual(
        new Set([true, false, null]),
      )
    },
  )

  it('has edge cases, such as contract keys with odd characters and persons with two telephones', () => {
    const keys = valuesAt(data.contratos, 'codigoDeContratoInterno')
    for (const odd of ['C-0001/ñ', '50% desc,uento=1']) expect(keys).toContain(odd)
    const moments = data.prePiezas.map((piece) => piece.fechaDeEntrada)
    expect(moments.filter((moment) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}$/.test(moment))).toEqual([])
    expect(moments.some((moment) => moment.endsWith('.9999999'))).toBe(true)
    const telephones = new Set(data.prePiezas.map((piece) => piece.destinatario.telefonos?.length))
    expect([...telephones].sort()).toEqual([0, 1, 2])
    expect(data.prePiezas.some((piece) => !Number.isInteger(piece.valorDeclarado))).toBe(true)
    expect(JSON.stringify(data)).toMatch(/\p{Emoji_Presentation}/u)
  })
})
