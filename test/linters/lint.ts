/** Runs linters as libraries, without network access. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import type { OpenApiDocument } from '../../src/openapi/index.js'

/** A finding of a linter. */
export interface Finding {
  readonly rule: string
  readonly severity: 'error' | 'warning' | 'other'
  readonly message: string
  /** The path of the finding in the document, such as `paths /orders get`. */
  readonly place: string
}

const severities: Readonly<Record<number, Finding['severity']>> = { 0: 'error', 1: 'warning' }

/** The findings of Spectral with a ruleset. */
export async function bySpectral(document: object, ruleset: unknown): Promise<readonly Finding[]> {
  const spectral = new Spectral()
  spectral.setRuleset(ruleset as RulesetDefinition)
  const found = await spectral.run(JSON.stringify(document))
  return found.map(({ code, severity, message, path }) => ({
    rule: String(code),
    severity: severities[severity] ?? 'other',
    message,
    place: path.join(' '),
  }))
}

/** The findings of Redocly with its recommended rules. */
export async function byRedocly(document: OpenApiDocument): Promise<readonly Finding[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
  return found.map(({ ruleId, severity, message, location }) => ({
    rule: ruleId,
    severity: severity === 'error' ? 'error' : 'warning',
    message,
    place: location.map(({ pointer }) => pointer ?? '').join(' '),
  }))
}
