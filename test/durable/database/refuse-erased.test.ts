import { runWithTraceContext } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Durable, WorkspaceDeleted } from '../../../packages/durable/src/index.ts'
import { MODEL } from '../../../src/app/model.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { saveConnection } from '../../write-store.ts'

/** Runs `act` in a request, which waits in between, as for an answer of another system. */
function startRequest<T>(act: () => Promise<T>) {
  const gate = Promise.withResolvers<void>()
  const done = runWithTraceContext({ reference: 'r', verb: 'test' }, async () => {
    await gate.promise
    return act()
  })
  return {
    finish: () => {
      gate.resolve()
      return done
    },
  }
}

/** What a row of any table is refused with. Without its other columns, the database itself refuses it. */
const insert = (rows: unknown, table: string, owner: string, workspaceId: string) =>
  (rows as Kysely<Record<string, Record<string, unknown>>>)
    .insertInto(table)
    .values({ [owner]: workspaceId })
    .execute()
    .then(
      () => 'stored',
      (error: unknown) => (error instanceof WorkspaceDeleted ? 'deleted' : 'other'),
    )

describe.each(SHARED_DATABASES)('rows of a workspace that is being deleted, on $name', ({ start }) => {
  it.each(['content', 'whole'] as const)(
    'are refused in every table that declares an owner, from older requests only: %s',
    async (kind) => {
      await using address = await start()
      await using store = await openStore(address)
      const { rows } = (store as Store & Pick<Durable, 'database'>).database
      const owned = MODEL.tables.flatMap(({ name, owner, forgotten }) =>
        owner === undefined || !/^\w+$/.test(owner) ? [] : [{ name, owner, forgotten }],
      )
      expect(owned.length).toBeGreaterThan(10)
      const listOutcomes = (workspaceId: string) => async () => {
        const outcomes = new Map<string, string>()
        for (const { name, owner } of owned) outcomes.set(name, await insert(rows, name, owner, workspaceId))
        return outcomes
      }
      const [older, other] = [startRequest(listOutcomes('T1')), startRequest(listOutcomes('T2'))]
      await store.processes.refuseOlder('T1', { isWhole: kind === 'whole' })
      const newer = startRequest(listOutcomes('T1'))
      const outcomes = await older.finish()
      for (const { name, forgotten } of owned)
        expect([name, outcomes.get(name)]).toEqual([
          name,
          kind === 'whole' || forgotten !== 'kept' ? 'deleted' : expect.not.stringMatching('deleted'),
        ])
      for (const request of [other, newer])
        expect([...(await request.finish()).values()]).not.toContain('deleted')
    },
  )

  it('are refused by the other processes too before anything is deleted, and a repeated deletion again', async () => {
    await using address = await start()
    await using one = await openStore(address)
    await using two = await openStore(address)
    await one.processes.heartbeat('one')
    await two.processes.heartbeat('two')
    for (let time = 0; time < 2; time += 1) {
      const save = () => two.work.add({ workspaceId: 'T1', kind: 'act', key: `${time}` }, 'prepared')
      const older = startRequest(save)
      let isRefused = false
      const refusing = one.processes.refuseOlder('T1', { isWhole: true }).then(() => (isRefused = true))
      // The other process learns of it with its next heartbeat.
      await one.processes.heartbeat('one')
      expect(isRefused).toBe(false)
      const hasHeardOfIt = async () => {
        await two.processes.heartbeat('two')
        return isRefused
      }
      await expect.poll(hasHeardOfIt).toBe(true)
      await refusing
      await expect(older.finish()).rejects.toThrow(WorkspaceDeleted)
      expect(await startRequest(save).finish()).toEqual(expect.any(String))
    }
    await using database = await openDatabase(address.url)
    await one.processes.endErasure(database.rows, 'T1')
    expect(
      await database.rows.selectFrom('setting').selectAll().where('workspace_id', '=', 'T1').execute(),
    ).toEqual([])
  })

  it('include the token that a request from before an uninstall stores', async () => {
    await using address = await start()
    await using store = await openStore(address)
    const token = { workspaceId: 'T1', environment: 'production', token: 'late', userId: 'U1' } as const
    const save = () => saveConnection(store, { ...token, now: new Date() })
    await save()
    const older = startRequest(save)
    expect(await store.forgetWorkspace('T1')).toMatchObject({ connection: 1 })
    await expect(older.finish()).rejects.toThrow(WorkspaceDeleted)
    expect(await store.connections.list('T1')).toEqual([])
    await startRequest(save).finish()
    expect(await store.connections.list('T1')).toHaveLength(1)
  })
})
