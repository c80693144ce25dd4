import { expect, it } from 'vitest'
import type { CardHistory } from '../../../../src/features/watching/timeline/rules.ts'
import { timelineView } from '../../../../src/features/watching/timeline/views.ts'
import { startWorld, WORKSPACE } from '../../../world.ts'
import { atTime, createCard, createListedIncident } from '../models.ts'
import { startWatchedWorld, untilPolled, untilPosted } from '../watched-world.ts'

const CARD = createCard({ id: 'A'.repeat(22) })

const createHistory = (changes: Partial<CardHistory>): CardHistory => ({
  card: CARD,
  version: 1,
  incidents: [createListedIncident('web')],
  movedTo: [],
  events: [],
  ...changes,
})

const fell = (incidentId: string) => ({ incidentId, at: atTime('09:00'), kind: 'down' }) as const

const expectInOrder = (text: string, words: readonly string[]): void => {
  const positions = words.map((word) => text.indexOf(word))
  expect(positions, text).not.toContain(-1)
  expect(positions, text).toEqual(positions.toSorted((left, right) => left - right))
}

it('lists what happened, messages, and pages in order, each message and press once', () => {
  const posted = { kind: 'posted', channelId: 'C1', cardId: 'a' } as const
  const { text } = timelineView(
    createHistory({
      incidents: [createListedIncident('web'), createListedIncident('api')],
      events: [
        fell('web'),
        fell('api'),
        ...['web', 'api'].map((incidentId) => ({
          ...posted,
          incidentId,
          at: atTime('11:00'),
          details: { reason: 'silence-over' as const },
        })),
        // Another channel's message.
        { ...posted, incidentId: 'web', channelId: 'C2', cardId: 'b', at: atTime('11:05') },
        ...['web', 'api'].map((incidentId) => ({
          ...{ kind: 'paged' as const, channelId: 'C2', cardId: 'p', incidentId },
          ...{ at: atTime('11:10'), details: { names: '@on-call' } },
        })),
        ...['web', 'api'].map((incidentId) => ({
          ...{ kind: 'took' as const, incidentId, at: atTime('11:20'), details: { byName: 'Ann' } },
        })),
        { kind: 'up', incidentId: 'web', at: atTime('16:00') },
        { kind: 'over', incidentId: 'web', at: atTime('16:10'), details: { ending: 'recovered' } },
      ],
    }),
  )
  expectInOrder(text, [
    'Timeline of 2 health checks: 7 events',
    '🔴 web went down',
    '🔴 api went down',
    '💬 Posted when the silence ended: web, api',
    '📣 Paged',
    '👤 Ann is on it',
    '🟢 web went up',
    '⚪ Over: web stayed up for ten minutes',
  ])
})

it('says that a check was down before watching began', () => {
  const incidents = [createListedIncident('web', { isBaseline: true })]
  expect(timelineView(createHistory({ incidents, events: [fell('web')] })).text).toContain(
    '🔴 Already down when watching began: web',
  )
})

it('shows all events, page by page', () => {
  const incidents = Array.from({ length: 90 }, (_, index) => createListedIncident(`web-${index}`))
  const events = incidents.map(({ id }) => fell(id))
  const pages = [1, 2, 3].map((page) => timelineView(createHistory({ incidents, events }), page))
  const [first, , last] = pages
  expect(first?.text).toContain('90 events · page 1 of 3')
  expect(JSON.stringify(first?.blocks)).toContain(`/hc timeline ${CARD.id} --page 2`)
  expect(last?.text).toContain('web-89 went down')
  for (const { check } of incidents)
    expect(pages.filter(({ text }) => text.includes(`${check.name} went down`))).toHaveLength(1)
})

it('names the environment that can’t be seen, and opens the history of all checks', () => {
  const blind = createListedIncident('production', { check: { uuid: '', name: 'production' } })
  const { text, blocks } = timelineView(createHistory({ incidents: [blind], events: [fell('production')] }))
  expect(text).toContain('Timeline of Seeing the health checks')
  expect(text).not.toContain('production')
  expect(JSON.stringify(blocks)).toContain('"/hc history"')
})

it('doesn’t count or describe the environment as a health check', () => {
  const blind = createListedIncident('production', { check: { uuid: '', name: 'production' } })
  const web = createListedIncident('web')
  const at = CARD.openedAt
  const events = [
    fell('production'),
    { ...fell('production'), kind: 'up' as const, at: new Date(at.getTime() + 60_000) },
    { ...fell('production'), kind: 'over' as const, at: new Date(at.getTime() + 120_000) },
    { ...fell('web'), at: new Date(at.getTime() + 180_000) },
  ]
  const { text } = timelineView(createHistory({ incidents: [blind, web], events }))
  expect(text).toContain('Timeline of 1 health check and seeing the others: 4 events')
  expectInOrder(text, [
    '⚫ I couldn’t see the health checks',
    '🟢 I saw the health checks again',
    '⚪ Over: I’ve seen the health checks for ten minutes',
    '🔴 web went down',
  ])
  const unwatched = { ...fell('production'), kind: 'over' as const, details: { ending: 'unseen' as const } }
  expect(timelineView(createHistory({ incidents: [blind], events: [unwatched] })).text).toContain(
    '⚪ Over: nobody watches the health checks anymore',
  )
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
  await untilPosted(world, channelId, ([post]) => post?.text.includes('Member is on it') ?? false)
  await world.service.setStatus(check?.uuid ?? '', 'HEALTHY')
  const [up] = await untilPosted(world, channelId, ([post]) => post?.text.includes('is up again') ?? false)
  const { text } = await member.click(up, 'Timeline', { until: 'went up' })
  expectInOrder(text, ['went down', 'Posted', 'Member is on it', 'went up'])
})

it('says that an unknown card lists no outages', async () => {
  await using world = await startWorld()
  const { text } = await world.slack.member.command('/hc', `timeline ${CARD.id}`)
  expect(text).toContain('This card lists no outages anymore.')
})

it('lists a message when Slack got it, not when it was decided', async () => {
  const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'shop', status: 'HEALTHY' }] })
  await using _world = world
  await untilPolled(world)
  await world.slack.faults({ method: 'chat.postMessage', kind: 'error', error: 'internal_error', times: 3 })
  const [check] = await world.service.checksNamed('shop')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const [post] = await untilPosted(world, channelId, (posts) => posts.length === 1)
  const [, cardId = ''] = /timeline ([\w-]{22})/.exec(JSON.stringify(post?.blocks)) ?? []
  const history = await world.app.store.watching.readCardHistory(WORKSPACE, cardId)
  const posted = history?.events.find(({ kind }) => kind === 'posted')
  expect(posted?.at.getTime()).toBe(Math.floor(Number(post?.ts) * 1000))
})
