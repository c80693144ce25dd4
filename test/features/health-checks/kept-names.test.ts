import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

const KEPT = { namesKeptMs: 600_000 }
const CHANNEL = { channel: 'general' } as const

it('are never the reason to act on one of two checks that match', async () => {
  await using world = await startWorld({
    serviceLimits: KEPT,
    checks: [{ name: 'Beta', target: 'https://alpha.example.com/health' }],
  })
  const { admin } = world.slack
  await admin.command('/hc', 'watch all --sure', { ...CHANNEL, until: 'now watches' })
  // From here on, the names are kept.
  await admin.command('/hc', 'show alpha.example.com', CHANNEL)
  await world.service.addCheck({ name: 'Twin', target: 'https://alpha.example.com/other' })
  for (const line of ['mute alpha.example.com 2h', 'unmute alpha.example.com']) {
    const { text } = await admin.command('/hc', line, { ...CHANNEL, until: /Twin/ })
    expect(text, line).toContain('Beta')
    expect(text, line).not.toMatch(/Muted|Unmuted/)
  }
})

it('are looked up again if a check is gone, and never shown as another one', async () => {
  await using world = await startWorld({
    serviceLimits: KEPT,
    checks: [
      { name: 'Alpha', target: 'https://alpha.example.com/health' },
      { name: 'Gamma ray', target: 'gamma.example.com' },
    ],
  })
  const { admin } = world.slack
  const find = async (name: string) => (await world.service.checksNamed(name))[0]?.uuid ?? ''
  const [alpha, gamma] = [await find('Alpha'), await find('Gamma ray')]
  expect((await admin.command('/hc', 'status alpha', CHANNEL)).text).toContain('Alpha')

  await world.service.change(alpha, { name: 'Beta', target: 'https://alpha.example.com/health' })
  for (const line of ['show alpha', 'status alpha', 'alpha'])
    expect((await admin.command('/hc', line, CHANNEL)).text, line).not.toContain('Beta')
  expect((await admin.command('/hc', 'edit alpha', CHANNEL)).text).toContain('No health check is named')

  await world.service.addCheck({ name: 'Twin', target: 'https://alpha.example.com/other' })
  await world.service.remove(alpha)
  await world.service.remove(gamma)
  expect((await admin.command('/hc', 'show alpha.example.com', CHANNEL)).text).toContain('Twin')
  expect((await admin.command('/hc', 'show gamma.example.com', CHANNEL)).text).toContain(
    'No health check is named',
  )
})
