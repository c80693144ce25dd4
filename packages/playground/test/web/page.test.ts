import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { readId, startWorld, type World } from '../app.ts'
import { option, plain } from '../validation/samples.ts'
import { form } from './payloads.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

describe.skipIf(!hasBrowser)('the page in a browser', () => {
  const browser = useBrowser()

  async function sendLine(page: Page, line: string): Promise<void> {
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill(line)
    await field.press('Enter')
  }

  /** Makes the app open the form for `/hc`, push `pushed` when its button is clicked, and respond to a submission with `answer`. */
  function openFormOnCommand(world: World, answer: (values: Fields) => Fields, pushed?: Fields) {
    world.setHandler((request) => {
      const { type: kind, trigger_id } = request.body
      if (request.body.command) void world.api('views.open', { trigger_id, view: form })
      if (kind === 'block_actions' && pushed) void world.api('views.push', { trigger_id, view: pushed })
      if (kind === 'block_suggestion') return { json: { options: [option('Wildcard', 'wild')] } }
      if (kind !== 'view_submission') return {}
      // The server's tests check the shape of submissions.
      const { view } = request.body as { view: { state: { values: Fields } } }
      return { json: answer(view.state.values) }
    })
  }

  it('keeps a form open until it is valid, and shows the app’s errors next to their fields', async () => {
    await using world = await startWorld()
    const received: Fields[] = []
    openFormOnCommand(world, (values) => {
      received.push(values)
      return received.length === 1
        ? { response_action: 'errors', errors: { name: 'That name is taken.' } }
        : {}
    })
    const page = await browser.open(world.playground.url)
    await sendLine(page, '/hc create')
    const dialog = page.getByRole('dialog', { name: 'New check' })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Complete this required field.').waitFor()
    expect(await name.evaluate((field) => field.matches(':focus'))).toBe(true)
    await name.fill('too long a name')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Enter at most 9 characters; this is 15.').waitFor()
    expect(received).toEqual([])

    await name.fill('api')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('That name is taken.').waitFor()
    await name.fill('api-2')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(received[1]).toMatchObject({ name: { v: { value: 'api-2' } } })
  })

  it('stacks modals, keeps typed text when Escape closes the top one, and shows an error if the app doesn’t respond', async () => {
    await using world = await startWorld(() => ({}), { limits: { ackTimeoutMs: 2000 } })
    openFormOnCommand(world, () => ({}), { ...form, title: plain('On top') })
    const page = await browser.open(world.playground.url)
    await sendLine(page, '/hc create')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('kept')
    await dialog.getByRole('button', { name: 'Push' }).click()
    await page.getByRole('dialog', { name: 'On top' }).waitFor()
    expect(await dialog.count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'New check' }).waitFor()
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('kept')
    world.setHandler(() => 'silent')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'trouble connecting' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('moves the focus into a form that replaces a loading view', async () => {
    await using world = await startWorld()
    world.setHandler(async (request) => {
      if (!request.body.command) return {}
      const placeholder = {
        type: 'modal',
        title: plain('Wait'),
        blocks: [{ type: 'section', text: plain('Loading…') }],
      }
      const opened = await world.api('views.open', { trigger_id: request.body.trigger_id, view: placeholder })
      void world.api('views.update', { view_id: readId(opened.view), view: form })
      return {}
    })
    const page = await browser.open(world.playground.url)
    await sendLine(page, '/hc create')
    await page.getByRole('dialog', { name: 'New check' }).waitFor()
    await page.keyboard.type('typed at once')
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('typed at once')
  })
})
