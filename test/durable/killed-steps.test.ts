import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  backUp,
  markRestored,
  openVerified,
  RESTORED,
  restoreBackup,
  rotateKeys,
  WHOLE_STORE,
} from '../../packages/durable/src/index.ts'
import { MODEL } from '../../src/app/model.ts'
import { openStore, type Store } from '../../src/app/store.ts'
import { KEY_A, KEY_B, makeFolder, SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf, quickOrLong } from '../long.ts'
import { runFile } from '../process.ts'
import { createRandom } from '../random.ts'

/** How many of the steps are tried, chosen by the seed. A long run tries all. */
const KILLS = quickOrLong('STEP_KILLS', { quick: 3, long: 1000 })
const ACT = { workspaceId: 'T1', kind: 'act', personId: 'U1' }

interface Job {
  job: 'restore' | 'mark' | 'rotate'
  url: string
  keys: string
  backup?: string
}

/** Runs the job, and kills it right before this step, if there is one. Returns its number of steps if it finished. */
async function runUntil({ job, url, keys, backup = '' }: Job, step: number): Promise<number | undefined> {
  await using process = runFile('test/durable/killed-step-child.ts', {
    args: [job, url, keys, backup, String(step)],
  })
  const end = await process.ended
  if (end === 'SIGKILL') return undefined
  const [, steps] = /^done (\d+)$/m.exec(process.output()) ?? []
  if (end !== 0 || steps === undefined) throw new Error(`${job} failed at step ${step}: ${process.output()}`)
  return Number(steps)
}

/** The steps to be killed at, of a job with this many. */
function chooseSteps(count: number): number[] {
  const random = createRandom()
  const all = Array.from({ length: count }, (_, index) => index + 1)
  while (all.length > KILLS) all.splice(random.below(all.length), 1)
  return all
}

async function fill(store: Store): Promise<void> {
  for (const key of ['one', 'two', 'three']) await store.work.add({ ...ACT, key, body: { key } }, 'waiting')
  await store.settings.set('T1', { key: 'days', read: Number }, 7)
}

/** What must be true after every opening of a restored database: progress is forgotten, once. */
async function expectRestored(database: { url: string; keys: string }): Promise<void> {
  {
    await using store = await openStore(database)
    expect(await store.settings.get('T1', { key: 'days', read: Number })).toBe(7)
    expect(await store.settings.get(WHOLE_STORE, RESTORED)).toMatchObject({ restoredAt: expect.any(String) })
    expect(await store.work.listOpen('T1', ['act'])).toEqual([])
    await store.work.add({ ...ACT, key: 'later' }, 'waiting')
  }
  await using again = await openStore(database)
  expect(await again.work.listOpen('T1', ['act'])).toMatchObject([{ key: 'later' }])
}

it('a restore that is killed at any of its steps is finished by the next one, or by the next start', async () => {
  using folder = makeFolder()
  const [file, backup] = [join(folder.path, 'a.db'), join(folder.path, 'a.backup')]
  {
    await using store = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
    await fill(store)
    await backUp(file, backup)
    await store.settings.set('T1', { key: 'days', read: Number }, 8)
  }
  const restoreTo = (name: string): Job => ({
    ...{ job: 'restore', url: `sqlite:${join(folder.path, name)}`, keys: KEY_A, backup },
  })
  const count = (await runUntil(restoreTo('whole.db'), 0)) ?? 0
  expect(count).toBeGreaterThan(20)
  for (const step of chooseSteps(count)) {
    const job = restoreTo(`${step}.db`)
    expect(await runUntil(job, step)).toBeUndefined()
    // It's all there or not at all.
    const path = join(folder.path, `${step}.db`)
    if (!existsSync(path)) await restoreBackup(backup, path, { model: MODEL, keys: KEY_A })
    await expectRestored(job)
  }
})

describe.each(eitherOf(SHARED_DATABASES))('on $name', ({ start }) => {
  it('a mark of a restore that is killed at any step leaves the database as it was, or as restored', async () => {
    await using whole = await start()
    await using _store = await openStore(whole)
    const count = (await runUntil({ job: 'mark', ...whole }, 0)) ?? 0
    for (const step of chooseSteps(count)) {
      await using database = await start()
      {
        await using store = await openStore(database)
        await fill(store)
      }
      expect(await runUntil({ job: 'mark', ...database }, step)).toBeUndefined()
      {
        const { database: opened } = await openVerified({ ...database, model: MODEL })
        await using _closing = opened
        await markRestored(opened)
      }
      await expectRestored(database)
    }
  })

  it('a rotation that is killed at any step is finished by the next one, and no start lacks a key meanwhile', async () => {
    const both = `${KEY_B},${KEY_A}`
    const startFilled = async () => {
      const database = await start()
      await using store = await openStore({ url: database.url, keys: KEY_A })
      await fill(store)
      return database
    }
    await using whole = await startFilled()
    const count = (await runUntil({ job: 'rotate', url: whole.url, keys: both }, 0)) ?? 0
    for (const step of chooseSteps(count)) {
      await using database = await startFilled()
      const { url } = database
      expect(await runUntil({ job: 'rotate', url, keys: both }, step)).toBeUndefined()
      for (const keys of [KEY_A, KEY_B]) await expectNothingHalf(url, keys)
      {
        const { database: opened, keys } = await openVerified({ url, keys: both, model: MODEL })
        await using _closing = opened
        await rotateKeys(opened, keys)
      }
      await using store = await openStore({ url, keys: KEY_B })
      expect((await store.work.listOpen('T1', ['act'])).map(({ body }) => body)).toHaveLength(3)
      await expect(openStore({ url, keys: KEY_A })).rejects.toThrow('encrypted with the key "b"')
    }
  })
})

/** With one of two keys, the database opens only if that key opens all of it. */
async function expectNothingHalf(url: string, keys: string): Promise<void> {
  const opened = await openStore({ url, keys }).catch((error: unknown) => {
    expect(error).toMatchObject({
      kind: 'wrong-key',
      message: expect.stringMatching(/isn’t among the encryption keys/),
    })
    return undefined
  })
  if (!opened) return
  await using store = opened
  for (const { body } of await store.work.listOpen('T1', ['act']))
    expect(body).toMatchObject({ key: expect.any(String) })
}
