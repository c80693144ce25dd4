import { expect, it } from 'vitest'
import { runInSlices } from '../../../../packages/runtime/src/turns.ts'
import { groupOutages } from '../../../../src/features/watching/rules/grouping.ts'

const outage = (name: string, target?: string) => ({
  id: name,
  check: { uuid: name, name, target },
  status: 'UNHEALTHY' as const,
  startedAt: new Date(0),
  isBaseline: false,
  badPolls: 1,
})

it.each([
  {
    by: 'host',
    outages: [
      outage('a', 'https://one.example.com/a'),
      outage('b', 'one.example.com'),
      outage('c', 'https://two.example.com/'),
    ],
    groups: [{ label: 'one.example.com', total: 2 }],
  },
  {
    by: 'name',
    outages: [outage('web-1', 'a.example'), outage('WEB-2', 'b.example'), outage('db-1')],
    groups: [{ label: 'web*', total: 2 }],
  },
  {
    by: 'name',
    outages: [outage('17'), outage('18', 'not a url ://')],
    groups: [],
  },
])('groups checks that went down together by $by', async ({ by, outages, groups }) => {
  expect(await runInSlices(groupOutages(outages))).toEqual({ groupedBy: by, groups })
})
