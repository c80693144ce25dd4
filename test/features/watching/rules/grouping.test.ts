import { expect, it } from 'vitest'
import { runInSlices } from '../../../../packages/runtime/src/event-loop.ts'
import { groupOutages } from '../../../../src/features/watching/rules/grouping.ts'

const createOutage = (name: string, target?: string) => ({
  id: name,
  check: { uuid: name, name, target },
  status: 'UNHEALTHY' as const,
  startedAt: new Date(0),
  isBaseline: false,
  badPolls: 1,
})

it.each([
  {
    label: 'groups checks that went down together by host',
    by: 'host',
    outages: [
      createOutage('a', 'https://one.example.com/a'),
      createOutage('b', 'one.example.com'),
      createOutage('c', 'https://two.example.com/'),
    ],
    groups: [{ label: 'one.example.com', total: 2 }],
  },
  {
    label: 'groups checks that went down together by name prefix',
    by: 'name',
    outages: [createOutage('web-1', 'a.example'), createOutage('WEB-2', 'b.example'), createOutage('db-1')],
    groups: [{ label: 'web*', total: 2 }],
  },
  {
    label: 'doesn’t group checks whose names have no prefix and whose targets have no host',
    by: 'name',
    outages: [createOutage('17'), createOutage('18', 'not a url ://')],
    groups: [],
  },
])('$label', async ({ by, outages, groups }) => {
  expect(await runInSlices(groupOutages(outages))).toEqual({ groupedBy: by, groups })
})
