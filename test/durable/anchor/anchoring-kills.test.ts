import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createAnchoring, createPutRecord } from '../../../src/bot/audit/anchor.ts'
import { createLog } from '../../../src/log.ts'
import { KEY_B, makeFolder, SHARED_DATABASES } from '../../databases/databases.ts'
import { rotateKeys } from '../../databases/open.ts'
import { run } from '../../process.ts'

/** Before a record is put outside, and so many turns of the event loop after it: the marks are written meanwhile. */
const MOMENTS = ['before', '0', '1', '2', '4', '8', '16', '32', '64', '128']

describe.each(SHARED_DATABASES)('a process that is killed over the anchor, on $name', ({ start }) => {
  it('leaves no row that is not anchored, and nothing that is called broken', async () => {
    await using database = await start()
    using folder = makeFolder()
    const path = join(folder.path, 'anchor.txt')
    const nobody = { of: () => Promise.reject(new Error('Nobody is asked.')) }
    const put = createPutRecord({ kind: 'file', path }, nobody)
    for (const [lives, moment] of MOMENTS.entries()) {
      await using dying = run('test/durable/anchor/anchoring-child.ts', {
        args: [database.url, database.keys, path, moment],
      })
      expect(await dying.ended, dying.output()).toBe('SIGKILL')

      await using store = await openStore(database)
      const { anchoring, audit } = store
      const faults = async () =>
        (await anchoring.compare(existsSync(path) ? readFileSync(path, 'utf8') : '')).faults
      expect(await faults(), moment).toEqual([])
      // The next one is killed over it too, every other time.
      if (lives % 2 === 0) continue
      const parts = { store, put, now: () => new Date(), log: createLog('silent') }
      await createAnchoring(parts).kind.run({} as never)
      expect(await faults(), moment).toEqual([])
      expect(await anchoring.unanchored()).toMatchObject({ heads: [], wentBack: [] })
      expect(await anchoring.waitingSince()).toBeUndefined()
      for (const workspaceId of ['T1', 'T2'])
        expect(await audit.verify(workspaceId)).toEqual({ rows: lives + 1, faults: [] })
    }
    // A record that was put twice is vouched for as every other one, when its key has gone.
    await rotateKeys({ ...database, keys: `${KEY_B},${database.keys}` })
    await using store = await openStore({ ...database, keys: KEY_B })
    await store.anchoring.anchor([], new Date(), put)
    expect((await store.anchoring.compare(readFileSync(path, 'utf8'))).faults).toEqual([])
  })
})
