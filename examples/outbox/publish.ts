/**
 * Runs the publisher as a process: `DATABASE_URL=... NATS_URL=... node publish.js`. SIGTERM or
 * SIGINT stops the process.
 */
import { publishChanges } from './publisher.js'

const {
  DATABASE_URL: databaseUrl = '',
  NATS_URL: natsUrl = 'nats://127.0.0.1:4222',
  STREAM,
  SUBJECT,
  KEEP_DAYS,
} = process.env
const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort())

await publishChanges(
  {
    databaseUrl,
    natsUrl,
    ...(STREAM === undefined ? {} : { stream: STREAM }),
    ...(SUBJECT === undefined ? {} : { subject: SUBJECT }),
    ...(KEEP_DAYS === undefined ? {} : { keepDays: Number(KEEP_DAYS) }),
    report: (message) => console.log(message),
  },
  stop.signal,
)
