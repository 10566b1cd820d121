/** The header field that names the file of an export (RFC 6266). */
import { invalidOption } from '../definition/known-options.js'

/**
 * The value of `Content-Disposition` for a file name, or `undefined` for none. A name beyond ASCII
 * stands in `filename*` (RFC 8187). Throws `ConfigurationError` for a name with a path or a control.
 */
export function dispositionOf(what: string, fileName: unknown): string | undefined {
  if (fileName === undefined) return undefined
  if (typeof fileName !== 'string' || fileName === '' || /[\p{Cc}\p{Cs}/\\]/u.test(fileName)) {
    throw invalidOption(`fileName of ${what} is ${JSON.stringify(fileName)}. Give the name of a file, without a folder.`)
  }
  if (/^[\x20-\x7e]*$/.test(fileName)) return `attachment; filename="${fileName.replace(/["\\]/g, '\\$&')}"`
  const encoded = encodeURIComponent(fileName).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${fileName.replace(/[^\x20-\x7e]|["%]/g, '_')}"; filename*=UTF-8''${encoded}`
}
