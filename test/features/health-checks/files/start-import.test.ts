import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { makeFolder } from '../../../databases/databases.ts'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'
import { writeFromOutside } from '../../../write-from-outside.ts'

const HEADER = 'name,protocol,target,port,frequency,customer_id'

/** Uploads a file as the member, and waits for its preview. */
async function uploadFile({ slack: { member } }: World, rows: number): Promise<void> {
  const lines = Array.from({ length: rows }, (_, index) => `new-${index},TCP,mx.example.com,25,60,1`)
  const { id } = await member.upload('a.csv', [HEADER, ...lines].join('\n'), 'text/csv')
  await member.command('/hc', 'import')
  await member.submit({ 'CSV file': [id] }, { until: 'Nothing has changed yet.' })
}

/** Reads the newest job's ID from the database, because people get it only inside encrypted buttons. */
function findJobId(path: string): string {
  using database = new DatabaseSync(path, { readOnly: true, timeout: 30_000 })
  const query = "select id from work where kind = 'health-checks.changes' order by made_at desc"
  return String(database.prepare(query).get()?.id)
}

async function findAuditEntries({ app }: World, verb: string) {
  const found = await app.store.audit.search({ workspaceId: WORKSPACE, verb, limit: 50 })
  const exact = found.filter((entry) => entry.verb === verb)
  return exact.map(({ actor, object, outcome, after }) => ({ by: actor.userId, object, outcome, after }))
}

it('audits who starts and who stops an import, and runs it as the person who started it', async () => {
  using folder = makeFolder()
  const path = join(folder.path, 'signalman.db')
  await using world = await startWorld({
    environment: { DATABASE_URL: `sqlite:${path}` },
    workTimes: { leaseMs: 600 },
  })
  const { admin } = world.slack
  await uploadFile(world, 200)
  const id = findJobId(path)
  await world.service.faults({ method: 'POST', path: '/healthcheck', kind: 'hold' })
  await admin.command('/hc', `job-start ${id}`, { until: 'Started.' })
  const waitForText = (text: string) =>
    admin.until(text, ({ messages }) => JSON.stringify(messages).includes(text))
  await waitForText('Importing a.csv')
  await expect.poll(() => world.service.requests('POST')).not.toEqual([])
  await admin.command('/hc', `job-stop ${id}`, { until: 'Stopping after' })
  await world.service.faults()
  await waitForText('Stopped: imported a.csv')
  const by = 'U0ADMIN001'
  const object = `import ${id} (a.csv)`
  const after = { fileName: 'a.csv', environment: 'production' }
  expect(await findAuditEntries(world, '/hc job-start')).toEqual([
    { by, object, outcome: 'done', after: { ...after, remaining: 200 } },
  ])
  expect(await findAuditEntries(world, '/hc job-stop')).toMatchObject([
    { by, object, outcome: 'done', after },
  ])
  const created = await findAuditEntries(world, '/hc import')
  expect(created.length).toBeGreaterThan(0)
  expect(new Set(created.map((entry) => entry.by))).toEqual(new Set([by]))
  expect(JSON.stringify(await world.slack.member.messages('dm'))).not.toContain('Importing')
})

it('starts a canceled import, and audits a second start as failed', async () => {
  using folder = makeFolder()
  const path = join(folder.path, 'signalman.db')
  await using world = await startWorld({ environment: { DATABASE_URL: `sqlite:${path}` } })
  const { admin } = world.slack
  await uploadFile(world, 1)
  const id = findJobId(path)
  await admin.command('/hc', `job-stop ${id}`, { until: 'Canceled before it started' })
  await admin.command('/hc', `job-start ${id}`, { until: 'Started.' })
  await expect.poll(() => world.service.countChecks()).toBe(1)
  await admin.until('the end', ({ messages }) => JSON.stringify(messages).includes('Imported a.csv.'))
  await admin.command('/hc', `job-start ${id}`, {
    until: /no longer waiting to start|still running|Nothing was changed/,
  })
  const outcomes = (await findAuditEntries(world, '/hc job-start')).map(({ outcome }) => outcome)
  expect(outcomes.sort()).toEqual(['done', 'failed'])
})

it('neither starts nor stops jobs of another kind or workspace', async () => {
  await using world = await startWorld()
  const { admin } = world.slack
  const body = { caller: {}, environment: 'production', details: {} }
  const { work } = world.app.store
  const otherJobs = [
    {
      workspaceId: WORKSPACE,
      id: await work.add({ body, workspaceId: WORKSPACE, kind: 'other' }, 'prepared'),
    },
    {
      workspaceId: 'T2',
      id: await work.add({ body, workspaceId: 'T2', kind: 'health-checks.changes' }, 'prepared'),
    },
  ]
  for (const { workspaceId, id } of otherJobs) {
    await admin.command('/hc', `job-start ${id}`, { until: /no longer waiting to start|still running/ })
    await admin.command('/hc', `job-stop ${id}`, { until: 'has already ended.' })
    expect((await work.find(workspaceId, id))?.state).toBe('prepared')
  }
})

it('continues an import even if reading its rows fails several times', async () => {
  using folder = makeFolder()
  const path = join(folder.path, 'signalman.db')
  await using world = await startWorld({
    environment: { DATABASE_URL: `sqlite:${path}` },
    workTimes: { leaseMs: 600, pollMs: 20, retryMs: 1 },
    // The command reads the list, which is held until the rows can't be read anymore.
    serviceLimits: { timeouts: { headersMs: 2000, totalMs: 2000 }, retry: { attempts: 1 } },
  })
  await uploadFile(world, 3)
  const id = findJobId(path)
  await world.service.faults({ method: 'GET', path: '/healthcheck', kind: 'hold' })
  await world.slack.admin.command('/hc', `job-start ${id}`, { until: 'Started.' })
  using database = new DatabaseSync(path)
  await writeFromOutside(database, 'alter table work_step rename to work_step_away')
  await world.service.faults()
  const countFailures = () => world.log.filter((line) => line.includes('no such table: work_step')).length
  await expect.poll(countFailures).toBeGreaterThan(5)
  await writeFromOutside(database, 'alter table work_step_away rename to work_step')
  await expect.poll(() => world.service.countChecks()).toBe(3)
})
