/**
 * Groups of different strings. A store might wrongly treat the strings of a group as equal, for
 * example because of collation, case folding, normalization, padding, or conversion to numbers.
 */
export const nearTexts: readonly (readonly string[])[] = [
  ['e\u0301', '\u00e9', 'e'],
  ['\u00df', 'ss', 'SS', '\u1e9e'],
  ['I', 'i', '\u0130', '\u0131', 'i\u0307'],
  ['a', '\ufeffa', 'a\u200b', 'a\u00ad', '\uff41', 'a ', ' a', 'a\t', 'A'],
  ['\u00c5', '\u212b', 'A\u030a'],
  ['K', '\u212a', 'k'],
  ['\ufb01', 'fi'],
  ['o\u0323\u0307', 'o\u0307\u0323'],
  ['\uac00', '\u1100\u1161'],
  ['\u03c2', '\u03c3', '\u03a3'],
  ['\u3042', '\u30a2', '\uff71'],
  ['\u{1F4E6}', '\u{1F4E7}', '\uffff', '\u{10ffff}', '\ufffd'],
  ['1', '01', '1.0', '1e0', '+1', '\u00b9', '\u2460', '\uff11'],
  ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length'],
  ['null', 'undefined', 'NaN', 'true', '[object Object]'],
]

export const oddTexts: readonly string[] = nearTexts.flat()
