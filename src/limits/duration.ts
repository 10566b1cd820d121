/** A duration as text, for the detail of a problem. */
export function inSeconds(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`
}
