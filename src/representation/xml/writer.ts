import type { Form } from '../../plan/form.js'
export function writeXml(value: unknown, as: { root: string; form: Form; item?: string; namespace?: string; items?: string }): string {
  return `<${as.root}>${JSON.stringify(value)}</${as.root}>`
}
