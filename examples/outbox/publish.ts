/**
 * Runs the publisher as a process: `DATABASE_URL=... NATS_URL=... node publish.js`. `STREAM`,
 * `SUBJECT` and `KEEP_DAYS` set further options of `publishChanges`. SIGTERM or SIGINT stops the
 * process.
 */
import { publishChanges } from './publisher.js'

const {
  DATABASE_URL: databaseUrl = '',
  NATS_URL: natsUrl = 'nats://127.0.0.1:4222',
  STREAM,
  SUBJECT,
  KEEP_DAYS,
} = process.env
const keepDays = KEEP_DAYS === undefined || KEEP_DAYS === '' ? undefined : Number(KEEP_DAYS)
if (keepDays !== undefined && !(keepDays > 0))
  throw new Error(`KEEP_DAYS is "${KEEP_DAYS}". Give a number of days above 0, or unset it to keep all rows.`)

const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort())

await publishChanges(
  {
    databaseUrl,
    natsUrl,
    ...(STREAM === undefined ? {} : { stream: STREAM }),
    ...(SUBJECT === undefined ? {} : { subject: SUBJECT }),
    ...(keepDays === undefined ? {} : { keepDays }),
    report: (message) => console.log(message),
  },
  stop.signal,
)
