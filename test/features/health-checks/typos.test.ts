import { createServer } from 'node:http'
import { DAY_MS } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { listen } from '../../../bench/parts/listen.ts'
import { startWorld } from '../../world.ts'

/** Passes requests on to the service. All but polls use up `limit`, after which it refuses everything, as within one minute. */
async function startLimited(limit: number) {
  let target = ''
  const counts = { used: 0, refused: 0 }
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    // How many polls come meanwhile depends on the machine.
    if (!url.includes('status=UNHEALTHY')) counts.used += 1
    if (counts.used > limit) {
      counts.refused += 1
      return response.writeHead(429).end()
    }
    const answer = await fetch(target + url, { headers: { authorization: headers.authorization ?? '' } })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  return {
    url: await listen(server),
    counts,
    setTarget: (url: string) => {
      target = url
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const TYPOS = 12
/** Twice as many as one poll a second needs in that minute. */
const FOR_POLLS = 120

it('leaves room for the polls if names are mistyped and the service limits the rate', async () => {
  await using limited = await startLimited(300 - FOR_POLLS)
  await using world = await startWorld({
    watchEveryMs: 1000,
    environment: { API_BASE_URL: limited.url },
    serviceLimits: { namesKeptMs: DAY_MS },
  })
  limited.setTarget(world.sandbox.productionUrl)
  await world.service.addBulkChecks(4800)
  const uuid = await world.service.addCheck({ name: 'Pay gateway', status: 'HEALTHY' })
  const { member, admin } = world.slack
  await admin.command('/hc', 'watch "Pay gateway"', { channel: 'general' })
  const before = limited.counts.used
  for (const typo of Array.from({ length: TYPOS }, (_, index) => `show zzq${index}.example.com`))
    expect((await member.command('/hc', typo, { channel: 'operations' })).text).toContain('is named')
  // All names are on ten pages.
  expect(limited.counts.used - before).toBeLessThanOrEqual(TYPOS * 4 + 10)
  await world.service.setStatus(uuid, 'UNHEALTHY')
  await member.see('Pay gateway is down')
  expect(limited.counts.refused).toBe(0)
})
