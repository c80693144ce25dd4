import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../src/store/store.ts'
import { signalman } from '../command-line.ts'
import { KEY_A, makeFolder } from '../store/databases.ts'

it('erases a person, then the workspace, only when told in full', async () => {
  using folder = makeFolder()
  const url = `sqlite:${join(folder.path, 'a.db')}`
  const env = { DATABASE_URL: url, ENCRYPTION_KEYS: KEY_A }
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
  }
  expect(await signalman(['erase-person', 'T1'], { env })).toMatchObject({ code: 2 })
  expect(await signalman(['erase-person', 'T1', 'U1', '--also', 'a'], { env })).toMatchObject({ code: 2 })
  expect(await signalman(['erase-person', 'T1', 'U1'], { env })).toEqual({
    code: 0,
    stdout: 'T1: 1 rows erased.\n',
    stderr: '',
  })
  expect(await signalman(['audit', 'verify'], { env })).toMatchObject({
    code: 0,
    stdout: 'T1: 3 rows, whole\nThe audit log is whole.\n',
  })
  expect(await signalman(['erase-workspace', 'T1'], { env })).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('T1: 3 rows of the audit log'),
  })
  expect(await signalman(['erase-workspace', 'T1', '--yes'], { env })).toMatchObject({ code: 0 })
  expect(await signalman(['audit', 'verify'], { env })).toMatchObject({
    code: 0,
    stdout: 'T1: 1 rows, whole\nThe audit log is whole.\n',
  })
})
