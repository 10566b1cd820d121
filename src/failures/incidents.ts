/** The incidents of docs/operations.md, each with a hint on what to look at first. */

/** The hints, by the anchor of the section. */
export const incidents = {
  'database-gone': 'Does PostgreSQL run, and can this host reach it?',
  'pool-exhausted': 'Who holds the connections? See pg_stat_activity, slow statements, and max of the pool.',
  'redis-gone': 'Does Redis run, and can this host reach it?',
  'slow-filter': 'Which statement takes so long? See pg_stat_activity, and the lists that read whole tables.',
  'clock-skew': 'Which reason do most have? Do the clocks of this host and of the issuer agree?',
  'key-rotation': 'Can this host fetch the key set of the issuer?',
  'retired-version-called': 'Who still calls it? See who called it before it retired.',
  'memory-growth': 'What uses the memory? See the process and its limits, and the size of answers.',
  'stale-storm': 'Who writes this item so often, or holds its row?',
  'disk-full': 'Which disk is full? Make room on it before anything else.',
  overload: 'What takes so long? See the slow routes, and maxConcurrent.',
  unreachable: 'Does what stands at this address run, and can this host reach it?',
  'table-unfit': 'Was a migration left out, or a privilege? Ask ready() of the api: it says what is missing.',
  'code-fault': 'See the code at the place named. Its message may hold values: onError gets it.',
} as const

export type Incident = keyof typeof incidents
