/** A duration as text, for messages. */
export function inSeconds(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`
}
