import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { startChild } from '../../databases/children.ts'
import { KEY_A, KEY_B, SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase, rotateKeys } from '../../databases/open.ts'
import { eitherOf, quickOrLong } from '../../long.ts'

const KILLS = quickOrLong('ROTATION_KILLS', { quick: 2, long: 60 })
const MAX_BATCHES_BEFORE_KILL = 4
/** Enough rows, in batches of ten, that all killed rotations together can't finish. */
const WORKSPACES = (KILLS * MAX_BATCHES_BEFORE_KILL + 2) * 10
const NOW = new Date('2026-03-01T12:00:00.000Z')

async function addConnections(url: string, keys: string): Promise<void> {
  await using store = await openStore({ url, keys })
  const saves = Array.from({ length: WORKSPACES }, (_, i) =>
    store.connections.save({
      workspaceId: `T${i}`,
      environment: 'production',
      token: `token of T${i}`,
      userId: 'U1',
      now: NOW,
    }),
  )
  const auditEvent = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
  const auditEvents = Array.from({ length: 20 }, (_, i) =>
    store.audit.append({ ...auditEvent, workspaceId: `T${i}` }),
  )
  await Promise.all([...saves, ...auditEvents])
}

/** Kills a rotation after at least this many batches. Returns how many it finished. */
async function killWhileRotating(
  options: { url: string; keys: string; name: string },
  stopAfter: number,
): Promise<number> {
  await using child = await startChild('rotate', options)
  child.go()
  let batches = 0
  for (; batches < stopAfter; batches++) await child.line()
  return batches + (await child.kill()).length
}

async function listMissing(store: Store, workspaces: readonly string[]): Promise<string[]> {
  const missing: string[] = []
  for (const id of workspaces) {
    const found = await store.connections.find(id, 'production')
    if (found?.token !== `token of ${id}`) missing.push(id)
  }
  return missing
}

const MODES = [
  ...eitherOf(SHARED_DATABASES).map(({ name, start }) => ({ name, start, usesKeyFile: false })),
  ...SHARED_DATABASES.filter(({ name }) => name !== 'PostgreSQL').map(({ start }) => ({
    name: 'a SQLite file with its key file',
    start,
    usesKeyFile: true,
  })),
]

it.each(MODES)(
  `leaves only the new key in use after a rotation on $name that is killed ${KILLS} times while another process writes`,
  async ({ start, usesKeyFile }) => {
    await using database = await start()
    const { url } = database
    await addConnections(url, usesKeyFile ? '' : KEY_A)
    const keys = usesKeyFile ? '' : `${KEY_B},${KEY_A}`
    const saved: string[] = []
    let batches = 0
    {
      await using saver = await startChild('save', { url, keys, name: 'S' })
      saver.go()
      for (let kill = 0; kill < KILLS; kill++) {
        const savedLine = await saver.line()
        if (savedLine !== undefined) saved.push(savedLine)
        batches += await killWhileRotating(
          { url, keys, name: usesKeyFile ? 'new' : '' },
          kill % MAX_BATCHES_BEFORE_KILL,
        )
      }
      saved.push(...(await saver.kill()))
    }
    expect(batches).toBeGreaterThan(0)
    const { keyId, unusedKeys, undecryptable } = await rotateKeys({
      url,
      keys,
      keyFile: usesKeyFile ? 'new' : undefined,
    })
    expect(unusedKeys.length).toBeGreaterThan(0)
    expect(undecryptable).toEqual([])
    if (usesKeyFile) keepOnlyFirstKey(`${url.slice('sqlite:'.length)}.key`)
    await using store = await openStore({ url, keys: usesKeyFile ? '' : KEY_B })
    const ids = Array.from({ length: WORKSPACES }, (_, i) => `T${i}`)
    const saves = saved.filter((line) => line !== 'done').map((line) => `S-${line}`)
    expect(saves.length).toBeGreaterThan(KILLS)
    expect(await listMissing(store, [...ids, ...saves])).toEqual([])
    for (const id of ids.slice(0, 20))
      expect(await store.audit.verify(id)).toMatchObject({ rows: 1, faults: [] })
    await using raw = await openDatabase(url)
    const checks = await raw.rows.selectFrom('key_check').select('key_id').execute()
    expect(checks).toEqual([{ key_id: keyId }])
  },
)

function keepOnlyFirstKey(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').split(',')[0] ?? '')
}
