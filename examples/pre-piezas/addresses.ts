/** Paths for hand-written code, spelled as in the library's links. */

/** The path segment for an id: percent-encoded, except for `,` and `=`. */
export function segment(id: string | number): string {
  return encodeURIComponent(id).replaceAll('%2C', ',').replaceAll('%3D', '=')
}
