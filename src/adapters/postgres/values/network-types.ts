/** The PostgreSQL types that hold network addresses and bytes. */
import { isIP } from 'node:net'
import type { ColumnType } from './column-type.js'
import { valueTexts } from './value-texts.js'

/** Matches an address with an optional mask. Without a mask, the address is a single host. */
const address = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i

/** The spelling in which PostgreSQL outputs an address. PostgreSQL also accepts other spellings. */
function canonicalAddress(text: string): string | undefined {
  const found = address.exec(text)
  const version = isIP(found?.[1] ?? '')
  if (found === null || version === 0) return undefined
  const max = version === 4 ? 32 : 128
  const [, host = '', mask = String(max)] = found
  if (Number(mask) > max) return undefined
  return `${canonicalHost(host.toLowerCase(), version)}${Number(mask) === max ? '' : `/${Number(mask)}`}`
}

/**
 * The host as PostgreSQL outputs it. An IPv6 address is written according to RFC 5952. An IPv4
 * address inside an IPv6 address is written in dotted form.
 */
function canonicalHost(host: string, version: number): string {
  if (version === 4) return host
  const shown = new URL(`http://[${host}]`).hostname.slice(1, -1)
  const inner = /^::(ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shown)
  if (inner === null) return shown
  const [, prefix = '', high = '', low = ''] = inner
  const bytes = [Number.parseInt(high, 16), Number.parseInt(low, 16)].flatMap((word) => [word >> 8, word & 255])
  return `::${prefix}${bytes.join('.')}`
}

export const networkAddresses = (cast: 'inet' | 'cidr'): ColumnType =>
  valueTexts({
    cast,
    samples: cast === 'inet' ? ['10.0.0.1', '10.0.0.2'] : ['10.0.0.0/8', '10.0.0.0/16'],
    formats: ['ipv4', 'ipv6'],
    expects:
      cast === 'inet'
        ? 'an IP address such as 192.0.2.1, 192.0.2.0/24 or 2001:db8::1'
        : 'a network such as 192.0.2.0/24 or 2001:db8::/32',
    // A `cidr` is always shown with its mask. An `inet` of a single host is shown without a mask.
    canonical: (text) => {
      const found = canonicalAddress(text)
      if (cast === 'inet' || found === undefined || found.includes('/')) return found
      return `${found}/${found.includes(':') ? 128 : 32}`
    },
    read: (sql) =>
      cast === 'cidr'
        ? `${sql}::text`
        : `CASE WHEN masklen(${sql}) = CASE family(${sql}) WHEN 4 THEN 32 ELSE 128 END THEN host(${sql}) ELSE ` +
          `${sql}::text END`,
    columnFault: (text) =>
      cast === 'cidr' && hasHostBits(text)
        ? 'must be a network address, without bits set to the right of the mask'
        : undefined,
    compareUnheld: (op, text) => ({ op, text, cast: 'inet' }),
  })

/**
 * Whether a canonical address has bits set to the right of its mask. PostgreSQL refuses such a
 * `cidr`.
 */
function hasHostBits(text: string): boolean {
  const [host = '', mask = '0'] = text.split('/')
  const bits = host.includes(':')
    ? bitsOf6(host)
    : host
        .split('.')
        .map((byte) => Number(byte).toString(2).padStart(8, '0'))
        .join('')
  return bits.slice(Number(mask)).includes('1')
}

function bitsOf6(host: string): string {
  const plain = new URL(`http://[${host}]`).hostname.slice(1, -1)
  const [left = '', right] = plain.split('::')
  const words = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const [before, after] = [words(left), words(right ?? '')]
  const all =
    right === undefined ? before : [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return all.map((word) => Number.parseInt(word, 16).toString(2).padStart(16, '0')).join('')
}

/**
 * Hardware addresses. They are accepted with colons, with hyphens, in groups of four digits with
 * dots, or without separators. They are shown in lower case with colons.
 */
export const hardwareAddresses = (cast: 'macaddr' | 'macaddr8'): ColumnType =>
  valueTexts({
    cast,
    samples:
      cast === 'macaddr'
        ? ['00:00:00:00:00:00', '00:00:00:00:00:01']
        : ['00:00:00:00:00:00:00:00', '00:00:00:00:00:00:00:01'],
    formats: [],
    width: cast === 'macaddr' ? [17, 17] : [23, 23],
    inJson: true,
    expects: `a hardware address such as ${cast === 'macaddr' ? '08:00:2b:01:02:03' : '08:00:2b:01:02:03:04:05'}`,
    canonical(text) {
      const groups =
        /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})*)?$|^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$|^[0-9a-f]+$/i
      const digits = groups.test(text) ? text.replace(/[:.-]/g, '').toLowerCase() : ''
      return digits.length === (cast === 'macaddr' ? 12 : 16) ? (digits.match(/../g) ?? []).join(':') : undefined
    },
  })

/** Bytes as base64 (RFC 4648 section 4) with padding, regardless of the session's bytea_output. */
export const bytes: ColumnType = valueTexts({
  cast: 'bytea',
  samples: ['', 'AA=='],
  formats: ['byte'],
  expects: 'base64 (RFC 4648 section 4) with padding, such as "aGk="',
  canonical: (text) => (Buffer.from(text, 'base64').toString('base64') === text ? text : undefined),
  // `encode` inserts line breaks, which are removed.
  read: (sql) => `translate(encode(${sql}, 'base64'), E'\\n', '')`,
  sent: (text) => `\\x${Buffer.from(text, 'base64').toString('hex')}`,
})
