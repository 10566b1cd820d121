/** The common layout of pictures: panels in two columns under a heading. */

/** The width of one column. */
export const width = 440
export const margin = 16

/** A part of a picture. Its coordinates start at its own top left corner. */
export interface Panel {
  readonly height: number
  readonly body: string
}

/** Returns a complete SVG. Its background is white, so that it is readable on any page. */
export function pictureOf(heading: string, panels: readonly Panel[]): string {
  const top = margin + 30
  const heights: [number, number] = [top, top]
  const parts = panels.map(({ height, body }) => {
    const column = heights[0] <= heights[1] ? 0 : 1
    const y = heights[column]
    heights[column] += height
    return `<g transform="translate(${margin + column * (width + margin)} ${y})">\n${body}\n</g>`
  })
  const size = { width: 2 * width + 3 * margin, height: Math.max(...heights) + margin }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" ` +
      `height="${size.height}" font-family="system-ui, sans-serif" font-size="12" role="img" ` +
      `aria-label="${escaped(heading)}">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text(margin, margin + 12, heading, `font-size="13" font-weight="600"`),
    ...parts,
    '</svg>\n',
  ].join('\n')
}

/** Returns an SVG text element. */
export const text = (x: number, y: number, content: string, rest: string): string =>
  `<text x="${x}" y="${y}" ${rest}>${escaped(content)}</text>`

/** Escapes a string for SVG. */
const escaped = (content: string): string => content.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)
