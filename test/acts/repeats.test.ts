import type { Driver } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf, quickOrLong } from '../long.ts'
import { signRequest } from '../slack/signed.ts'
import { UNTIL_FORM } from './act-kind.ts'
import { type Deployment, SECRET, startDeployment, WORKSPACE } from './deployment.ts'

type Delivery = Awaited<ReturnType<Driver['deliveries']>>[number]

const DELIVERY_COUNT = quickOrLong('DELIVERIES', { quick: 20, long: 50 })
const ANSWERS = { Name: 'api', Target: 'api.example.com', 'Customer ID': '1' }

/**
 * Delivers the same request many times, to each process in turn, each time with a new timestamp and signature. With
 * `hasNewTrigger`, each also has a new trigger ID, as if the person had clicked again.
 */
async function deliver(
  urls: readonly string[],
  { request }: Delivery,
  hasNewTrigger: boolean,
): Promise<Response[]> {
  return Promise.all(
    Array.from({ length: DELIVERY_COUNT }, async (_, index) => {
      const newTrigger = hasNewTrigger && { trigger_id: `another.click.${index}` }
      // Cast: the body of this request is an object.
      const payload = JSON.stringify({ ...(request.body as object), ...newTrigger })
      const sentAt = new Date(Date.now() - index * 1000)
      const { body, headers } = signRequest(SECRET, new URLSearchParams({ payload }).toString(), {
        at: sentAt,
      })
      return fetch(`${urls[index % urls.length]}/slack/events`, { method: 'POST', body, headers })
    }),
  )
}

const ACCEPTED = Array.from({ length: DELIVERY_COUNT }, () => 200)

async function listOutcomes({ store }: Deployment, verb: string): Promise<string[]> {
  const rows = await store.audit.search({ workspaceId: WORKSPACE, text: verb, withIntents: true, limit: 100 })
  return rows.map(({ outcome }) => outcome).reverse()
}

/** Captures the signed request that Slack sends while the app is unreachable. */
async function captureUndelivered(
  deployment: Deployment,
  send: () => Promise<unknown>,
  kind: string,
): Promise<Delivery> {
  deployment.disconnectSlack()
  await send()
  deployment.connectSlack()
  const delivery = (await deployment.slack.deliveries(kind)).at(-1)
  if (!delivery) throw new Error('Nothing was submitted.')
  return delivery
}

const readUpdates = async ({ slack }: Deployment): Promise<string> =>
  JSON.stringify((await slack.deliveries('views.update')).map(({ request }) => request.body))

it.each(eitherOf(SHARED_DATABASES))(
  `runs a form’s act and a button’s act once when each is delivered ${DELIVERY_COUNT} times, to two processes and after a restart, on $name`,
  async ({ start }) => {
    await using database = await start()
    // With the app's own deadlines: twenty deliveries at once may take longer to store than the short ones of tests allow.
    await using deployment = await startDeployment(database, { script: 'src/cli/signalman.ts' })
    await Promise.all([deployment.start(), deployment.start()])
    const { member } = deployment.slack
    for (const name of ['web-1', 'web-2']) await deployment.service.addCheck({ name })
    const preview = await member.command('/hc', 'edit web-* --frequency 30', {
      until: '? This would ',
    })
    await deployment.service.clearRequests()
    const before = await deployment.rows.acts()
    const click = await captureUndelivered(
      deployment,
      () => member.click(preview.message, 'Change 2', { until: () => true }),
      'block_actions',
    )
    await member.command('/hc', 'create', UNTIL_FORM)
    const submission = await captureUndelivered(
      deployment,
      () => member.submit(ANSWERS, { until: () => true }),
      'view_submission',
    )
    const deliverBoth = async () => {
      // The press has no new trigger ID, as if Slack delivered it again. The submission has, as if the person clicked again.
      const clicks = await deliver(deployment.urls, click, false)
      const submissions = await deliver(deployment.urls, submission, true)
      for (const answers of [clicks, submissions])
        expect(answers.map(({ status }) => status)).toEqual(ACCEPTED)
      await deployment.waitUntilSettled()
      return (await Promise.all(submissions.map((answer) => answer.text()))).join('\n')
    }
    await deliverBoth()
    expect(await readUpdates(deployment)).toContain('Created 1')
    await deployment.kill('all')
    await deployment.start()
    const repeated = await deliverBoth()
    expect(await deployment.service.requests('POST')).toHaveLength(1)
    expect(await deployment.service.requests('PUT')).toHaveLength(2)
    expect(await deployment.rows.acts()).toMatchObject({ all: before.all + 2, open: 0 })
    expect(await listOutcomes(deployment, '/hc create')).toEqual(['begun', 'done'])
    // The act that starts the job, and one row for each check.
    expect(await listOutcomes(deployment, '/hc edit')).toEqual(['done', 'done', 'done'])
    const ended = (await member.messages('dm')).filter(({ text }) => text.includes('Changed 2 health checks'))
    expect(ended).toHaveLength(1)
    expect(repeated).toContain('It wasn’t done a second time.')
    expect(await readUpdates(deployment)).not.toContain('can’t write')
  },
)
