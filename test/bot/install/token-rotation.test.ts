import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { listen } from '../../../bench/parts/listen.ts'
import { createBrowser, startUninstalledWorld } from '../../slack-installation.ts'
import type { World } from '../../world.ts'

/** Forwards everything to the local Slack, whose tokens then expire, as those of an app with token rotation do. */
async function startRotatingSlack(findApiUrl: () => string) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const target = new URL((request.url ?? '').replace(/^\/api\//, ''), findApiUrl())
    const { authorization = '', 'content-type': type = '' } = request.headers
    const answer = await fetch(target, {
      method: request.method ?? 'POST',
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      redirect: 'manual',
    })
    const text = await answer.text()
    const isToken = request.url?.includes('oauth.v2.access')
    const body = isToken
      ? JSON.stringify({ ...JSON.parse(text), expires_in: 43_200, refresh_token: 'xoxe-1-refresh' })
      : text
    const location = answer.headers.get('location')
    response
      .writeHead(answer.status, { 'content-type': 'application/json', ...(location && { location }) })
      .end(body)
  })
  const url = await listen(server)
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

it('refuses an installation whose token expires after 12 hours, and stores nothing', async () => {
  const worlds: World[] = []
  await using slack = await startRotatingSlack(() => worlds[0]?.playground.apiUrl ?? '')
  const world = await startUninstalledWorld({ environment: { SLACK_API_URL: `${slack.url}/api/` } })
  await using _ = world
  worlds.push(world)
  const browser = createBrowser()
  const page = await browser.visit(await browser.decide(world, 'T0WORKSHOP U0WSADMIN1'))
  const text = await page.text()
  expect(text).toContain('Token rotation is on in the settings of the Slack app')
  expect(text).not.toContain('Signalman is installed')
  expect(await world.app.store.installations.list()).toEqual([])
  expect(world.log.join('')).toContain('Token rotation is on')
})
