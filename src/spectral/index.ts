/**
 * `express-rest-conventions/spectral`: a Spectral ruleset that checks a hand-written OpenAPI
 * document against the conventions. Each finding names its clause and the fix.
 *
 * @example
 * # .spectral.yaml
 * extends: ['spectral:oas', 'express-rest-conventions/spectral']
 */
import type { Rule } from './finding.js'
import { itemRules } from './item-rules.js'
import { listRules } from './list-rules.js'
import { pathRules } from './path-rules.js'
import { statusRules } from './status-rules.js'

export type { Finding, Rule } from './finding.js'

/** The rules, by name. Each name begins with the id of the clause. */
const ruleset: { readonly rules: Readonly<Record<string, Rule>> } = {
  rules: { ...pathRules, ...listRules, ...itemRules, ...statusRules },
}

// Spectral expects a default export.
export default ruleset
