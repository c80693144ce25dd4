import { expect, it } from 'vitest'
import { EVERY_CHECK, type Watch } from '../../../../src/features/watching/rules/watch.ts'
import { homeHeldBlocks, homeWatchBlocks } from '../../../../src/features/watching/views/watches.ts'
import { at, outage } from '../models.ts'

it('shows what somebody is on in the environment in which it is down', () => {
  const web = outage('web')
  const text = JSON.stringify(homeHeldBlocks([{ environment: 'ote', outage: web }]))
  expect(text).toContain('web (OTE) has been down since <!date^')
  // Home is bound to production: a button says itself where it looks.
  expect(text).toContain(`/hc show ${web.check.uuid} --env ote`)
})

it('says that watches are paused, and that nothing is seen, and lays neither on Slack', () => {
  const watch: Watch = {
    id: 'w',
    workspaceId: 'T1',
    channelId: 'C1',
    environment: 'production',
    filter: EVERY_CHECK,
    afterBadPolls: 1,
    notify: 'once',
    reminderHours: 0,
    ownerId: 'U1',
    madeAt: at('09:00'),
    changedAt: at('09:00'),
    baselinePoll: 0,
    paused: { at: at('09:05'), why: 'shared-outside' },
  }
  const status = { polls: 1, failingSince: at('09:10'), isBlind: true, statuses: [] }
  const polling = [{ environment: 'production' as const, status }]
  const home = { watches: [watch], mutes: [], digests: [], maintenance: [], polling }
  const text = JSON.stringify(homeWatchBlocks(home))
  expect(text).toContain('1 watch paused: nothing is told there meanwhile.')
  expect(text).not.toContain('Slack takes no messages')
  expect(text).toContain('The health checks have not been seen since ')
})
