import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { objectsIn } from '../../src/protocol/json.ts'
import { startWorld, type World } from '../app.ts'
import { input, modal } from './payloads.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

const textInput = (blockId: string, label: string, overrides: Fields = {}): Fields =>
  input(blockId, label, { type: 'plain_text_input', ...overrides })

describe.skipIf(!hasBrowser)('a modal in a browser', () => {
  const browser = useBrowser()

  /** Makes the app open `view` for `/hc`. */
  function openOnCommand(world: World, view: Fields): void {
    world.setHandler(({ body }) => {
      if (body.command) void world.api('views.open', { trigger_id: body.trigger_id, view })
      return body.type === 'view_submission' ? { json: {} } : {}
    })
  }

  async function openForm(world: World): Promise<Page> {
    const page = await browser.open(world.playground.url)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('/hc')
    await field.press('Enter')
    return page
  }

  const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

  it('sends text while it is typed if a field requests that', async () => {
    await using world = await startWorld()
    const textWithDispatch = (trigger: string, blockId: string) =>
      ({
        ...textInput(blockId, blockId, { dispatch_action_config: { trigger_actions_on: [trigger] } }),
        dispatch_action: true,
      }) satisfies Fields
    const blocks = [
      textWithDispatch('on_character_entered', 'each'),
      textWithDispatch('on_enter_pressed', 'enter'),
    ]
    openOnCommand(world, modal('Typing', blocks))
    const page = await openForm(world)
    const form = dialog(page, 'Typing')
    const sentValues = () =>
      world.sent
        .flatMap(({ body }) => objectsIn(body.actions))
        .map(({ block_id, value }) => [block_id, value])
    await form.getByRole('textbox', { name: 'each' }).press('a')
    await world.eventually('one letter', () => sentValues().length === 1)
    await form.getByRole('textbox', { name: 'each' }).press('b')
    await world.eventually('two letters', () => sentValues().length === 2)
    await form.getByRole('textbox', { name: 'enter' }).pressSequentially('cd')
    await form.getByRole('textbox', { name: 'enter' }).press('Enter')
    await world.eventually('one more', () => sentValues().length === 3)
    expect(sentValues()).toEqual([
      ['each', 'a'],
      ['each', 'ab'],
      ['enter', 'cd'],
    ])
  })
})
