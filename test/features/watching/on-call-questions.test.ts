import { describe, expect, it } from 'vitest'
import { startWatchedWorld, untilPolled, untilPosted } from './watched-world.ts'

/** What a person on call types without having read anything, and presses at most once. */
const QUESTIONS: readonly { wants: string; types: string; presses?: string; says: string }[] = [
  { wants: 'what is down?', types: 'down', says: 'web-1' },
  { wants: 'since when is it down?', types: 'show web-1', says: 'Watched in' },
  { wants: 'how often was it down?', types: 'history web-1', says: 'of the time that was observed' },
  { wants: 'what does this channel watch?', types: 'watches', says: '1 watch in this channel' },
  {
    wants: 'be quiet about it',
    types: 'mute web-1',
    presses: '1 hour',
    says: 'Muted web-1 in production, in this channel',
  },
  { wants: 'what is muted here?', types: 'watches', says: '1 mute' },
  { wants: 'stop being quiet', types: 'unmute', presses: 'web-1', says: 'Unmuted web-1 in production' },
  {
    wants: 'wake somebody up if nobody takes it',
    types: 'watch web-* --escalate "10m @on-call"',
    says: 'after 10 min if nobody is on it',
  },
  {
    wants: 'announce planned work',
    types: 'maintenance web-2 --from now --for 1h --because "new disks"',
    says: 'Started maintenance of web-2 in production, in this channel',
  },
  { wants: 'what is planned?', types: 'maintenance', says: 'Maintenance: 1 under way' },
]

describe('a person on call', () => {
  it('gets each answer in two steps at most, without a wrong turn', { timeout: 120_000 }, async () => {
    const { world, channelId } = await startWatchedWorld({
      checks: [
        { name: 'web-1', status: 'HEALTHY' },
        { name: 'web-2', status: 'HEALTHY' },
      ],
    })
    await using _world = world
    const { member } = world.slack
    await untilPolled(world)
    const [check] = await world.service.checksNamed('web-1')
    await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
    await untilPosted(world, channelId, (posts) => posts.length === 1)
    for (const { wants, types, presses, says } of QUESTIONS) {
      const first = await member.command('/hc', types, presses ? {} : { until: says })
      const { text } = presses ? await member.click(first.message, presses, { until: says }) : first
      expect(text, wants).toContain(says)
    }
  })
})
