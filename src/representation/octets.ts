/**
 * The UTF-8 bytes of a text, as a string with one character per byte. It is used for texts that are
 * encoded once and sent repeatedly. Node concatenates such a string with the response head and
 * writes both together. Encoding 15 kB again for each response would take 20 us (Node 20), and a
 * buffer would need a separate write.
 */
export class Octets {
  /** A string whose characters are all in the range up to U+00FF. */
  readonly bytes: string

  constructor(bytes: string) {
    this.bytes = bytes
  }
}

/** Returns the UTF-8 bytes of a text, as a string with one character per byte. */
export function bytesOf(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}

export const bufferOf = ({ bytes }: Octets): Buffer => Buffer.from(bytes, 'latin1')
