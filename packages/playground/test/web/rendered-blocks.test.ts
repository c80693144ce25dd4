import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAxeViolations } from '../../src/browser/axe.ts'
import type { Fields } from '../../src/protocol/json.ts'
import { BLOCK_KINDS } from '../../src/rules/kinds.ts'
import { FULL_MANIFEST, startWorld, type World } from '../app.ts'
import { buildExample } from '../rules/examples.ts'
import { mrkdwn } from '../validation/samples.ts'
import { button } from './payloads.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

const GENERAL = 'C0GENERAL1'
const kinds = [...BLOCK_KINDS.values()]
/** Matches the IDs in the examples, because IDs must be unique within a message or view. */
const ID_FIELDS = /"(?:block_id|action_id)":"[^"]*",?/g
const withoutIds = (example: Fields): Fields =>
  JSON.parse(JSON.stringify(example).replace(ID_FIELDS, '').replaceAll(',}', '}'))

describe.skipIf(!hasBrowser)('the page', () => {
  const browser = useBrowser()

  const post = async (world: World, message: Fields) =>
    expect(await world.api('chat.postMessage', { channel: GENERAL, text: 'x', ...message })).toMatchObject({
      ok: true,
    })
  const openPage = async (world: World): Promise<Page> => {
    const page = await browser.open(world.playground.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    return page
  }

  it('renders every kind of block in a message, on a laptop and on a phone', async () => {
    await using world = await startWorld(undefined, { manifestPath: FULL_MANIFEST })
    const page = await openPage(world)
    const log = page.getByRole('log')
    for (const kind of kinds) {
      const { type } = kind
      await post(world, { blocks: [withoutIds(buildExample(kind))] })
      await log.locator(`.block-${type}`).last().waitFor({ state: 'attached' })
    }
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await findAxeViolations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    }
  })

  it('keeps the focus on a button, and a press of it, while the app updates the message', async () => {
    await using world = await startWorld()
    const version = (value: string) => ({
      channel: GENERAL,
      text: 'x',
      blocks: [
        {
          type: 'section',
          text: mrkdwn(`*api* ${value}`),
          accessory: button('Details', 'details', { value }),
        },
        {
          type: 'actions',
          elements: [button('Acknowledge', 'ack', { value }), button(value, 'changed', { value })],
        },
      ],
    })
    const { ts } = await world.api('chat.postMessage', version('0'))
    await world.api('chat.update', { ...version('1'), ts })
    const page = await openPage(world)
    const log = page.getByRole('log')
    await log.getByText('api 1').waitFor()
    expect(await log.getByText('(edited)').count()).toBe(0)
    const pressAcross = async (name: string, before: string, after: string) => {
      await log.getByText(`api ${before}`).waitFor()
      await log.getByRole('button', { name, exact: true }).hover()
      await page.mouse.down()
      await world.api('chat.update', { ...version(after), ts })
      await log.getByText(`api ${after}`).waitFor()
      await page.mouse.up()
    }
    for (const [index, name] of ['Acknowledge', 'Details'].entries()) {
      const after = String(index + 2)
      await pressAcross(name, String(index + 1), after)
      await world.eventually('the action', () => world.sent.length === index + 1)
      // The button that the message has now.
      expect(world.sent.at(-1)?.body).toMatchObject({ actions: [{ value: after }] })
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(name)
    }
    // The person pressed a button that says something else now.
    await pressAcross('3', '3', '4')
    await log.getByRole('button', { name: '4', exact: true }).click()
    await world.eventually('the action', () => world.sent.length === 3)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('4')
  })
})
