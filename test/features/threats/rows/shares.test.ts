import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'

const EVENT = { workspaceId: 'T1', environment: 'production', eventId: 'e1' } as const
const OTHER_EVENT = { ...EVENT, eventId: 'e2' }
const atMinute = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 12, minute))

describe.each(SHARED_DATABASES)('the cards of a threat event in $name', ({ start }) => {
  it('include only the newest card in each channel, and are outdated until they show the current case', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatShares: shares } = store
    await shares.add(EVENT, { channelId: 'C1', messageTs: '1' }, atMinute(1))
    await shares.add(EVENT, { channelId: 'C2', messageTs: '2' }, atMinute(2))
    await shares.add(OTHER_EVENT, { channelId: 'C3', messageTs: '3' }, atMinute(3))
    expect(await shares.findNewest(EVENT)).toEqual({ channelId: 'C2', messageTs: '2' })
    const first = await shares.findOutdated(EVENT, 1, '2')
    expect(first).toEqual({ channelId: 'C1', messageTs: '1' })
    await shares.markShown(EVENT, { channelId: 'C1', messageTs: '1' }, 1)
    expect(await shares.findOutdated(EVENT, 1, '2')).toBeUndefined()
    expect(await shares.findOutdated(EVENT, 2, '2')).toEqual(first)
    // The event is shared in C1 again. From now on, updates of the earlier card there don't count.
    await shares.add(EVENT, { channelId: 'C1', messageTs: '4' }, atMinute(4))
    await shares.markShown(EVENT, { channelId: 'C1', messageTs: '1' }, 9)
    await shares.remove(EVENT, { channelId: 'C1', messageTs: '1' })
    expect(await shares.findOutdated(EVENT, 1, '2')).toEqual({ channelId: 'C1', messageTs: '4' })
    await shares.remove(EVENT, { channelId: 'C1', messageTs: '4' })
    expect(await shares.findOutdated(EVENT, 1, '2')).toBeUndefined()
    expect(await shares.findNewest(EVENT)).toEqual({ channelId: 'C2', messageTs: '2' })
  })

  it('are limited to ten, and are deleted after 90 days or with their channel or workspace', async () => {
    await using database = await start()
    const clock = () => new Date(atMinute(14).getTime() + 90 * 86_400_000)
    await using store = await openStore({ ...database, clock })
    const { threatShares: shares } = store
    async function markAllShown(version: number): Promise<string[]> {
      const channels: string[] = []
      for (let card = await shares.findOutdated(EVENT, version, undefined); card; ) {
        channels.push(card.channelId)
        await shares.markShown(EVENT, card, version)
        card = await shares.findOutdated(EVENT, version, undefined)
      }
      return channels.toSorted()
    }
    for (let index = 10; index < 22; index += 1)
      await shares.add(EVENT, { channelId: `C${index}`, messageTs: `${index}` }, atMinute(index))
    expect(await markAllShown(1)).toEqual(Array.from({ length: 10 }, (_, index) => `C${index + 12}`))
    await shares.removeFromChannel(EVENT, 'C20')
    await store.sweepRows()
    expect(await markAllShown(2)).toEqual(['C14', 'C15', 'C16', 'C17', 'C18', 'C19', 'C21'])
    await store.forgetWorkspace('T1')
    await shares.add({ ...EVENT, workspaceId: 'T2' }, { channelId: 'C1', messageTs: '1' }, atMinute(1))
    expect(await shares.findOutdated(EVENT, 100, undefined)).toBeUndefined()
    expect(await shares.findOutdated({ ...EVENT, workspaceId: 'T2' }, 1, undefined)).toBeDefined()
  })
})
