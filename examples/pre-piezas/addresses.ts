/** Encodes ids in paths for hand-written code, as the library encodes them in links. */

/** The path segment for an id: percent-encoded, except for `,` and `=`. */
export function segment(id: string | number): string {
  return encodeURIComponent(id).replaceAll('%2C', ',').replaceAll('%3D', '=')
}
