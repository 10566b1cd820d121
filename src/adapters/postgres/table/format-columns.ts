/** The column types that error messages and warnings recommend for members with a format. */

/** The recommended column type for each format. */
export const columnsFor: Readonly<Record<string, string>> = {
  'date-time': 'timestamptz',
  'local-date-time': 'timestamp, or text for seven fractional digits',
  'local-time': 'time',
  'iso-time': 'time',
  time: 'timetz',
  date: 'date',
  uuid: 'uuid',
  duration: 'interval',
  ipv4: 'inet',
  ipv6: 'inet',
  byte: 'bytea',
}

export const columnFor = (format: string): string => `make the column ${columnsFor[format] ?? 'text'}`
