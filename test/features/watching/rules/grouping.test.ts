import { expect, it } from 'vitest'
import { runInSlices } from '../../../../packages/runtime/src/event-loop.ts'
import { groupChecks } from '../../../../src/features/watching/rules/grouping.ts'

const createCheck = (name: string, target?: string) => ({ uuid: name, name, target })

it.each([
  {
    label: 'groups checks that went down together by host',
    by: 'host',
    checks: [
      createCheck('a', 'https://one.example.com/a'),
      createCheck('b', 'one.example.com'),
      createCheck('c', 'https://two.example.com/'),
    ],
    groups: [{ label: 'one.example.com', total: 2 }],
  },
  {
    label: 'groups checks that went down together by name prefix',
    by: 'name',
    checks: [createCheck('web-1', 'a.example'), createCheck('WEB-2', 'b.example'), createCheck('db-1')],
    groups: [{ label: 'web*', total: 2 }],
  },
  {
    label: 'doesn’t group checks whose names have no prefix and whose targets have no host',
    by: 'name',
    checks: [createCheck('17'), createCheck('18', 'not a url ://')],
    groups: [],
  },
])('$label', async ({ by, checks, groups }) => {
  expect(await runInSlices(groupChecks(checks))).toEqual({ groupedBy: by, groups })
})

it('names the eight largest groups', async () => {
  const checks = Array.from({ length: 10 }, (_, nth) =>
    Array.from({ length: nth + 2 }, () => createCheck('a', `host-${nth}.example`)),
  ).flat()
  const { groups } = await runInSlices(groupChecks(checks))
  expect(groups.map(({ label, total }) => `${label} ${total}`)).toEqual(
    [9, 8, 7, 6, 5, 4, 3, 2].map((nth) => `host-${nth}.example ${nth + 2}`),
  )
})
