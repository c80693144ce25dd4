import { expect, it } from 'vitest'
import { MAX_LISTED } from '../../../../src/features/watching/rules/channel/cards.ts'
import { History } from './history.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `check-${index}`)
const readKinds = (world: History) =>
  [...Map.groupBy(world.log, ({ post }) => (post.responders ? 'page' : post.kind))].map(
    ([kind, all]) => `${all.length} ${kind}`,
  )
const findCard = (world: History) => [...world.posts.values()].findLast(({ kind }) => kind === 'card')

it('posts one card about a thousand outages at once, which says how many aren’t listed, and one reply', () => {
  const world = new History([{ escalate: '10m @on-call' }])
  world.passMinute()
  world.passMinute(names(1000).map((name) => `down ${name}`))
  expect(world.known.size).toBe(MAX_LISTED)
  expect(findCard(world)?.unlisted).toBe(1000 - MAX_LISTED)
  for (let minute = 0; minute < 12; minute += 1) world.passMinute()
  expect(readKinds(world)).toEqual(['1 card', '1 page'])
  world.passMinute(names(1000).map((name) => `up ${name}`))
  expect(findCard(world)?.unlisted).toBeUndefined()
  for (let minute = 0; minute < 40; minute += 1) world.passMinute()
  expect(readKinds(world)).toEqual(['1 card', '1 page', '1 reply'])
})

it('lists more once others are over', () => {
  const world = new History([{}])
  world.passMinute()
  world.passMinute(names(MAX_LISTED + 3).map((name) => `down ${name}`))
  world.passMinute(names(2).map((name) => `up ${name}`))
  for (let minute = 0; minute < 31; minute += 1) world.passMinute()
  expect(world.known.size).toBe(MAX_LISTED + 2)
  expect(findCard(world)?.unlisted).toBe(1)
})

it('lists what goes down instead of what was down before the watch, or is up again', () => {
  const world = new History([{ escalate: '10m @on-call' }])
  world.passMinute(names(MAX_LISTED + 20).map((name) => `down ${name}`))
  world.passMinute(['down db'])
  for (let minute = 0; minute < 10; minute += 1) world.passMinute()
  expect(world.log.map(({ text }) => text).slice(1)).toEqual(['2 card: db', '12 page @on-call: db'])
  expect(findCard(world)?.unlisted).toBe(21)
  const other = new History([{}])
  other.passMinute()
  other.passMinute(names(MAX_LISTED).map((name) => `down ${name}`))
  other.passMinute(names(MAX_LISTED).map((name) => `up ${name}`))
  other.passMinute(['down db'])
  for (let minute = 0; minute < 3; minute += 1) other.passMinute()
  expect(other.log.at(-1)?.text).toBe('4 card: db')
})

it('keeps what somebody is on, though a full channel lists what goes down', () => {
  const world = new History([{ escalate: '10m @on-call' }])
  world.passMinute(names(MAX_LISTED).map((name) => `down ${name}`))
  world.passMinute(['Bea takes check-0'])
  world.passMinute(['down db'])
  const isListed = (name: string) => world.known.has(`C1 ${world.find(name)?.id}`)
  expect(['db', 'check-0', 'check-1'].map(isListed)).toEqual([true, true, false])
})
