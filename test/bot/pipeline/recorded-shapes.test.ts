import { describe, expect, it } from 'vitest'
import { createPrintedManifest } from '../../manifest.ts'
import { deliver } from './deliver.ts'
import { RECORDED } from './recorded-shapes.ts'

describe('a recorded payload', () => {
  it.each(RECORDED.map((payload) => [payload.name, payload] as const))(
    'is handled by one listener: %s',
    async (_, { body, request, surface }) => {
      const { requests, listeners } = await deliver(body)
      expect(listeners).toBeLessThanOrEqual(1)
      expect(requests).toHaveLength(request === undefined ? 0 : 1)
      if (request !== undefined) expect(requests[0]).toMatchObject(request)
      if (surface) expect(requests[0]?.origin.surface).toEqual(surface)
    },
  )

  it('contains none of Slack’s secrets after parsing', async () => {
    for (const { body } of RECORDED)
      expect(JSON.stringify(await deliver(body))).not.toMatch(/verification-token|xwfp-|"secret"/)
  })
})

it('has a recorded payload for every event that the app subscribes to', () => {
  const recordedEvents = RECORDED.map(({ body }) => body.event).flatMap((event) =>
    typeof event === 'object' && event !== null && 'type' in event ? [String(event.type)] : [],
  )
  const subscribedEvents = createPrintedManifest().settings.event_subscriptions.bot_events.map((name) =>
    name.replace(/^(message)\..*/, '$1'),
  )
  expect(recordedEvents).toEqual(expect.arrayContaining(subscribedEvents))
})
