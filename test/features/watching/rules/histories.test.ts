import { describe, expect, it } from 'vitest'
import { HISTORIES } from './histories.ts'
import { History, MINUTE_MS, play } from './history.ts'

describe.each(Object.entries(HISTORIES))('%s', (_, histories) => {
  it.each(Object.entries(histories))('%s', (__, { events, reads, watches, until }) => {
    expect(play(events, { ...(watches && { watches }), ...(until && { until }) })).toEqual(reads)
  })
})

it('edits an open card when its checks can’t be seen and when they can again, and not one that is over', () => {
  const world = new History([{}])
  const readVersions = () =>
    [...world.posts.values()].flatMap((post) => (post.kind === 'card' ? post.version : []))
  const passMinutes = (minutes: number, ...events: string[]) => {
    world.passMinute(events)
    for (let minute = 1; minute < minutes; minute += 1) world.passMinute()
  }
  passMinutes(2)
  passMinutes(2, 'down over')
  passMinutes(35, 'up over')
  passMinutes(5, 'down open')
  const [over = 0, open = 0] = readVersions()
  passMinutes(1, 'unseen')
  expect(readVersions().slice(0, 2)).toEqual([over, open + 1])
  passMinutes(3)
  expect(readVersions().slice(0, 2)).toEqual([over, open + 1])
  passMinutes(1, 'seen')
  expect(readVersions().slice(0, 2)).toEqual([over, open + 2])
})

it.each([
  ['set back', -120, 0],
  ['ahead once', 24 * 60, -24 * 60],
])('pages in time after the clock was %s', (_, first, then) => {
  const world = new History([{ escalate: '10m @on-call' }])
  for (const events of [[], ['down a']]) world.passMinute(events)
  world.nowMs += first * MINUTE_MS
  world.poll()
  world.decide()
  world.nowMs += then * MINUTE_MS
  const before = world.log.length
  for (let minute = 0; minute < 11; minute += 1) world.passMinute()
  expect(world.log.slice(before).map(({ text }) => text.replace(/^-?\d+ /, ''))).toEqual(['page @on-call: a'])
})

it('pages in time if the clock was ahead during the first bad polls', () => {
  const world = new History([{ after: 3, escalate: '10m @on-call' }])
  world.nowMs += 120 * MINUTE_MS
  for (const events of [[], ['down a'], []]) world.passMinute(events)
  world.nowMs -= 120 * MINUTE_MS
  for (let minute = 0; minute < 12; minute += 1) world.passMinute()
  const reads = world.log.map(({ text }) => text.replace(/^\d+ /, ''))
  expect(reads.filter((text) => text.startsWith('page'))).toEqual(['page @on-call: a'])
})

it('names what is still down in a page by hand that Slack delayed', () => {
  const world = new History([{}])
  for (const events of [[], ['down a', 'down b']]) world.passMinute(events)
  const incidentIds = ['a', 'b'].flatMap((name) => world.find(name)?.id ?? [])
  world.pageNow = { channelId: 'C1', askedBy: 'Bea', incidentIds, responders: [{ name: '@lee' }] }
  world.passMinute(['hold'])
  world.passMinute(['up a', 'send'])
  const pages = world.log.flatMap(({ text, post }) => (post.responders ? text : []))
  expect(pages).toEqual(['4 page @lee by Bea: b'])
})

it.each(['name', 'target', 'protocol'] as const)('edits the card of a check that has another %s', (fact) => {
  const world = new History([{}])
  for (const events of [[], ['down shop']]) world.passMinute(events)
  const [card] = world.posts.values()
  const check = world.find('shop')?.check ?? { uuid: '', name: '' }
  world.change('shop', { check: { ...check, [fact]: 'HTTPS' } })
  world.decide()
  world.decide()
  expect([...world.posts.values()].map(({ version }) => version)).toEqual([Number(card?.version) + 1])
})

it('has no more use for a note or a reply, or for a card on which everything is over, so that they are deleted some day', () => {
  const world = new History([{ escalate: '10m @on-call' }])
  for (const events of [[], ['down a'], ['down b']]) world.passMinute(events)
  for (let minute = 0; minute < 30; minute += 1) world.passMinute()
  world.passMinute(['up a', 'up b'])
  const listOpen = () => [...world.posts.values()].flatMap((post) => (post.closedAt ? [] : post.kind))
  expect(new Set([...world.posts.values()].map(({ kind }) => kind))).toEqual(
    new Set(['card', 'note', 'reply']),
  )
  expect(new Set(listOpen())).toEqual(new Set(['card', 'note']))
  for (let minute = 0; minute < 31; minute += 1) world.passMinute()
  expect(listOpen()).toEqual([])
})
