import { describe, expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../world.ts'
import { hasBrowser, startBrowsing, type } from './browsing.ts'

describe.skipIf(!hasBrowser)('an outage, as the page shows it', () => {
  const { open } = startBrowsing()

  it('comes as one card, says who is on it, and goes in the same card', async () => {
    await using world = await startWorld({
      checks: [{ name: 'Bank open API', status: 'HEALTHY' }],
      environment: { WATCH_INTERVAL_SECONDS: '1' },
    })
    const page = await open(world.playground.url)
    await type(page, '/hc watch all')
    const log = page.getByRole('log')
    await log.getByText('From now on, this channel is told').first().waitFor()
    // What is down by the first poll is where the watch begins, and is not told.
    const polls = async () =>
      (await world.app.store.watching.history.polling(WORKSPACE, 'production'))?.polls ?? 0
    await expect.poll(polls).toBeGreaterThan(0)

    const [check] = await world.service.checksNamed('Bank open API')
    await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
    const card = log.getByRole('article').filter({ hasText: 'Bank open API is' })
    await card.getByText('🔴 Bank open API is down').waitFor()
    await card.getByRole('button', { name: 'I’m on it' }).click()
    await card.getByText('On it', { exact: true }).waitFor()
    expect(await card.innerText()).not.toContain('@')
    await world.service.hold(check?.uuid ?? '', 'HEALTHY')
    await card.getByText('🟢 Bank open API is up again').waitFor()
    expect(await card.count()).toBe(1)
    expect(await card.getByRole('button', { name: 'I’m on it' }).count()).toBe(0)

    await type(page, '/hc history Bank open API')
    await log
      .getByText(/Bank open API .*· last 7 days/)
      .first()
      .waitFor()
    await page.close()
  })
})
