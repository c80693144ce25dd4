import { expect, it } from 'vitest'
import { homeWatchBlocks } from '../../../../src/features/watching/views/watches.ts'
import { at, outage } from '../models.ts'

it('shows what is down in the environment in which it is down', () => {
  const watch = {
    id: 'Abcdefghij0123456789_-',
    workspaceId: 'T1',
    channelId: 'C1',
    environment: 'ote',
    filter: { include: [], exclude: [] },
    afterBadPolls: 1,
    notify: 'once',
    reminderHours: 0,
    ownerId: 'U1',
    madeAt: at('08:00'),
    changedAt: at('08:00'),
    baselinePoll: 0,
  } as const
  const web = outage('web')
  const blocks = homeWatchBlocks({
    watches: [watch],
    mutes: [],
    digests: [],
    maintenance: [],
    polling: [],
    down: [{ environment: 'ote', outages: [web] }],
  })
  const text = JSON.stringify(blocks)
  expect(text).toContain('(OTE)')
  // Home is bound to production: a button says itself where it looks.
  expect(text).toContain(`/hc show ${web.check.uuid} --env ote`)
})
