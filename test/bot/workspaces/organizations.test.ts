import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'

it.each(SHARED_DATABASES)(
  'assigns a workspace to the organization that it joined last, on $name',
  async ({ start }) => {
    await using database = await start()
    await using store = await openStore(database)
    const { organizations } = store
    expect(await organizations.find('T1')).toBeUndefined()
    for (const [workspace, organization] of [
      ['T2', 'E1'],
      ['T1', 'E1'],
      ['T1', 'E1'],
      ['T3', 'E"2'],
    ] as const)
      await organizations.join(workspace, organization)
    expect(await organizations.find('T1')).toBe('E1')
    expect(await organizations.listWorkspaces('E1')).toEqual(['T1', 'T2'])
    expect(await organizations.listWorkspaces('E"2')).toEqual(['T3'])
    await organizations.join('T1', 'E"2')
    expect(await organizations.listWorkspaces('E1')).toEqual(['T2'])
  },
)
