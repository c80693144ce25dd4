import { describe, expect, it } from 'vitest'
import { createThreatEvent } from '../../features/threats/events.ts'
import { shareWorld } from '../../shared-world.ts'
import { WORKSPACE, type World } from '../../world.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
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
    before: [
      ['/hc watch all', 'watches'],
      ['/hc mute web-* 2h', 'Muted'],
    ],
    line: '/hc unmute $ID',
    findId: findSilence,
    one: 'Ended: the mute of web-*',
    other: 'It has already ended.',
  },
  {
    name: 'a case is taken',
    before: [],
    line: `/threat take ${ID}`,
    one: 'This case is yours now.',
    other: 'Do you want to take it over?',
  },
  {
    name: 'a role is revoked',
    before: [['/hc grant @member approver', 'Saved']],
    line: '/hc revoke @member approver --yes',
    one: 'Revoked: ',
    other: 'They weren’t given this role, so there was nothing to revoke.',
  },
  {
    name: 'a watch is added',
    before: [],
    line: '/hc watch web-*',
    one: 'This channel now watches web-*.',
    other: 'This channel already watches web-*.',
  },
]

const useWorld = shareWorld()

describe.each(PAIRS)('if $name by two people at once', ({ before, line, findId, one, other }) => {
  it('exactly one of them is told that they did it, and the other one what is true', async () => {
    const world = await useWorld(...CHECKS)
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
