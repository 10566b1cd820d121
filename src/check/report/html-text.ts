/** Texts in HTML: our own, and values of a service. */
import { type Html, html } from '../../docs/html.js'
import { visibleText } from './visible-text.js'

/**
 * A value of the service or its document. Its direction does not change that of the text around it.
 */
export const value = (text: string): Html => html`<span class="value">${visibleText(text)}</span>`

/** A text of our own. Words in backquotes are code. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
