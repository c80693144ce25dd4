import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { startChild } from '../../databases/children.ts'
import { EMPTY_DATABASES, SHARED_DATABASES } from '../../databases/databases.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom } from '../../random.ts'

const ROUNDS = quickOrLong('SAVE_KILLS', { quick: 1, long: 200 })
const MAX_SAVES_BEFORE_KILL = 40
const random = createRandom()

describe.each(EMPTY_DATABASES)('several processes on $name', ({ name, start }) => {
  it('can create a new database at the same time, and then use the same key', async () => {
    await using database = await start()
    const { url } = database
    // On a SQLite file, this also creates the key.
    const keys = name === 'PostgreSQL' ? database.keys : ''
    const names = ['T1', 'T2', 'T3']
    const children = await Promise.all(names.map((name) => startChild('open', { url, keys, name })))
    for (const child of children) child.go()
    await Promise.all(children.map((child) => child.finish()))
    await using store = await openStore({ url, keys })
    for (const id of names) {
      expect((await store.connections.find(id, 'production'))?.token).toBe(`token of ${id}`)
    }
  })
})

describe.each(SHARED_DATABASES)('several processes on $name', ({ name, start }) => {
  it(`lose no acknowledged write when killed ${ROUNDS} times`, async () => {
    await using database = await start()
    const options = { url: database.url, keys: name === 'PostgreSQL' ? database.keys : '' }
    const saved: string[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      const acknowledged = await killWhileSaving({ ...options, name: String(round) }, round === 1 ? 1 : 0)
      saved.push(...acknowledged.map((save) => `${round}-${save}`))
      await using store = await openStore(options)
      expect(await listMissing(store, saved)).toEqual([])
      const last = (await store.connections.find('replaced', 'production'))?.token ?? ''
      expect(isAtLeast(last, round, acknowledged.at(-1))).toBe(true)
    }
    expect(saved.length).toBeGreaterThan(0)
  })
})

/** Kills a child after a random number of saves, at least `minSaves`. Returns the numbers of the saves that it reported. */
async function killWhileSaving(
  options: { url: string; keys: string; name: string },
  minSaves: number,
): Promise<number[]> {
  await using child = await startChild('save', options)
  child.go()
  const acknowledged: number[] = []
  const stopAfter = Math.max(minSaves, random.below(MAX_SAVES_BEFORE_KILL))
  while (acknowledged.length < stopAfter) acknowledged.push(Number(await child.line()))
  return [...acknowledged, ...(await child.kill()).map(Number)]
}

/** Lists the workspaces whose connection is missing, or whose token differs from the saved one. */
async function listMissing(store: Store, workspaces: readonly string[]): Promise<string[]> {
  const missing: string[] = []
  for (const workspace of workspaces) {
    const found = await store.connections.find(workspace, 'production')
    if (found?.token !== `token of ${workspace}`) missing.push(workspace)
  }
  return missing
}

/** Whether the token, such as "3 17" for save 17 in round 3, is from this round and from this save or a later one. */
function isAtLeast(token: string, round: number, save: number | undefined): boolean {
  if (save === undefined) return true
  const [foundRound = 0, foundSave = 0] = token.split(' ').map(Number)
  return foundRound === round && foundSave >= save
}
