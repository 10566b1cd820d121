/** Writes XML with the builder of `fast-xml-parser`, as many services do. */
import { XMLBuilder } from 'fast-xml-parser'
import type { WirePieza } from './representation.js'

const builder = new XMLBuilder({ ignoreAttributes: false, suppressEmptyNode: false })

export function pageXml(pieces: readonly WirePieza[]): string {
  const members = pieces.map((piece) => ({
    ...piece,
    destinatario: { ...piece.destinatario, telefonos: { item: piece.destinatario.telefonos } },
  }))
  return `<?xml version="1.0" encoding="UTF-8"?>${builder.build({ 'pre-piezas': { 'pre-pieza': members } })}`
}
