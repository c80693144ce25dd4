import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { choose } from '../../src/browser/fill.ts'
import type { Fields } from '../../src/protocol/json.ts'
import { isFields, objectsIn } from '../../src/protocol/json.ts'
import { type AppRequest, startWorld } from '../app.ts'
import { option } from '../validation/samples.ts'
import { allElements, allInputs, modal } from './payloads.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

const receivedActions = (sent: readonly AppRequest[]): Fields[] =>
  sent.flatMap(({ body }) => objectsIn(body.actions))

/** Interactions with elements, each with the action that the app receives. */
const INTERACTIONS: [interact: (log: Locator, page: Page) => Promise<unknown>, action: Fields][] = [
  [(log) => log.getByRole('button', { name: 'Plain' }).click(), { action_id: 'plain' }],
  [(log) => log.getByRole('button', { name: 'Danger' }).press('Enter'), { action_id: 'danger' }],
  [(log) => choose(log, 'One of two', /^A$/), { action_id: 'one', selected_option: { value: 'a' } }],
  [
    async (log, page) => {
      await log.getByRole('button', { name: 'More actions' }).press('Enter')
      await page.getByRole('menuitem', { name: 'B' }).click()
    },
    { action_id: 'more', selected_option: { value: 'b' } },
  ],
]

describe.skipIf(!hasBrowser)('Block Kit in a browser', () => {
  const browser = useBrowser()

  it('sends the action of every element in a message', async () => {
    await using world = await startWorld()
    await world.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'x', blocks: allElements })
    const page = await browser.open(world.playground.url)
    const log = page.getByRole('log')
    for (const [index, [interact, action]] of INTERACTIONS.entries()) {
      await interact(log, page)
      await world.eventually(JSON.stringify(action), () => receivedActions(world.sent).length > index)
      expect(receivedActions(world.sent).at(-1)).toMatchObject(action)
    }
    expect(receivedActions(world.sent)).toHaveLength(INTERACTIONS.length)
  })

  it('sends the value of every element in a form', async () => {
    const received: Fields[] = []
    await using world = await startWorld()
    world.setHandler(({ body }) => {
      const view = modal('Every input', allInputs)
      if (body.command) void world.api('views.open', { trigger_id: body.trigger_id, view })
      if (body.type === 'block_suggestion') return { json: { options: [option('Wildcard', 'wild')] } }
      const sent = isFields(body.view) && isFields(body.view.state) ? body.view.state.values : undefined
      if (body.type === 'view_submission' && isFields(sent)) received.push(sent)
      return {}
    })
    const page = await browser.open(world.playground.url)
    await page.getByRole('textbox', { name: 'Message' }).fill('/hc')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    const form = page.getByRole('dialog', { name: 'Every input' })
    const text = (name: string) => form.getByRole('textbox', { name })
    await text('Text').fill('words')
    await text('Lines').fill('a\nb')
    await text('Number').fill('1.5')
    await choose(form, 'One (optional)', /^B$/)
    const search = form.getByRole('searchbox', { name: 'Found' })
    await search.fill('wild')
    await form.getByRole('button', { name: 'Wildcard', exact: true }).click()
    await form.locator('.chip', { hasText: 'Wildcard' }).waitFor()
    expect(await search.inputValue()).toBe('')
    await choose(form, 'Conversation (optional)', /^#general$/)
    await form.getByRole('checkbox', { name: 'A' }).check()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    expect(received).toMatchObject([
      {
        text: { v: { value: 'words' } },
        lines: { v: { value: 'a\nb' } },
        number: { v: { value: '1.5' } },
        one: { v: { selected_option: { value: 'b' } } },
        found: { v: { selected_options: [{ value: 'wild' }] } },
        conversation: { v: { selected_conversation: 'C0GENERAL1' } },
        boxes: { v: { selected_options: [{ value: 'a' }] } },
      },
    ])
  })
})
