import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'

it('counts the rows that contain each name of a person', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const append = (userId: string, object: string) =>
    store.audit.append({
      ...{ workspaceId: 'T1', at: new Date(0), actor: { userId }, verb: 'v', object },
      ...{ outcome: 'done', reference: 'r' },
    })
  await append('U1', 'ann@x.test')
  await append('U1', 'web')
  await append('U2', 'ann@x.test, ann@x.test')
  await append('U2', 'joann@x.test')
  const counts = await store.audit.countMentionsByName('T1', {
    userId: 'U1',
    alsoKnownAs: ['ann@x.test', 'Bo'],
  })
  expect([...counts]).toEqual([
    ['U1', 2],
    ['ann@x.test', 2],
    ['Bo', 0],
  ])
})
