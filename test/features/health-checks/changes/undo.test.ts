import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { Question } from '../../../../packages/runtime/src/errors.ts'
import { openStore } from '../../../../src/app/store.ts'
import type { Change } from '../../../../src/features/health-checks/changes/change.ts'
import { BULK } from '../../../../src/features/health-checks/changes/changes-job.ts'
import { noteUndoable, undoables } from '../../../../src/features/health-checks/changes/places.ts'
import { undoJob } from '../../../../src/features/health-checks/changes/undo.ts'
import { makeFolder, SHARED_DATABASES } from '../../../databases/databases.ts'
import { startAct, WORKSPACE } from '../act-in-lives.ts'

const CHANGES = 1200
const ABOUT = { verb: '/hc edit', title: 'Set frequency', planned: { create: 0, edit: CHANGES, delete: 0 } }

const edit = (line: number): { line: number; change: Change } => {
  const [before, after] = [30, 60].map((frequency) => ({
    fields: { name: `web-${line}`, frequency },
    alerts: [],
  }))
  const patch = { frequency: 60 }
  return {
    line,
    change: {
      do: 'edit',
      uuid: `u${line}`,
      name: `web-${line}`,
      patch,
      ...(before && { before }),
      ...(after && { after }),
    },
  }
}

/** A job that has done all of its changes, of which the first do not open. */
async function startDone(path: string, closed: number) {
  const file = join(path, 'a.db')
  const act = await startAct(`sqlite:${file}`)
  const { ask: context, parts } = await act.live()
  const changes = Array.from({ length: CHANGES }, (_, index) => edit(index + 1))
  const id = await parts.queue.add(context, { kind: BULK, about: ABOUT, isPrepared: true })
  await parts.steps.add(
    id,
    changes.map(({ line, change }) => ({ line, body: change })),
  )
  await act.store.work.stop(WORKSPACE, id)
  using database = new DatabaseSync(file, { timeout: 20_000 })
  database.prepare("update work_step set state = 'done', result = 'u' where work_id = ?").run(id)
  database
    .prepare("update work_step set sealed_body = 'v1.a.AAAA' where work_id = ? and line <= ?")
    .run(id, closed)
  return { act, id }
}

it('undoes what can be read behind hundreds of changes that cannot, and only after it has said so', async () => {
  using folder = makeFolder()
  const { act, id } = await startDone(folder.path, 500)
  await using _ = act
  const first = await act.live()
  const asked = await undoJob(first.parts, first.ask, id, false).catch((error: unknown) => error)
  expect(asked).toBeInstanceOf(Question)
  expect(asked).toMatchObject({
    message: expect.stringContaining('Of 500 of the changes'),
    offers: [{ label: 'Undo 700', line: `/hc job-undo ${id} --yes` }],
  })
  // Nothing is begun by the question.
  expect(await act.store.work.open(WORKSPACE, [BULK])).toEqual([])
  const { parts, ask: context } = await act.live()
  expect((await undoJob(parts, context, id, true)).text).toContain('Started.')
  const [undo] = await act.store.work.open(WORKSPACE, [BULK])
  expect(await act.store.workSteps.counts(undo?.id ?? '')).toMatchObject({ ready: 700 })
})

it('says of changes none of which can be read that they cannot be undone, and not that there were none', async () => {
  using folder = makeFolder()
  const { act, id } = await startDone(folder.path, CHANGES)
  await using _ = act
  const { parts, ask: context } = await act.live()
  await expect(undoJob(parts, context, id, true)).rejects.toThrow('cannot be read, so they cannot be undone')
})

it.each(SHARED_DATABASES)(
  'offers each of what one person ends at the same moment, in $name',
  async ({ start }) => {
    await using database = await start()
    await using store = await openStore(database)
    const person = { workspaceId: WORKSPACE, userId: 'U1', now: new Date() }
    const note = (line: string) =>
      noteUndoable(store.ephemeralState, person, line, { says: line, asks: '', forMs: 60_000 })
    const lines = ['/hc job-undo 1', '/hc job-undo 2', '/hc undelete 3', '/hc undelete 4']
    await Promise.all(lines.map(note))
    const offered = async () => (await undoables(store.ephemeralState, person)).map(({ line }) => line)
    expect((await offered()).toSorted()).toEqual(lines)
    await Promise.all([note('/hc job-undo 5'), noteUndoable(store.ephemeralState, person, lines[0] ?? '')])
    expect((await offered()).toSorted()).toEqual([...lines.slice(1, 2), '/hc job-undo 5', ...lines.slice(2)])
  },
)
