/** Texts of our own in HTML: words in backquotes are code. */
import { type Html, html } from '../../docs/html.js'

export const prose = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
