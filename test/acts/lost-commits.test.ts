import { expect, it } from 'vitest'
import { startDatabaseProxy } from '../databases/database-proxy.ts'
import { KEY_A } from '../databases/databases.ts'
import { startPostgresDatabase } from '../databases/postgres.ts'
import { UNTIL_FORM } from './act-kind.ts'
import { startDeployment, WORKSPACE } from './deployment.ts'
import { readAllTexts } from './verdicts.ts'

const ANSWERS = { Name: 'typed', Target: 'typed.example.com', 'Customer ID': '7' }
const UNKNOWN = 'isn’t clear yet whether this has started'

it('runs an act once although its commit was never acknowledged, in this process or in the next one', async () => {
  await using server = await startPostgresDatabase('migrated')
  await using proxy = await startDatabaseProxy(new URL(server.url))
  const database = { url: server.url, keys: KEY_A, [Symbol.asyncDispose]: async () => undefined }
  await using deployment = await startDeployment(database, {
    // With its own deadlines: it acknowledges what may be stored before another process can take it over.
    script: 'src/cli/signalman.ts',
    env: { DATABASE_URL: proxy.url },
  })
  await deployment.start()
  const { member } = deployment.slack
  /** Submits a form. The database commits the act, but its reply to the commit is lost. */
  async function submitWithLostCommit(Name: string): Promise<void> {
    await member.command('/hc', 'create', UNTIL_FORM)
    proxy.loseCommitOf('insert into "work"')
    const answer = await member.submit({ ...ANSWERS, Name }, { until: UNKNOWN })
    expect(answer.outcome.ok).toBe(true)
    expect(answer.text).not.toContain('nothing was started')
  }
  /** Waits until no act is unfinished. Returns the audit outcomes and the number of POST requests. */
  async function settle() {
    await deployment.waitUntilSettled()
    const search = { workspaceId: WORKSPACE, text: '/hc create', withIntents: true, limit: 10 }
    const rows = await deployment.store.audit.search(search)
    const posts = await deployment.service.requests('POST')
    return { outcomes: rows.map(({ outcome }) => outcome), posts: posts.length }
  }
  const readTexts = async () => [...(await readAllTexts(deployment.slack)).values()].join('\n')

  await submitWithLostCommit('first')
  proxy.restore()
  await expect.poll(settle).toEqual({ outcomes: ['done', 'begun'], posts: 1 })
  await expect.poll(readTexts).toMatch(/Created 1[\s\S]*first|first[\s\S]*Created 1/)
  expect(deployment.countExited()).toBe(0)

  await member.close({ all: true })
  await submitWithLostCommit('second')
  await deployment.kill('all')
  proxy.restore()
  await deployment.start()
  await expect.poll(settle).toEqual({ outcomes: ['done', 'begun', 'done', 'begun'], posts: 2 })
  await expect.poll(readTexts).toMatch(/Created 1[\s\S]*second|second[\s\S]*Created 1/)
})
