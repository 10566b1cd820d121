/** Addresses in hand-written code, in the same spelling as in the library's links. */

/** The path segment of an id: percent-encoded, except for `,` and `=`. */
export function segment(id: string | number): string {
  return encodeURIComponent(id).replaceAll('%2C', ',').replaceAll('%3D', '=')
}
