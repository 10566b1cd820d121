/** The incidents of docs/operations.md, each with a hint on what to look at first. */

/** The hints. Each name is the anchor of the incident's section. */
export const incidents = {
  'database-gone': 'Is PostgreSQL running, and can this host reach it?',
  'pool-exhausted':
    "What is using the connections? See pg_stat_activity, slow statements, and the option 'max' of the pool.",
  'redis-gone': 'Is Redis running, and can this host reach it?',
  'slow-filter':
    'Which statement takes so long? See pg_stat_activity, and the log of slow lists, which names whole-table reads.',
  'clock-skew': 'Which cause do most of these log lines have? Do the clocks of this host and of the issuer agree?',
  'key-rotation': 'Can this host fetch the key set of the issuer?',
  'retired-version-called': 'Which clients still call the version? See which clients called it before it was retired.',
  'memory-growth': 'What uses the memory? See the process and its limits, and the size of responses.',
  'stale-storm': 'Which clients write this item so often, or lock its row?',
  'disk-full': 'Which disk is full? Free space on it first.',
  overload: "What takes so long? See the slow routes, and the option 'maxConcurrent'.",
  unreachable: 'Is the service at this address running, and can this host reach it?',
  'table-unfit': 'Is a migration or a privilege missing? Call ready() of the api: its error says which.',
  'code-fault':
    "See 'cause': it has the position in the code, or a message of the library. onError receives the whole error.",
} as const

export type Incident = keyof typeof incidents
