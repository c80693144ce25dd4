import { buildPage, chromiumPath, openBrowser } from '@signalman/playground/browser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../world.ts'

const executable = chromiumPath()

describe.skipIf(!executable)('an outage, as the page shows it', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  beforeAll(async () => {
    await buildPage()
    browser = await openBrowser(executable ?? '')
  })
  afterAll(() => browser.close())

  it('comes as one card, says who is on it, and goes in the same card', { timeout: 40_000 }, async () => {
    await using world = await startWorld({
      checks: [{ name: 'Bank open API', status: 'HEALTHY' }],
      environment: { WATCH_INTERVAL_SECONDS: '1' },
    })
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(world.playground.url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('/hc watch')
    await composer.press('Enter')
    const log = page.getByRole('log')
    await log.getByText('From now on, this channel is told').first().waitFor()
    // What is down by the first poll is where the watch begins, and is not told.
    const polls = async () =>
      (await world.app.store.watching.history.polling(WORKSPACE, 'production'))?.polls ?? 0
    await expect.poll(polls, { timeout: 10_000 }).toBeGreaterThan(0)

    const [check] = await world.service.checksNamed('Bank open API')
    await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
    const card = log.getByRole('article').filter({ hasText: 'Bank open API' }).filter({ hasText: 'Target' })
    await card.getByText('🔴 Bank open API is down').waitFor()
    await card.getByRole('button', { name: 'I’m on it' }).click()
    await card.getByText('On it:').waitFor()
    expect(await card.innerText()).not.toContain('@')
    await world.service.hold(check?.uuid ?? '', 'HEALTHY')
    await card.getByText('🟢 Bank open API is up again').waitFor()
    expect(await card.count()).toBe(1)
    expect(await card.getByRole('button').allInnerTexts()).toContain('Show')
    expect(await card.getByRole('button', { name: 'I’m on it' }).count()).toBe(0)

    await composer.fill('/hc history Bank open API')
    await composer.press('Enter')
    await log.getByText('Bank open API, last 7 days').first().waitFor()
    await log.getByText('of the time that was observed').first().waitFor()
    await page.close()
  })
})
