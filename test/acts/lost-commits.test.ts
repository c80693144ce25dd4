import { describe, expect, it } from 'vitest'
import { startDatabaseProxy } from '../databases/database-proxy.ts'
import { KEY_A } from '../databases/databases.ts'
import { startPostgresDatabase } from '../databases/postgres.ts'
import { UNTIL_FORM } from './act-kind.ts'
import { startDeployment, WORKSPACE } from './deployment.ts'
import { readAllTexts } from './verdicts.ts'

const ANSWERS = { Name: 'typed', Target: 'typed.example.com', 'Customer ID': '7' }
const UNKNOWN = 'isn’t clear yet whether this has started'

/** Starts a deployment and submits a form. The database commits the act, but its reply to the commit is lost. */
async function submitWithLostCommit() {
  await using started = new AsyncDisposableStack()
  const server = started.use(await startPostgresDatabase('migrated'))
  const proxy = started.use(await startDatabaseProxy(new URL(server.url)))
  const ownDatabase = { url: server.url, keys: KEY_A, [Symbol.asyncDispose]: async () => undefined }
  const deployment = started.use(await startDeployment(ownDatabase, { env: { DATABASE_URL: proxy.url } }))
  await deployment.start()
  const { member } = deployment.slack
  await member.command('/hc', 'create', UNTIL_FORM)
  proxy.loseCommitOf('insert into "work"')
  const answer = await member.submit(ANSWERS, { until: UNKNOWN })
  const resources = started.move()
  return {
    deployment,
    proxy,
    submission: answer,
    /** Waits until no act is unfinished. Returns everything that people saw, the audit outcomes, and the number of POST requests. */
    async settle() {
      await deployment.waitUntilSettled()
      const texts = [...(await readAllTexts(deployment.slack)).values()].join('\n')
      const rows = await deployment.store.audit.search({
        workspaceId: WORKSPACE,
        verb: '/hc create',
        withIntents: true,
        limit: 10,
      })
      const posts = await deployment.service.requests('POST')
      return { texts, outcomes: rows.map(({ outcome }) => outcome), posts: posts.length }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('an act whose commit succeeded, but was never acknowledged by the database', {
  timeout: 120_000,
}, () => {
  it('is reported as uncertain, and runs once the connection recovers', async () => {
    await using setup = await submitWithLostCommit()
    const { deployment, proxy, submission } = setup
    expect(submission.outcome.ok).toBe(true)
    expect(submission.text).not.toContain('nothing was started')
    proxy.restore()
    await expect.poll(async () => (await setup.settle()).texts, { timeout: 60_000 }).toContain('Created.')
    expect(await setup.settle()).toMatchObject({ outcomes: ['done', 'begun'], posts: 1 })
    expect(deployment.countExited()).toBe(0)
  })

  it('runs in another process if the process that claimed it dies', async () => {
    await using setup = await submitWithLostCommit()
    const { deployment } = setup
    await deployment.kill('all')
    setup.proxy.restore()
    await deployment.start()
    await expect.poll(async () => (await setup.settle()).texts, { timeout: 60_000 }).toContain('Created.')
    expect(await setup.settle()).toMatchObject({ outcomes: ['done', 'begun'], posts: 1 })
  })
})
