/**
 * Errors in XML documents, as messages for the client (HDR-5, ERR-3). The messages of the parser,
 * saxes, are not used. They may repeat long parts of the document, and they do not say how to fix
 * the error.
 */

/**
 * A document type declaration is never processed, because it can refer to external files and URLs,
 * and can define entities that expand without limit.
 */
export const noDoctype = 'A document type declaration (DOCTYPE) is not allowed'

export const loneAmpersand = 'An ampersand must be escaped: write it as &amp;'

const unclosed = 'The document ends before its elements are closed'
const incomplete = 'The document ends before it is complete'

/** Whether a sentence says that the document ends within an element or another construct. */
export const endsEarly = (sentence: string): boolean => sentence === unclosed || sentence === incomplete

// Each entry maps the start of a message of saxes to a sentence. The first matching entry applies.
const sentences: readonly (readonly [start: string, sentence: string])[] = [
  ['document must contain a root', 'The document ends before it has a root element'],
  ['unclosed tag', unclosed],
  ['unexpected end', incomplete],
  ['unexpected close tag', 'The end tag does not match the open element'],
  ['unmatched closing tag', 'The end tag has no matching start tag'],
  ['weird empty close tag', 'The end tag has no name'],
  ['documents may contain only one root', 'The document may have only one root element'],
  ['text data outside of root', 'Text is allowed only in the root element'],
  ['inappropriately located doctype', noDoctype],
  ['incorrect syntax', `"<!" may only begin a comment or a CDATA section. ${noDoctype}`],
  [
    'undefined entity',
    'XML has only the entities amp, lt, gt, quot and apos: write other characters literally or as &#...;',
  ],
  ['disallowed character in entity', loneAmpersand],
  ['empty entity', loneAmpersand],
  ['malformed character entity', 'The character reference is not valid in XML'],
  ['duplicate attribute', 'An attribute is repeated in one tag'],
  ['attribute without value', 'An attribute has no value'],
  ['unquoted attribute', 'The value of an attribute must be in quotes'],
  ['no whitespace between', 'Attributes must be separated by white space'],
  ['unbound namespace prefix', 'The prefix of a name is not declared'],
  ['malformed name', 'A name may have at most one colon, which must not be its first or last character'],
  ['invalid attempt to undefine', 'The namespace of a prefix must not be empty'],
  ['may not assign', 'A prefix may not be declared for the namespace of xml or xmlns'],
  ['the default namespace may not', 'The default namespace may not be the namespace of xml or xmlns'],
  ['xml prefix must', 'The prefix xml is reserved: use another prefix'],
  ['xmlns prefix must', 'The prefix xmlns is reserved: use another prefix'],
  ['tags may not have', 'The prefix xmlns is reserved: use another prefix'],
  ['the string "]]>"', 'In text, "]]>" must be written as "]]&gt;"'],
  ['malformed comment', 'A comment must not contain "--"'],
  ['an XML declaration must be at the start', 'An XML declaration is allowed only at the very start'],
  ['the XML declaration must', 'An XML declaration is allowed only at the very start, in lower case'],
  ['processing instruction', 'A processing instruction must begin with a name'],
  ['disallowed character in processing', 'A processing instruction must begin with a name'],
  ['disallowed character in tag', 'A tag contains a character that is not allowed there; in text, write "<" as &lt;'],
  ['disallowed character in closing', 'An end tag contains more than a name'],
  ['disallowed character in attribute', 'A character is not allowed in or next to the name or value of an attribute'],
  ['disallowed character', 'The character is not allowed here'],
  ['forward-slash', 'In a tag, "/" must be followed by ">"'],
  ['version number', 'The XML declaration is malformed'],
  ['encoding value', 'The XML declaration is malformed'],
  ['standalone value', 'The XML declaration is malformed'],
  ['XML declaration', 'The XML declaration is malformed'],
  ['expected ', 'The XML declaration is malformed'],
  ['did not expect', 'The XML declaration is malformed'],
  ['value ', 'The XML declaration is malformed'],
  ['whitespace required', 'The XML declaration is malformed'],
  ['The character ?', 'The XML declaration is malformed'],
]

/**
 * Translates an error message of the parser saxes into a sentence for clients. The sentence does
 * not contain the position of the error.
 */
export function sentenceFor(message: string): string {
  return sentences.find(([start]) => message.startsWith(start))?.[1] ?? 'The document is not well-formed XML'
}
