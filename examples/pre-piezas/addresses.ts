/** The addresses that hand-written code gives out, spelled as the library spells them in links. */

/** The path segment of an id: percent-encoded, `,` and `=` left readable. */
export function segment(id: string | number): string {
  return encodeURIComponent(id).replaceAll('%2C', ',').replaceAll('%3D', '=')
}
