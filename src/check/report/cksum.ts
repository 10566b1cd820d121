/**
 * Computes the checksum that the POSIX command `cksum` prints. The shell scripts that reproduce
 * violations compare response bodies by this checksum.
 */

const table = Uint32Array.from({ length: 256 }, (_, at) => {
  let value = at << 24
  for (let bit = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value >>> 0
})

const step = (sum: number, byte: number): number => ((sum << 8) ^ (table[((sum >>> 24) ^ byte) & 0xff] as number)) >>> 0

/**
 * The checksum of a string in UTF-8, and the length of the string in bytes, such as `930766865 9`.
 */
export function cksum(text: string): string {
  const bytes = Buffer.from(text)
  let sum = bytes.reduce(step, 0)
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) sum = step(sum, length & 0xff)
  return `${~sum >>> 0} ${bytes.length}`
}
