import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { runVerb, signalman } from '../command-line.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'

async function writeLog(path: string, rows: number) {
  const url = `sqlite:${join(path, 'a.db')}`
  await using store = await openStore({ url, keys: KEY_A })
  for (const workspaceId of ['T1', 'T2'])
    for (let n = 1; n <= rows; n += 1)
      await store.audit.append({
        workspaceId,
        at: new Date(n * 60_000),
        actor: { userId: 'U1' },
        verb: 'health-check.edit',
        outcome: 'done',
        reference: `r${n}`,
      })
  return { DATABASE_URL: url, ENCRYPTION_KEYS: KEY_A }
}

const parseRows = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { workspaceId: string; sequence: number })

it('exports every audit row, oldest first, for one workspace or all', async () => {
  using folder = makeFolder()
  const env = await writeLog(folder.path, 2)
  const allLogs = await signalman(['audit', 'export'], { env })
  expect(allLogs).toMatchObject({ code: 0, stderr: '' })
  expect(parseRows(allLogs.stdout).map(({ workspaceId, sequence }) => `${workspaceId} ${sequence}`)).toEqual([
    'T1 1',
    'T1 2',
    'T2 3',
    'T2 4',
  ])
  const oneLog = await runVerb(['audit', 'export', '--workspace', 'T2'], { env })
  expect(parseRows(oneLog.stdout).map(({ workspaceId }) => workspaceId)).toEqual(['T2', 'T2'])
})

it('lists the existing workspaces when asked to export an unknown one', async () => {
  using folder = makeFolder()
  const env = await writeLog(folder.path, 1)
  expect(await runVerb(['audit', 'export', '--workspace', 'T9'], { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There’s no audit log for T9. There are logs for: T1, T2.\n',
  })
})
