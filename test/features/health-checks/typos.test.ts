import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

/** Passes on to the service as many requests a minute as it allows, and refuses the rest. */
async function startLimited(limit: number) {
  let target = ''
  const counts = { passed: 0, refused: 0 }
  const server = createServer(async (request, response) => {
    if (counts.passed >= limit) {
      counts.refused += 1
      return response.writeHead(429).end()
    }
    counts.passed += 1
    const headers = { authorization: request.headers.authorization ?? '' }
    const answer = await fetch(target + (request.url ?? ''), { headers })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
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

it('leaves room for the polls if names are mistyped and the service limits the rate', async () => {
  await using limited = await startLimited(300)
  await using world = await startWorld({
    watchEveryMs: 1000,
    environment: { API_BASE_URL: limited.url },
    serviceLimits: { namesKeptMs: 30_000 },
  })
  limited.setTarget(world.sandbox.productionUrl)
  await world.service.addBulkChecks(4800)
  const uuid = await world.service.addCheck({ name: 'Pay gateway', status: 'HEALTHY' })
  const { member, admin } = world.slack
  await admin.command('/hc', 'watch "Pay gateway"', { channel: 'general' })
  const before = limited.counts.passed
  const typos = Array.from({ length: 12 }, (_, index) => `show zzq${index}.example.com`)
  for (const typo of typos)
    expect((await member.command('/hc', typo, { channel: 'operations' })).text).toContain('is named')
  // All names are on ten pages.
  expect(limited.counts.passed - before).toBeLessThan(12 * 4 + 10 + 20)
  await world.service.setStatus(uuid, 'UNHEALTHY')
  await member.see('Pay gateway is down')
  expect(limited.counts.refused).toBe(0)
})
