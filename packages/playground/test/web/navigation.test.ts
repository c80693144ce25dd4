import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { HostPanel } from '../../src/control/host-panel.ts'
import type { Fields } from '../../src/protocol/json.ts'
import { type AppRequest, startWorld } from '../app.ts'
import { mrkdwn, plain } from '../validation/samples.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

const LAPTOP = { viewport: { width: 1280, height: 720 } }
const PHONE = { viewport: { width: 375, height: 720 } }
const tour: HostPanel = {
  name: 'Tour',
  firstVisitChannel: 'C0GENERAL1',
  blocks: (user) => [
    { type: 'section', text: plain(`Hello ${user}`) },
    { type: 'actions', elements: [{ type: 'button', action_id: 'list', text: plain('Type /hc list') }] },
    // Longer than the panel, on every screen.
    ...Array.from({ length: 30 }, (_, index) => ({ type: 'section', text: plain(`Step ${index}`) })),
    { type: 'actions', elements: [{ type: 'button', action_id: 'report', text: plain('Report it') }] },
  ],
  press: (actionId) =>
    actionId === 'list'
      ? { draft: '/hc list' }
      : { channel: 'C0OPERATNS', draft: '/hc show', statusText: 'Reported in #operations.' },
}
/** A message that is taller than the window. */
const longCard: Fields[] = [
  { type: 'header', text: plain('12 of 40 are down') },
  ...Array.from({ length: 14 }, (_, index) => ({
    type: 'section',
    text: mrkdwn(`*check ${index}*\nis down`),
  })),
]
/** Creates a handler that responds to `/hc` with the blocks in an ephemeral message. */
const answerCommand = (blocks: Fields[]) => (request: AppRequest) =>
  request.body.command ? { json: { response_type: 'ephemeral', text: 'answer', blocks } } : {}

describe.skipIf(!hasBrowser)('the page', () => {
  const browser = useBrowser()

  const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
  const send = async (page: Page, line: string) => {
    await field(page).fill(line)
    await field(page).press('Enter')
  }
  const getBounds = async (locator: Locator) => {
    const bounds = await locator.boundingBox()
    if (!bounds) throw new Error('The element isn’t drawn.')
    return { ...bounds, bottom: bounds.y + bounds.height }
  }
  const isInside = async (inner: Locator, outer: Locator) => {
    const [small, large] = [await getBounds(inner), await getBounds(outer)]
    return small.y >= large.y - 1 && small.bottom <= large.bottom + 1
  }

  it.each([
    { name: 'a laptop', options: LAPTOP },
    { name: 'a phone', options: PHONE },
  ])('shows the first line of a long response on $name', async ({ options }) => {
    await using world = await startWorld(answerCommand(longCard), { panels: [tour] })
    await world.slack.admin.say('Have a look.')
    const page = await browser.open(world.playground.url, options)
    await page.getByRole('button', { name: 'Close Tour' }).click()
    await send(page, '/hc')
    const log = page.getByRole('log')
    const headline = log.getByRole('heading', { name: '12 of 40 are down' })
    await headline.waitFor()
    await expect.poll(() => isInside(headline, log)).toBe(true)
    expect((await getBounds(log)).height).toBeGreaterThan(options.viewport.height * 0.65)
  })

  it('keeps the scroll position while a person reads older messages, and shows a button for new messages', async () => {
    await using world = await startWorld()
    for (let index = 0; index < 60; index += 1) await world.slack.admin.say(`line ${index}`)
    const page = await browser.open(world.playground.url, LAPTOP)
    const log = page.getByRole('log')
    await log.getByText('line 59').waitFor()
    await log.press('Home')
    await expect.poll(() => isInside(log.getByText('line 0', { exact: true }), log)).toBe(true)
    await world.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'something new' })
    await page.getByRole('button', { name: 'New messages' }).click()
    await expect.poll(() => isInside(log.getByText('something new'), log)).toBe(true)
  })

  it('restores unsent text to the message field if the server is down', async () => {
    const world = await startWorld()
    const { url } = world.playground
    const page = await browser.open(url)
    await field(page).waitFor()
    await world[Symbol.asyncDispose]()
    await page.getByText('Connection lost').waitFor()
    await send(page, 'not to be lost')
    await page.getByText('The playground isn’t responding.').waitFor()
    expect(await field(page).inputValue()).toBe('not to be lost')
    await send(page, '/hc list')
    await expect.poll(() => field(page).inputValue()).toBe('/hc list')
    await using restarted = await startWorld(undefined, { port: Number(new URL(url).port) })
    await page.getByText('Connection lost').waitFor({ state: 'detached' })
    await field(page).press('Enter')
    await restarted.eventually('the command', () => restarted.sent.length === 1)
    expect(await field(page).inputValue()).toBe('')
  })
})
