/** Describes the period of a report, such as `the last 30 days`. */
export const lastDays = (days: number): string => (days === 1 ? 'the last day' : `the last ${days} days`)
