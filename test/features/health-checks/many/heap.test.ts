import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { UNTIL_FORM } from '../../../acts/act-kind.ts'
import { quickOrLong } from '../../../long.ts'
import { connect, type ProcessWorld, startProcessWorld } from '../../../process-world.ts'

const ROWS = quickOrLong('ROWS', { quick: 750, long: 5000 })
/** Of the rows that are planned, how many are written. */
const WRITTEN = quickOrLong('WRITTEN', { quick: 40, long: 5000 })
/** What the app takes without rows, and 5 KB for each. */
const HEAP_MB = 22 + Math.ceil(ROWS * 0.005)
const MAX_RESIDENT_MB = 300
/** Reading every row of the service takes a while on a busy machine, and longer in a small heap. */
const WAIT_MS = 180_000

const count = (rows: number): string => rows.toLocaleString('en')

async function importFile({ slack: { admin } }: ProcessWorld): Promise<void> {
  const rows = Array.from(
    { length: ROWS },
    (_, index) => `bulk-${String(index + 1).padStart(7, '0')},${index < WRITTEN ? 45 : 60}`,
  )
  const { id } = await admin.upload('checks.csv', ['name,frequency', ...rows].join('\n'), 'text/csv')
  await admin.command('/hc', 'import', UNTIL_FORM)
  const preview = await admin.submit({ 'CSV file': [id] }, { until: 'checks.csv: ', waitMs: WAIT_MS })
  await admin.click(preview.view, `Change ${count(WRITTEN)}`, { until: 'Started.' })
}

it(`needs no more than ${HEAP_MB} MB of heap to plan ${ROWS} rows and to write ${WRITTEN}`, {
  timeout: 3 * WAIT_MS + WRITTEN * 1000,
}, async () => {
  await using world = await startProcessWorld('src/cli/signalman.ts')
  const { app } = await world.start({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` })
  await connect(world)
  const { admin } = world.slack
  await world.service.addBulkChecks(ROWS)
  const preview = await admin.command('/hc', 'edit all --frequency 30', {
    until: 'Nothing has changed yet.',
    waitMs: WAIT_MS,
  })
  expect(preview.text).toContain(`change ${count(ROWS)}?`)
  await importFile(world)
  await expect
    .poll(async () => (await admin.messages('dm')).map(({ text }) => text).join('\n'), {
      timeout: WAIT_MS + WRITTEN * 1000,
      interval: 500,
    })
    .toContain(`Changed ${count(WRITTEN)} health checks.`)
  const checks = await world.service.listAllChecks()
  expect(checks.filter(({ frequency }) => Number(frequency) === 45)).toHaveLength(WRITTEN)
  expect(app.child.exitCode).toBeNull()
  if (process.platform === 'linux') expect(await readPeakMb(app.child.pid)).toBeLessThan(MAX_RESIDENT_MB)
})

/** The most memory that a process has had, with what isn't in its heap (proc_pid_status(5)). */
async function readPeakMb(pid: number | undefined): Promise<number> {
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
