import { findAxeViolations, type Page } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { startLateDemo } from '../demo/demo-world.ts'
import { eitherOf } from '../long.ts'
import { createRandom, type Random } from '../random.ts'
import { hasBrowser, SIZES, startBrowsing } from './browsing.ts'

type Locator = ReturnType<Page['getByRole']>

/** What a person does in each step of the story on the page, and what they must be able to see then. */
const STEPS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async break(page) {
    const card = findCards(page, await stopServer(page))
      .filter({ hasText: 'Nobody is on' })
      .last()
    await card.getByRole('button', { name: /I’m on it|Take over/ }).click()
    const answer = page.getByText('You’re on it').last()
    await answer.scrollIntoViewIfNeeded()
    await expectVisible(page, answer)
  },
  async ask(page) {
    const answers = page
      .getByRole('article')
      .filter({ hasText: 'Only visible to you' })
      .filter({ hasText: /\d health checks? · down|None of the \d+ health checks is down/ })
    // A second stopped server is shown in such an answer, too.
    const before = await answers.count()
    await press(page, 'Type /hc down')
    await send(page)
    await expect.poll(() => answers.count()).toBe(before + 1)
    await expectVisible(page, answers.last())
    await answers.last().getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => answers.count()).toBe(before)
  },
  async recover(page) {
    const card = findCards(page, await stopServer(page)).last()
    await card.waitFor({ state: 'attached' })
    await press(page, /again$/)
    await page.getByText('Started again: ').waitFor()
    await card.getByText('up again').waitFor({ state: 'attached' })
    await press(page, 'Type /hc history')
    await send(page)
    await page.getByText('Total downtime').last().waitFor()
  },
  async order(page) {
    await press(page, 'Let a colleague order')
    await page.getByText('Admin requested a certificate').waitFor()
    const card = page.getByRole('article').filter({ hasText: 'Review and approve' }).last()
    await expectVisible(page, card)
    await card.getByRole('button', { name: 'Review and approve' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('shop.example.com').first().waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await dialog.getByText('was received').first().waitFor()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
  },
  async threat(page) {
    await press(page, 'Let a colleague ask')
    await page.getByText('Admin posted in #operations').waitFor()
    await send(page)
    const card = page.getByRole('article').filter({ hasText: 'example-shops-login[.]test' }).last()
    await card.waitFor()
    await expectVisible(page, card)
  },
}

/** Waits until nothing covers the first line of this, at any place of it. */
async function expectVisible(page: Page, target: Locator): Promise<void> {
  await expect
    .poll(() =>
      target.evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        const y = top + Math.min(20, (bottom - top) / 2)
        return [left + 4, (left + right) / 2, right - 4].every((x) => {
          const hit = element.ownerDocument.elementFromPoint(x, y)
          return hit !== null && (element.contains(hit) || hit.contains(element))
        })
      }),
    )
    .toBe(true)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(page.viewportSize()?.width)
}

/** The channel's messages with this text, without private answers. */
const findCards = (page: Page, text: string): Locator =>
  page.getByRole('article').filter({ hasText: text, hasNotText: 'Only visible to you' })

const findPanel = (page: Page) => page.getByRole('complementary', { name: 'Start here' })
/** Presses a button of the story. On a phone, the panel is folded after a press. */
async function press(page: Page, name: string | RegExp): Promise<void> {
  const unfold = findPanel(page).getByRole('button', { name: 'Show everything' })
  if ((await unfold.count()) > 0) await unfold.click()
  await findPanel(page).getByRole('button', { name }).click()
}

/** Stops a server of the story, and returns its name. */
async function stopServer(page: Page): Promise<string> {
  await press(page, 'Stop a server')
  const status = await page.getByText(/The server of “.+” has stopped/).innerText()
  return /“(.+)”/.exec(status)?.[1] ?? ''
}

async function send(page: Page): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await expect.poll(() => composer.inputValue()).toMatch(/^\//)
  await composer.press('Enter')
}

function shuffleSteps(random: Random): string[] {
  const left = Object.keys(STEPS)
  return Array.from({ length: left.length }, () => left.splice(random.below(left.length), 1)[0] ?? '')
}

describe.skipIf(!hasBrowser)('the story of the demo', () => {
  const browsing = startBrowsing()

  it.each(eitherOf(SIZES))('works in any order, at $width × $height', async (size) => {
    await using demo = await startLateDemo()
    const page = await browsing.open(demo.page, size)
    // What to do is in the first view. Below it, the panel says what Signalman is, and that everything runs here.
    await expectVisible(page, findPanel(page).getByRole('button', { name: 'Stop a server' }))
    for (const text of ['Signalman is a Slack app', 'everything runs on this machine'])
      expect(await findPanel(page).innerText()).toContain(text)
    expect(await findAxeViolations(page)).toEqual([])
    const random = createRandom()
    for (const step of shuffleSteps(random)) await STEPS[step]?.(page)
    expect(await findAxeViolations(page)).toEqual([])
    await actAs(page, 'Admin (admin)')
    await press(page, 'Let a colleague order')
    await page.getByText('Member requested a certificate').waitFor()
  })

  it('offers two people, and the others on request', async () => {
    await using demo = await startLateDemo()
    const page = await browsing.open(demo.page, SIZES[0])
    const people = page.getByRole('combobox', { name: 'Acting as' })
    await people.waitFor()
    expect(await people.getByRole('option').allInnerTexts()).toEqual([
      'Member',
      'Admin (admin)',
      'More people…',
    ])
    await people.selectOption({ label: 'More people…' })
    await people.selectOption({ label: 'Guest (guest)' })
    await page.getByRole('combobox', { name: 'Workspace' }).waitFor()
    expect(await findAxeViolations(page)).toEqual([])
  })
})

/** Chooses another person. On a phone, the menu is in a drawer. */
async function actAs(page: Page, label: string): Promise<void> {
  const people = page.getByRole('combobox', { name: 'Acting as' })
  if ((await people.count()) === 0) await page.getByRole('button', { name: 'Channels' }).click()
  await people.selectOption({ label })
  // The page keeps in the tab whom it shows.
  await expect.poll(() => page.evaluate('sessionStorage.getItem("signalman.tab")')).toContain('U0ADMIN001')
  await findPanel(page).getByText('Signalman is a Slack app').waitFor()
}
