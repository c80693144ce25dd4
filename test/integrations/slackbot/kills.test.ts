import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { type Deployment, startDeployment, WORKSPACE } from '../../acts/deployment.ts'
import { startSqliteFile } from '../../databases/databases.ts'
import { createThreatEvent } from '../../features/threats/events.ts'
import { eitherOf } from '../../long.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const CHANNEL = 'C0GENERAL1'
const EVENTS = { method: 'GET', path: '/cti/v2/events' }

/** For each integration, prepares a request that changes something. Returns a function that sends it and waits for the answer. */
const INTEGRATIONS: Record<string, (deployment: Deployment) => Promise<() => Promise<unknown>>> = {
  async Slackbot({ slack }) {
    const preview = await slack.member.callTool('run', { line: `/threat take ${ID}` })
    const found = /\\"line\\":\\"[^}]*\}/.exec(JSON.stringify(preview))?.[0] ?? ''
    const confirmation = JSON.parse(JSON.parse(`"{${found}"`))
    expect(confirmation.offer).toBeTypeOf('string')
    return () => slack.member.callTool('run', confirmation)
  },
  async 'a work object'({ slack }) {
    const { member } = slack
    await member.command('/threat', `${ID} --share --yes`, { until: () => true })
    const { messages } = await member.until('a card', (now) =>
      (now.messages[CHANNEL] ?? []).some((message) => message.entities),
    )
    const card = messages[CHANNEL]?.find((message) => message.entities) ?? { channel: '', ts: '' }
    await member.openEntity(card)
    return () => member.pressEntity(card, 'Take and announce', { inPane: true, until: () => true })
  },
}

it.each(eitherOf(Object.keys(INTEGRATIONS)))(
  'runs a request through %s once, even if its process is killed before it starts',
  {
    timeout: 120_000,
  },
  async (via) => {
    await using database = await startSqliteFile()
    await using deployment = await startDeployment(database)
    await deployment.service.storeThreat(ID, createThreatEvent('exa.mple'))
    await deployment.start()
    const sendRequest = await INTEGRATIONS[via]?.(deployment)
    // Empties the app's cache, so that the app has to request the event from the service.
    await deployment.kill('all')
    await deployment.start()
    await deployment.service.faults({ ...EVENTS, kind: 'hang' })
    await deployment.service.clearRequests()
    const sent = sendRequest?.().catch(() => undefined)
    await expect.poll(async () => (await deployment.rows.acts()).open).toBe(1)
    await expect.poll(async () => (await deployment.service.requests('GET')).length).toBeGreaterThan(0)
    await deployment.kill('all')
    await sent
    await deployment.service.faults()
    await deployment.start()
    await deployment.waitUntilSettled()
    const rows = await deployment.store.audit.search({
      workspaceId: WORKSPACE,
      withIntents: true,
      limit: 100,
    })
    const takes = rows.filter(({ verb }) => verb === '/threat take')
    expect(takes.filter(({ outcome }) => outcome === 'done')).toMatchObject([
      { object: `threat event ${ID}, through ${via}`, actor: { userId: 'U0MEMBER01' } },
    ])
    const found = await deployment.store.threatCases.find({
      workspaceId: WORKSPACE,
      environment: 'production',
      eventId: ID,
    })
    expect(found).toMatchObject({ state: 'taken', version: 1, holder: { userId: 'U0MEMBER01' } })
    // If Slack no longer waits for the answer, the app sends it to the person.
    await deployment.slack.member.until('the outcome', ({ messages }) =>
      Object.values(messages)
        .flat()
        .some((message) => readText(message).includes('This case is yours now.')),
    )
  },
)
