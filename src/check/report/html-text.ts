/** Writes strings into HTML: prose of this package, and values that come from a service. */
import { type Html, html } from '../../docs/html.js'
import { visibleText } from './visible-text.js'

/**
 * A value from the service or its document. Even if the value is written from right to left, the
 * direction of the text around the value does not change.
 */
export const value = (text: string): Html => html`<span class="value">${visibleText(text)}</span>`

/** Prose of this package. Words in backquotes become code. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
