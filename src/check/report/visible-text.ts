/**
 * Makes some invisible characters of a string visible. Control characters, line separators,
 * characters that change the direction of text, and lone surrogates become escapes such as
 * `\u202e`. Line feeds and tabs are kept.
 */
export const visibleText = (text: string): string =>
  text.replace(/(?![\n\t])[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, escaped)

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
