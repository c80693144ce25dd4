import { describe, expect, it } from 'vitest'
import { UNSEEN } from '../../../src/domain/takedown-watch.ts'
import { openStore, type Store, type TakedownWatch } from '../../../src/store/store.ts'
import { DATABASES } from '../databases.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const EVENT = { workspaceId: 'T1', environment: 'production', eventId: 'e1' } as const

async function begun(
  { takedownWatches }: Store,
  { id, ...more }: Partial<TakedownWatch> & { id: string },
): Promise<TakedownWatch> {
  const held = await takedownWatches.reserve({
    ...EVENT,
    id,
    enterpriseId: undefined,
    checkName: 'Takedown exa[.]mple [7e57ed00]',
    target: 'exa.mple',
    by: { userId: 'U1', name: 'Ann' },
    madeAt: NOW,
    state: UNSEEN,
    told: 0,
    news: [],
    ...more,
  })
  await takedownWatches.begin(held, `check of ${id}`)
  return { ...held, checkUuid: `check of ${id}` }
}

describe.each(DATABASES)('watches until something is down in $name', ({ start }) => {
  it('do not bring back whoever was erased while a look went on', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { takedownWatches: watches } = store
    const read = await begun(store, { id: 'w1' })
    expect(await watches.erasePerson('T1', 'U1')).toBe(1)
    expect(await watches.save(read, { ...read, told: 3 })).toBe(true)
    expect(await watches.find(EVENT)).toMatchObject({ told: 3, by: { userId: 'erased', name: 'somebody' } })
    expect(await watches.erasePerson('T1', 'U1')).toBe(0)
  })
})
