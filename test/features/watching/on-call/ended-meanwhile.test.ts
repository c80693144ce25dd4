import { expect, it, vi } from 'vitest'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'

/** Mutes or watches two patterns. When the list is read next, another person has ended the first `count` of them. */
async function endMeanwhile(world: World, kind: 'mute' | 'watch', count: number): Promise<void> {
  const { silences, watches } = world.app.store.watching
  const { member } = world.slack
  for (const name of ['web-*', 'mail-*'])
    await member.command('/hc', kind === 'mute' ? `mute ${name} 2h` : `watch ${name}`, {
      until: kind === 'mute' ? 'Muted' : 'now watches',
    })
  if (kind === 'mute') {
    const read = silences.list.bind(silences)
    vi.spyOn(silences, 'list').mockImplementationOnce(async (...query) => {
      const found = await read(...query)
      for (const { id } of found.slice(0, count))
        await silences.end(WORKSPACE, id, { endsRecurrence: true, now: new Date() })
      return found
    })
    return
  }
  const read = watches.list.bind(watches)
  vi.spyOn(watches, 'list').mockImplementationOnce(async (...query) => {
    const found = await read(...query)
    for (const { id } of found.slice(0, count)) await watches.remove(WORKSPACE, id, new Date())
    return found
  })
}

const CASES = [
  { kind: 'mute', verb: 'unmute', one: 'Unmuted', none: 'That silence has already ended' },
  { kind: 'watch', verb: 'unwatch', one: 'Ended 1 watch of', none: 'This watch has already ended.' },
] as const

it.each(CASES)('says only what it ended: $verb all', async ({ kind, verb, one }) => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }, { name: 'mail-1' }] })
  await endMeanwhile(world, kind, 1)
  const { text } = await world.slack.admin.command('/hc', `${verb} all`, { until: one })
  expect(text).toContain('mail-*')
  expect(text).not.toContain('web-*')
  const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, verb: `/hc ${verb}`, limit: 9 })
  expect(JSON.stringify(rows).split('had already ended')).toHaveLength(2)
})

it.each(CASES)('says that nothing was left to end: $verb all', async ({ kind, verb, none, one }) => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }, { name: 'mail-1' }] })
  await endMeanwhile(world, kind, 2)
  const { text } = await world.slack.admin.command('/hc', `${verb} all`, { until: none })
  expect(text).not.toContain(one)
})
