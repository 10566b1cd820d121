/** Media types that a service accepted before it adopted the conventions (HDR-5). */
import { header } from '../wire.js'
import type { Legacy } from './modes.js'

/**
 * Returns true if a body of this media type is read as JSON. In that case, also reports a finding
 * (except in the mode `off`). `type` is empty for a body without `Content-Type`.
 */
export function takesType(legacy: Legacy<'HDR-5'> | undefined, type: string): boolean {
  const ranges = legacy?.settings.types ?? []
  const takes = ranges.some((range) => isWithin(range.toLowerCase(), type))
  if (takes) legacy?.found(header.contentType)
  return takes
}

const isWithin = (range: string, type: string): boolean =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
