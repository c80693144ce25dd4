import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../src/store/store.ts'
import { signalman } from '../command-line.ts'
import { KEY_A, makeFolder } from '../store/databases.ts'

it('erases a person, then the workspace, only when told in full', async () => {
  using folder = makeFolder()
  const url = `sqlite:${join(folder.path, 'a.db')}`
  const env = { DATABASE_URL: url, ENCRYPTION_KEYS: KEY_A }
  async function verified() {
    await using store = await openStore({ url, keys: KEY_A })
    return await store.audit.verify('T1')
  }
  {
    await using store = await openStore({ url, keys: KEY_A })
    const done = {
      at: new Date(),
      actor: { userId: 'U1' },
      verb: '/hc edit',
      outcome: 'done',
      reference: 'r',
    } as const
    await store.audit.append({ ...done, workspaceId: 'T1' })
    await store.audit.append({ ...done, workspaceId: 'T1', actor: { userId: 'U2' } })
    await store.threatCases.step({
      workspaceId: 'T1',
      environment: 'production',
      eventId: 'e',
      enterpriseId: undefined,
      kind: 'take',
      by: { userId: 'U1', name: 'Ann' },
      now: new Date(),
      reference: 'r',
      first: { about: 'event', severity: 1 },
    })
  }
  const told = [
    ['erase-person', 'T1'],
    ['erase-person', 'T1', 'U1'],
    ['erase-person', 'T1', 'U1', '--also', 'a'],
    ['erase-workspace', 'T1'],
  ].map((typed) => signalman(typed, { env }))
  expect((await Promise.all(told)).map(({ code }) => code)).toEqual([2, 2, 2, 2])
  expect(await verified()).toEqual({ rows: 2, faults: [] })
  const person = await signalman(['erase-person', 'T1', 'U1', '--yes'], { env })
  expect(person).toEqual({
    code: 0,
    stdout: 'T1: 1 rows erased.\nT1: taken out of 1 threat case.\n',
    stderr: '',
  })
  expect(await verified()).toEqual({ rows: 3, faults: [] })
  expect(await signalman(['erase-workspace', 'T1', '--yes'], { env })).toMatchObject({ code: 0 })
  expect(await verified()).toEqual({ rows: 1, faults: [] })
})
