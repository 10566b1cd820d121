/** The wording that the terminal report and the HTML page share. */
import { lastDays } from '../usage/last-days.js'
import type { UsageReport } from './report.js'

/** Describes how long ago a time was, such as `5 min ago`. */
export function ago(time: string, now: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(now) - Date.parse(time)) / 1000))
  if (seconds < 90) return `${seconds} s ago`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `${minutes} min ago`
  const hours = Math.round(minutes / 60)
  if (hours < 36) return `${hours} h ago`
  return `${Math.round(hours / 24)} days ago`
}

export const amount = (count: number): string => count.toLocaleString('en-US')

export const clientName = (client: string | undefined): string => client ?? '(not distinguished)'

export const versionName = (version: string): string => (version === '' ? '(no version)' : version)

/** Describes in a sentence how complete the report is. */
export function completeness({ complete, share, since, days }: UsageReport): string {
  if (since === undefined) return `Nothing has been counted. Whether there were calls is unknown.`
  if (complete)
    return (
      `Counting was complete in ${lastDays(days)}: clients that are not listed did not call, or are counted ` +
      'together as (other).'
    )
  const percent = Math.floor(share * 1000) / 10
  return (
    `Counting was complete for ${percent} % of ${lastDays(days)}. Whether other clients called in the remaining ` +
    'time is unknown.'
  )
}

const reasons: Readonly<Record<string, string>> = {
  'not-counting': 'no process was counting',
  'lost-process': 'a process ended without writing its last counts, or cannot reach the store',
  'lost-counts': 'the store has lost counts',
}

export const reasonOf = (reason: string): string => reasons[reason] ?? reason
