import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../../../../src/app.ts'
import { createLog } from '../../../../src/log.ts'
import { makeFolder } from '../../../databases/databases.ts'
import { LONG_DEADLINES, UNLIMITED } from '../../../relaxed-limits.ts'
import { startWorld } from '../../../world.ts'

const ROWS = 120
const HEADER = 'name,protocol,target,port,frequency,customer_id'
const WORK_TIMES = { pollMs: 20, progressIntervalMs: 0, settleMs: 500 }

it('resumes a running import in another replica after a shutdown, and imports each row once', async () => {
  using folder = makeFolder()
  const environment = { DATABASE_URL: `sqlite:${join(folder.path, 'signalman.db')}` }
  await using world = await startWorld({ environment, workTimes: WORK_TIMES })
  const { member } = world.slack
  const rows = Array.from({ length: ROWS }, (_, index) => `row-${index},TCP,mx.example.com,25,60,1`)
  const { id } = await member.upload('rows.csv', [HEADER, ...rows].join('\n'), 'text/csv')
  await member.command('/hc', 'import')
  const preview = await member.submit({ 'CSV file': [id] }, { until: 'Nothing has changed yet.' })
  await world.service.faults({ method: 'POST', path: '/healthcheck', kind: 'delay', ms: 50 })
  await member.click(preview.view, `Create ${ROWS}`)
  await member.until('the import to start', ({ messages }) =>
    /Importing rows\.csv: [1-9]/.test(JSON.stringify(messages)),
  )
  const log = createLog('warn', { write: () => undefined })
  await using replica = await startApp({
    budgets: UNLIMITED,
    requestDeadlines: LONG_DEADLINES,
    config: world.config,
    log,
    workTimes: WORK_TIMES,
  })
  world.playground.setAppUrl(replica.url)
  await world.app[Symbol.asyncDispose]()
  const countAtShutdown = await world.service.countChecks()
  await member.until('the end', ({ messages }) => JSON.stringify(messages).includes('Imported rows.csv.'))
  expect(await world.service.countChecks()).toBe(ROWS)
  expect(new Set(await world.service.listAllNames()).size).toBe(ROWS)
  expect(countAtShutdown).toBeLessThan(ROWS)
  const progressMessages = (await member.messages('dm')).filter(({ text }) => text.includes('rows.csv'))
  expect(progressMessages).toHaveLength(1)
})
