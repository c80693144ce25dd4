import { expect, it } from 'vitest'
import { waysOf } from '../../../src/features/help/views.ts'
import { startWorld } from '../../world.ts'

it('offers every verb that people type, with the options and values that its help names', async () => {
  await using world = await startWorld()
  const ways = waysOf(world.app.routes.verbs)
  expect(Object.keys(ways).sort()).toEqual(['/cert-order', '/hc', '/threat'])
  const hc = ways['/hc'] ?? []
  for (const verb of ['list', 'show', 'watch', 'maintenance', 'help'])
    expect(hc.map((way) => way.verb)).toContain(verb)
  expect(hc.map((way) => way.verb)).not.toContain('access-grant')
  const list = hc.find(({ verb }) => verb === 'list')
  expect(list).toMatchObject({ does: expect.stringContaining('List health checks') })
  expect(list?.options).toContainEqual(
    expect.objectContaining({
      flag: 'status',
      values: ['UNHEALTHY', 'INSTALLING', 'HEALTHY'],
      does: 'Status',
    }),
  )
  expect(list?.options.map(({ flag }) => flag)).not.toContain('offset')
  expect(hc.find(({ verb }) => verb === 'show')?.rest).toBe('NAME|UUID')
})
