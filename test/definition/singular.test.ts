import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkName } from '../../src/definition/naming.js'
import { singularOf } from '../../src/definition/singular.js'

const pairs = (text: string): string[][] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('>'))

describe('singularOf', () => {
  it.each(
    pairs(`
      pre-piezas>pre-pieza contratos>contrato sucursales>sucursal codigos-postales>codigo-postal componentes>componente
      ordenes-de-compra>orden-de-compra camiones>camion ciudades>ciudad paises>pais voces>voz mujeres>mujer perfiles>perfil
      solicitudes>solicitud hojas-de-ruta>hoja-de-ruta categorías>categoría especies>especie codigosPostales>codigoPostal`),
  )('HDR-1: the singular of the Spanish %s is %s', (plural, singular) => {
    expect(singularOf(plural as string)).toBe(singular)
  })

  it.each(
    pairs(`
      invoices>invoice customer-invoices>customer-invoice addresses>address boxes>box policies>policy people>person children>child
      statuses>status buses>bus roles>role files>file images>image stores>store accounts-payable>account-payable CBUs>CBU
      SearchResults>SearchResult`),
  )('HDR-1: the singular of the English %s is %s', (plural, singular) => {
    expect(singularOf(plural as string)).toBe(singular)
  })

  it('HDR-1: a name without a different singular is unchanged', () => {
    for (const name of ['data', 'aircraft', 'series', 'analisis', 'campus', '客户', '2024'])
      expect(singularOf(name)).toBe(name)
  })

  it('HDR-1: the singular of a valid name is not empty', () => {
    const isValid = (name: string) => {
      try {
        checkName(name)
        return true
      } catch {
        return false
      }
    }
    const names = fc.string({ unit: fc.constantFrom(...'aeiosSzñó客2-_'), minLength: 1 }).filter(isValid)
    fc.assert(fc.property(names, (name) => singularOf(name) !== ''))
  })
})
