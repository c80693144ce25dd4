import { expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { buildReport } from '../../../../src/features/health-checks/files/report.ts'
import { KEY_A } from '../../../databases/databases.ts'
import { countTurns } from '../../../event-loop-turns.ts'

it('yields to the event loop while it writes a report of every cell of a large file', async () => {
  const rows = Array.from({ length: 50_000 }, (_, line) => [String(line), 'port', 'No.'])
  const file = { name: 'problems.csv', title: 'Problems in a.csv' }
  let text = ''
  const turns = await countTurns(async () => {
    text = String((await buildReport(file, ['line', 'column', 'problem'], rows)).body)
  })
  expect(text.split('\r\n')).toHaveLength(50_002)
  expect(turns).toBeGreaterThan(40)
})

it('yields to the event loop while it writes the rows of a large file', async () => {
  await using store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const id = await store.work.add({ workspaceId: 'T1', kind: 'k', body: 1 }, 'prepared')
  const rows = Array.from({ length: 20_000 }, (_, line) => ({ line, body: { line } }))
  expect(await countTurns(() => store.workSteps.add(id, rows))).toBeGreaterThan(30)
  expect((await store.workSteps.countByState(id)).ready).toBe(20_000)
})
