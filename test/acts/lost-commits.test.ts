import { describe, expect, it } from 'vitest'
import { startDatabaseProxy } from '../databases/database-proxy.ts'
import { KEY_A } from '../databases/databases.ts'
import { startPostgresDatabase } from '../databases/postgres.ts'
import { UNTIL_FORM } from './act-kind.ts'
import { startDeployment, WORKSPACE } from './deployment.ts'
import { readAllTexts } from './verdicts.ts'

const ANSWERS = { Name: 'typed', Target: 'typed.example.com', 'Customer ID': '7' }
const UNKNOWN = 'isn’t clear yet whether this has started'

/** An app whose next act is committed without a response from the database. */
async function startWithoutAnswer() {
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
    refused: answer,
    /** Everything that the person saw, and the requests to the service. */
    async end() {
      await deployment.waitUntilSettled()
      const read = [...(await readAllTexts(deployment.slack)).values()].join('\n')
      const rows = await deployment.store.audit.search({
        workspaceId: WORKSPACE,
        verb: '/hc create',
        withIntents: true,
        limit: 10,
      })
      const posts = await deployment.service.requests('POST')
      return { read, outcomes: rows.map(({ outcome }) => outcome), posts: posts.length }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('an act whose commit isn’t acknowledged by the database', { timeout: 120_000 }, () => {
  it('is reported as uncertain, and runs once the connection recovers', async () => {
    await using world = await startWithoutAnswer()
    const { deployment, proxy, refused } = world
    expect(refused.outcome.ok).toBe(true)
    expect(refused.text).not.toContain('nothing was started')
    proxy.restore()
    await expect.poll(async () => (await world.end()).read, { timeout: 60_000 }).toContain('Created.')
    expect(await world.end()).toMatchObject({ outcomes: ['done', 'begun'], posts: 1 })
    expect(deployment.countExited()).toBe(0)
  })

  it('runs in another process if the process that claimed it dies', async () => {
    await using world = await startWithoutAnswer()
    const { deployment } = world
    await deployment.kill('all')
    world.proxy.restore()
    await deployment.start()
    await expect.poll(async () => (await world.end()).read, { timeout: 60_000 }).toContain('Created.')
    expect(await world.end()).toMatchObject({ outcomes: ['done', 'begun'], posts: 1 })
  })
})
