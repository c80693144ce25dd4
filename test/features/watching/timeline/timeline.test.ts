import { expect, it } from 'vitest'
import type { Outage } from '../../../../src/domain/outages/outage.ts'
import type { ListedOutage } from '../../../../src/features/watching/rules/card.ts'
import type { CardHistory } from '../../../../src/features/watching/timeline/rules.ts'
import { timelineView } from '../../../../src/features/watching/timeline/views.ts'
import { startWorld } from '../../../world.ts'
import { atTime, createOutage } from '../models.ts'
import { startWatchedWorld, untilPolled, untilPosted } from '../watched-world.ts'

const CARD = {
  id: 'A'.repeat(22),
  environment: 'production',
  channelId: 'C1',
  kind: 'outage',
  openedAt: atTime('09:00'),
  changedAt: atTime('09:00'),
} as const

const createListedOutage = (name: string, changes: Partial<Outage> = {}): ListedOutage => ({
  ...createOutage(name, changes),
  listed: 'here',
  isSilenced: false,
})

const createHistory = (changes: Partial<CardHistory>): CardHistory => ({
  card: CARD,
  version: 1,
  outages: [createListedOutage('web')],
  posts: [],
  calls: [],
  ...changes,
})

const expectInOrder = (text: string, words: readonly string[]): void => {
  const positions = words.map((word) => text.indexOf(word))
  expect(positions, text).not.toContain(-1)
  expect(positions, text).toEqual(positions.toSorted((left, right) => left - right))
}

it('lists outages, posts, and pages in the order in which they happened', () => {
  const { text } = timelineView(
    createHistory({
      posts: [
        { at: atTime('11:00'), reason: 'silence-over' },
        { at: atTime('15:00'), reason: 'reminder' },
      ],
      calls: [{ at: atTime('11:10'), names: '@on-call' }],
      outages: [
        createListedOutage('web', {
          onItChanges: [{ by: 'U1', name: 'Ann', at: atTime('11:20'), kind: 'took' }],
          ...{ endedAt: atTime('16:00'), ending: 'recovered' },
        }),
      ],
    }),
  )
  expectInOrder(text, [
    'Timeline of web: 6 events',
    '🔴 web went down',
    '💬 Posted when the silence ended',
    '📣 Paged',
    '👤 Ann is on it',
    '💬 Reminder posted',
    '🟢 web recovered after 7 h',
  ])
})

it('combines all checks that were down before watching began into one line', () => {
  const names = Array.from({ length: 12 }, (_, index) => `web-${index}`)
  const { text } = timelineView(
    createHistory({ outages: names.map((name) => createListedOutage(name, { isBaseline: true })) }),
  )
  expect(text.match(/down when watching began/g)).toHaveLength(1)
  expect(text).toMatch(/web-0, .*web-9, 2 more/)
})

it('shows all events, page by page', () => {
  const outages = Array.from({ length: 90 }, (_, index) => createListedOutage(`web-${index}`))
  const pages = [1, 2, 3].map((page) => timelineView(createHistory({ outages }), page))
  const [first, , last] = pages
  expect(first?.text).toContain('90 events · page 1 of 3')
  expect(JSON.stringify(first?.blocks)).toContain(`/hc timeline ${CARD.id} --page 2`)
  expect(last?.text).toContain('web-89 went down')
  for (const { check } of outages)
    expect(pages.filter(({ text }) => text.includes(`${check.name} went down`))).toHaveLength(1)
})

it('opens from a button on the card, both during and after the outage', async () => {
  const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'shop *1*', status: 'HEALTHY' }] })
  await using _world = world
  const { member } = world.slack
  await untilPolled(world)
  const [check] = await world.service.checksNamed('shop *1*')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const [down] = await untilPosted(world, channelId, (posts) => posts.length === 1)
  expect((await member.click(down, 'Timeline', { until: 'Timeline of' })).text).toContain('went down')
  await member.click(down, 'I’m on it', { until: 'You’re on it' })
  await untilPosted(world, channelId, ([post]) => post?.text.includes('On it: member') ?? false)
  await world.service.setStatus(check?.uuid ?? '', 'HEALTHY')
  const [up] = await untilPosted(world, channelId, ([post]) => post?.text.includes('is up again') ?? false)
  const { text } = await member.click(up, 'Timeline', { until: 'recovered' })
  expectInOrder(text, ['went down', 'Posted', 'member is on it', 'recovered after'])
})

it('says that an unknown card is no longer stored', async () => {
  await using world = await startWorld()
  const { text } = await world.slack.member.command('/hc', `timeline ${CARD.id}`)
  expect(text).toContain('no longer stored')
})
