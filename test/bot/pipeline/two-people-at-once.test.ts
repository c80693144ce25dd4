import { describe, expect, it } from 'vitest'
import { createThreatEvent } from '../../features/threats/events.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const TAKE = [`/threat take ${ID}`, 'This case is yours now.'] as const
const CHECKS = [{ name: 'web-1' }, { name: 'web-2' }]

interface Pair {
  name: string
  /** What is typed before, and what answers it. */
  before: readonly (readonly [line: string, answer: string])[]
  /** What both type, once `$ID` is replaced. */
  line: string
  findId?: (world: World) => Promise<string | undefined>
  /** What exactly one of them reads, and what the other one does. */
  one: string
  other: string
}

const findWatch = async ({ app }: World) => (await app.store.watching.watches.list(WORKSPACE))[0]?.id
const findSilence = async ({ app }: World) =>
  (await app.store.watching.silences.list(WORKSPACE, new Date()))[0]?.id

const PAIRS: readonly Pair[] = [
  {
    name: 'a watch is ended',
    before: [['/hc watch web-*', 'now watches']],
    line: '/hc unwatch --id $ID',
    findId: findWatch,
    one: 'Ended 1 watch',
    other: 'This watch has already ended.',
  },
  {
    name: 'a mute is ended',
    before: [['/hc mute web-* 2h', 'Muted']],
    line: '/hc unmute $ID',
    findId: findSilence,
    one: 'Unmuted web-*',
    other: 'That silence has already ended, or was canceled.',
  },
  {
    name: 'maintenance is canceled',
    before: [['/hc maintenance web-* --from tomorrow 22:00 --for 2h', 'Planned']],
    line: '/hc maintenance-end $ID',
    findId: findSilence,
    one: 'Canceled maintenance',
    other: 'That silence has already ended, or was canceled.',
  },
  {
    name: 'a case is taken',
    before: [],
    line: `/threat take ${ID}`,
    one: 'This case is yours now.',
    other: 'Do you want to take it over?',
  },
  {
    name: 'a closed case is reopened',
    before: [TAKE, [`/threat down ${ID}`, 'closed']],
    line: `/threat reopen ${ID}`,
    one: 'The case is open again and yours.',
    other: 'This case can’t be reopened now.',
  },
  {
    name: 'a page of a case is watched',
    before: [TAKE],
    line: `/threat watch ${ID}`,
    one: 'was created',
    other: 'Nothing was changed.',
  },
  {
    name: 'a watch is added',
    before: [],
    line: '/hc watch web-*',
    one: 'This channel now watches web-*.',
    other: 'This channel already watches web-*.',
  },
]

describe.each(PAIRS)('if $name by two people at once', ({ before, line, findId, one, other }) => {
  it('exactly one of them is told that they did it, and the other one what is true', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member, admin } = world.slack
    await world.service.storeThreat(ID, createThreatEvent('exa.mple'))
    const run = async (person: typeof member, text: string, until: string | RegExp) => {
      const [command = '', words = ''] = text.split(/ (.*)/)
      return (await person.command(command, words, { until })).text
    }
    for (const [text, answer] of before) await run(member, text, answer)
    const both = line.replace('$ID', (await findId?.(world)) ?? '')
    const either = new RegExp([one, other].map((text) => RegExp.escape(text)).join('|'))
    const answers = await Promise.all([member, admin].map((person) => run(person, both, either)))
    expect(answers.filter((text) => text.includes(one))).toHaveLength(1)
    expect(answers.filter((text) => text.includes(other) && !text.includes(one))).toHaveLength(1)
  })
})
