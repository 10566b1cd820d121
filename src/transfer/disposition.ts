/** The header field `Content-Disposition`, with the file name of an export (RFC 6266). */

import type { TextKind } from '../options/kinds.js'

/** A file name without path separators, control characters or lone surrogates. */
export const fileNameKind: TextKind = { a: 'the name of a file, without a folder', like: /^[^\p{Cc}\p{Cs}/\\]+$/u }

/**
 * The value of `Content-Disposition` for a file name; `undefined` if there is no file name. For a
 * name that is not ASCII, the value contains `filename*` (RFC 8187).
 */
export function dispositionOf(fileName: string | undefined): string | undefined {
  if (fileName === undefined) return undefined
  if (/^[\x20-\x7e]*$/.test(fileName)) return `attachment; filename="${fileName.replace(/["\\]/g, '\\$&')}"`
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${fileName.replace(/[^\x20-\x7e]|["%]/g, '_')}"; filename*=UTF-8''${encoded}`
}
