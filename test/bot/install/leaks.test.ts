import { join } from 'node:path'
import { expect, it } from 'vitest'
import { KEY_A, makeFolder } from '../../databases/databases.ts'
import { findLeaks, listSentStrings, readFolderText } from '../../leaks.ts'
import { createBrowser, startUninstalledWorld } from '../../slack-installation.ts'
import type { World } from '../../world.ts'

const SECRETS = {
  'the client secret': 'canary-client-6e1f0a9b8c7d2435',
  'the state secret': 'canary-state-0d9c8b7a6f5e4132',
}
const TEAM = 'T0WORKSHOP'

/** Lists everything that was sent to Slack, except the call that exchanges the client secret for a token. */
async function listSentWithoutExchange(world: World): Promise<string> {
  const exchange = 'oauth.v2.access'
  const { deliveries } = world.slack
  const others = {
    ...world,
    slack: {
      ...world.slack,
      deliveries: async () => (await deliveries()).filter(({ kind }) => kind !== exchange),
    },
  }
  return (await listSentStrings(others)).join('\n')
}

it('leaks no secret of an installation, even if it fails', async () => {
  using folder = makeFolder()
  await using world = await startUninstalledWorld({
    playground: { clientSecret: SECRETS['the client secret'] },
    environment: {
      SLACK_CLIENT_SECRET: SECRETS['the client secret'],
      SLACK_STATE_SECRET: SECRETS['the state secret'],
      DATABASE_URL: `sqlite:${join(folder.path, 'canary.db')}`,
      ENCRYPTION_KEYS: KEY_A,
    },
  })
  const pages: string[] = []
  const savePage = async (answer: Response): Promise<void> => void pages.push(await answer.text())
  const person = `${TEAM} U0WSADMIN1`

  await savePage(await createBrowser().visit(await createBrowser().decide(world, person)))
  const browser = createBrowser()
  await savePage(await browser.visit(await browser.decide(world, person, 'deny')))
  await savePage(await browser.visit(`${world.app.url}/slack/oauth_redirect?code=x&state=forged`))
  await world.slack.faults({ method: 'oauth.v2.access', kind: 'error', error: 'bad_client_secret' })
  const callback = await browser.decide(world, person)
  const failed = await browser.visit(callback)
  expect(failed.status).toBe(502)
  await savePage(failed)
  await world.slack.faults()
  expect(await world.app.store.installations.list()).toEqual([])
  await savePage(await browser.install(world, person))
  await world.slack.user('U0WSADMIN1').command('/hc', 'access')

  const installed = await world.app.store.installations.find(TEAM)
  const secrets = {
    ...SECRETS,
    'the bot token': installed?.botToken ?? '',
    'the key': KEY_A.slice(2),
    'the code': callback.searchParams.get('code') ?? '',
  }
  expect(secrets['the bot token']).toMatch(/^xoxb-/)
  expect(pages).toHaveLength(5)
  expect(pages.slice(-2)).toEqual([
    expect.stringContaining('The installation failed'),
    expect.stringContaining('Signalman is installed'),
  ])
  const audit: unknown[] = []
  for await (const row of world.app.store.audit.readAll({ workspaceId: TEAM })) audit.push(row)
  expect(audit.length).toBeGreaterThan(0)
  expect(findLeaks(world.log.join(''), secrets)).toEqual([])
  expect(findLeaks(pages.join('\n'), secrets)).toEqual([])
  expect(findLeaks(await listSentWithoutExchange(world), secrets)).toEqual([])
  expect(findLeaks(JSON.stringify(audit), secrets)).toEqual([])
  expect(findLeaks(readFolderText(folder.path), secrets)).toEqual([])
})
