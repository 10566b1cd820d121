/**
 * What can be wrong with an XML document, in words for the client (HDR-5, ERR-3). saxes has words of its own, but they hand parts of the document back,
 * however long, and say nothing of the mend.
 */

/** A document type declaration may name files and addresses to read, and texts that swell without end. None is ever read. */
export const noDoctype = 'A document type declaration (DOCTYPE) is not allowed'

export const loneAmpersand = 'An ampersand stands alone: write it as &amp;'

const unclosed = 'The document ends before its elements are closed'
const incomplete = 'The document ends before it is complete'

/** Whether a sentence says that the document ends too early. */
export const endsEarly = (sentence: string): boolean => sentence === unclosed || sentence === incomplete

// By how saxes' messages begin; the first that fits counts.
const sentences: readonly (readonly [start: string, sentence: string])[] = [
  ['document must contain a root', 'The document ends before it has a root element'],
  ['unclosed tag', unclosed],
  ['unexpected end', incomplete],
  ['unexpected close tag', 'The end tag has another name than the element that is open'],
  ['unmatched closing tag', 'The end tag closes no element'],
  ['weird empty close tag', 'The end tag has no name'],
  ['documents may contain only one root', 'The document may have only one root element'],
  ['text data outside of root', 'Text may stand only in the root element'],
  ['inappropriately located doctype', noDoctype],
  ['incorrect syntax', `"<!" may begin only a comment or a CDATA section. ${noDoctype}`],
  ['undefined entity', 'XML knows only the entities amp, lt, gt, quot and apos: write other characters as they are or as &#...;'],
  ['disallowed character in entity', loneAmpersand],
  ['empty entity', loneAmpersand],
  ['malformed character entity', 'XML knows no such character reference'],
  ['duplicate attribute', 'An attribute stands twice in one tag'],
  ['attribute without value', 'An attribute has no value'],
  ['unquoted attribute', 'The value of an attribute must be in quotes'],
  ['no whitespace between', 'White space must stand between attributes'],
  ['unbound namespace prefix', 'The prefix of a name is not declared'],
  ['malformed name', 'A name has a colon too many, or nothing before or behind it'],
  ['invalid attempt to undefine', 'A declared prefix needs the name of a namespace'],
  ['may not assign', 'This namespace may not be declared'],
  ['the default namespace may not', 'This namespace may not be declared'],
  ['xml prefix must', 'The prefix xml belongs to XML itself'],
  ['xmlns prefix must', 'The prefix xmlns belongs to XML itself'],
  ['tags may not have', 'The prefix xmlns belongs to XML itself'],
  ['the string "]]>"', 'In text, "]]>" must be written as "]]&gt;"'],
  ['malformed comment', 'A comment may not contain "--"'],
  ['an XML declaration must be at the start', 'An XML declaration may stand only at the very start'],
  ['the XML declaration must', 'An XML declaration may stand only at the very start, and is written in lower case'],
  ['processing instruction', 'A processing instruction must begin with a name'],
  ['disallowed character in processing', 'A processing instruction must begin with a name'],
  ['disallowed character in tag', 'A tag holds a character that may not stand there; in text, "<" is written as &lt;'],
  ['disallowed character in closing', 'An end tag holds more than a name'],
  ['disallowed character in attribute', 'A character may not stand where an attribute should begin or end'],
  ['disallowed character', 'The character may not stand here'],
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

/** Our sentence, without its end, for a message of saxes. */
export function sentenceFor(message: string): string {
  return sentences.find(([start]) => message.startsWith(start))?.[1] ?? 'The document is not well-formed XML'
}
