import type { JsonLimits, JsonResult } from '../../http/json-text.js'
import type { Form } from '../../plan/form.js'
export function readXml(
  bytes: Uint8Array | string,
  charset: string | undefined,
  form: Form,
  limits: JsonLimits,
): JsonResult | { unsupportedCharset: string } {
  return { malformed: `${bytes} ${charset} ${form} ${limits}` }
}
