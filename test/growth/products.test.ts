import { mapInSlices } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { createPeople } from '../../src/bot/access/actor.ts'
import type { Incident } from '../../src/domain/outages/incident.ts'
import { createHasText } from '../../src/features/cert-orders/choose-order.ts'
import { findForeignNames } from '../../src/features/cert-orders/rules/host-names.ts'
import { createFindWatches } from '../../src/features/watching/rules/matching.ts'
import { requireNamesLeft } from '../../src/features/watching/rules/watch.ts'
import { createOrder } from '../features/cert-orders/details.ts'
import { History } from '../features/watching/rules/history.ts'

const OUTAGES = 40

/** A storm in a channel of so many watches of two names each, and how often a name of a check was read since. */
function startStorm(watches: number) {
  const history = new History([{ escalate: '10m @on-call' }, { escalate: '5m @lead' }])
  for (let nth = 0; nth < OUTAGES; nth += 1) history.statuses.set(`web-${nth}`, 'down')
  history.passMinute()
  const [first] = history.watches
  if (!first) throw new Error('There is no watch.')
  for (let nth = 0; nth < watches; nth += 1)
    history.watches.push({
      ...{ ...first, id: `N${nth}` },
      filter: {
        include: [
          { field: 'name', pattern: `*a${nth}*` },
          { field: 'name', pattern: `*b${nth}*` },
        ],
        exclude: [],
      },
    })
  const read = { names: 0 }
  for (const [id, incident] of history.incidents) {
    const { name } = incident.check
    const check: Incident['check'] = {
      ...incident.check,
      get name() {
        read.names += 1
        return name
      },
    }
    history.incidents.set(id, { ...incident, check })
  }
  return { history, read }
}

it('compares each outage with each watch of a channel once, before the turn in which it decides', async () => {
  const counts: number[] = []
  for (const watches of [50, 100, 200]) {
    const { history, read } = startStorm(watches)
    const findWatches = history.createFindWatches('C1')
    await mapInSlices(history.incidents.values(), findWatches)
    expect(read.names).toBeLessThanOrEqual(OUTAGES * (watches + 2))
    read.names = 0
    history.stepChannel('C1', findWatches)
    counts.push(read.names)
  }
  expect(new Set(counts).size).toBe(1)
})

it('reads the names of outages only for the watches of the channel that is decided', async () => {
  const counts: number[] = []
  for (const others of [0, 100]) {
    const { history, read } = startStorm(5)
    const [first] = history.watches
    for (let nth = 0; first && nth < others; nth += 1)
      history.watches.push({ ...first, id: `O${nth}`, channelId: `C${10 + nth}` })
    const findWatches = history.createFindWatches('C1')
    await mapInSlices(history.incidents.values(), findWatches)
    history.stepChannel('C1', findWatches)
    counts.push(read.names)
  }
  expect(new Set(counts).size).toBe(1)
})

it('reads the names of a request once, however many words or domains they’re compared with', () => {
  const read = { names: 0 }
  const order = createOrder()
  const csr = {
    ...order.content.csr,
    get names() {
      read.names += 1
      return order.content.csr.names
    },
  }
  const counted = { ...order, content: { ...order.content, csr } }
  const count = (run: () => unknown): number => {
    read.names = 0
    run()
    return read.names
  }
  const words = Array.from({ length: 10 }, () => 'example').map((word, nth) => word.slice(0, nth))
  expect(count(() => createHasText(words.join(' '))(counted))).toBe(1)
  expect(count(() => findForeignNames(csr, ['a.example', 'b.example', 'c.example']))).toBe(1)
})

it('asks Slack for a group’s members once, however many people they’re compared with', async () => {
  const calls: string[] = []
  const clients = {
    forWorkspace: async () => ({
      groupMembers: async (id: string) => {
        calls.push(id)
        return ['U1', 'U2']
      },
    }),
  } as unknown as Parameters<typeof createPeople>[0]
  const people = createPeople(clients, () => new Date(0))
  const groups = ['S1', 'S2', 'S3']
  await Promise.all(
    Array.from({ length: 50 }, () =>
      Promise.all(groups.map((group) => people.listMembers({ workspaceId: 'T1' }, group))),
    ),
  )
  expect(calls.toSorted()).toEqual(groups)
})

it('finds the watches of an incident once, and those of each incident apart', () => {
  const { history } = startStorm(3)
  const findWatches = createFindWatches(history.watches)
  const [one, other] = [...history.incidents.values()]
  if (!one || !other) throw new Error('There are no incidents.')
  const renamed: Incident = { ...other, check: { ...other.check, name: 'xa1x' } }
  expect(findWatches(one)).toBe(findWatches(one))
  expect(findWatches(renamed).map(({ watch }) => watch.id)).toContain('N1')
  expect(findWatches(other).map(({ watch }) => watch.id)).not.toContain('N1')
})

it('limits the names of a channel’s watches together, and lets a watch that is over it shrink', () => {
  const filter = (count: number) => ({
    include: Array.from({ length: count }, (_, nth) => ({ field: 'name' as const, pattern: `a${nth}` })),
    exclude: [{ field: 'name' as const, pattern: 'b' }],
  })
  const others = Array.from({ length: 10 }, () => ({ filter: filter(48) }))
  const watch = (count: number, before?: number) => () =>
    requireNamesLeft(others, {
      filter: filter(count),
      ...(before !== undefined && { before: filter(before) }),
    })
  expect(watch(9)).not.toThrow()
  expect(watch(10)).toThrow('this channel would have 501')
  expect(watch(30, 40)).not.toThrow()
  expect(watch(40, 30)).toThrow('names and patterns')
  // A watch of everything counts, too.
  const everything = { filter: { include: [], exclude: [] } }
  expect(() =>
    requireNamesLeft(
      Array.from({ length: 500 }, () => everything),
      everything,
    ),
  ).toThrow('501')
})
