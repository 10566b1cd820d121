/** The actions of a reader on the console page. */
import type { Locator, Page } from 'playwright-core'

/** Shows only the operations of one tag, so that the browser does not render the others. */
export const only = (page: Page, tag: string): Promise<void> => page.getByPlaceholder('Filter').fill(tag)

/** Expands the box of an operation, and returns it. */
export async function operation(page: Page, id: string): Promise<Locator> {
  const box = page.locator(`.opblock[id$="-${id}"]`)
  await box.locator('.opblock-summary-control').click()
  await box.getByRole('button', { name: 'Execute' }).waitFor()
  return box
}

/** Fills in a parameter by its name. */
export const fill = (box: Locator, name: string, value: string): Promise<void> =>
  box.locator(`tr[data-param-name="${name}"] input`).fill(value)

export interface Shown {
  readonly status: string
  /** The body and the header fields of the response, as the page shows them. */
  readonly text: string
}

/** Sends the request, and reads the response from the page. */
export async function send(box: Locator): Promise<Shown> {
  const clear = box.getByRole('button', { name: 'Clear', exact: true })
  if (await clear.isVisible()) await clear.click()
  await box.getByRole('button', { name: 'Execute' }).click()
  const answer = box.locator('.live-responses-table .response')
  await answer.waitFor()
  return { status: (await answer.locator('.response-col_status').innerText()).trim(), text: await answer.innerText() }
}

/**
 * Enters a token or credentials. `values` maps the selector of each field of the dialog to the text
 * for the field.
 */
export async function authorize(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  const dialog = page.getByRole('dialog')
  for (const [field, value] of Object.entries(values)) await dialog.locator(field).fill(value)
  await dialog
    .locator('form')
    .filter({ has: page.locator(Object.keys(values)[0] as string) })
    .getByRole('button', { name: 'Authorize' })
    .click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
}
