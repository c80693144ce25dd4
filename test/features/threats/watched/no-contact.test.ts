import { expect, it } from 'vitest'
import { WORKSPACE } from '../../../world.ts'
import { expectNoVisits, startReportedPage } from '../reported-page.ts'
import { ID, startWorldWithThreat } from '../world.ts'

const REFUSAL = 'Signalman never connects to that page'

it('Signalman never connects to the page of a case, but to other pages on the same host', {
  timeout: 60_000,
}, async () => {
  await using other = await startReportedPage()
  const { port } = other
  const seed = { protocol: 'HTTP', port, status: 'UNHEALTHY' } as const
  const page = `${other.url}login?victim=1`
  await using world = await startWorldWithThreat(
    (event) => {
      event.domain = '127.0.0.1'
      event.observed_data.website.origin_url = page
      event.observed_data.website.final_url = ''
    },
    {
      checks: [
        { ...seed, name: 'same page', target: page },
        { ...seed, name: 'other page', target: `${other.url}shop` },
      ],
      workTimes: { pollMs: 50 },
      watchEveryMs: 200,
    },
  )
  const { member } = world.slack
  await member.command('/threat', ID, { until: '127' })
  await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  await member.command('/threat', `watch ${ID}`, { until: 'Watching until it’s down.' })
  const threatCase = await world.app.store.threatCases.find({
    workspaceId: WORKSPACE,
    environment: 'production',
    eventId: ID,
  })
  const uuid = threatCase?.checkUuid ?? ''
  await member.command('/hc', `diagnose ${uuid}`, { until: REFUSAL })
  // The service's check may be renamed, and others may test the same page.
  await world.service.change(uuid, {
    name: 'renamed',
    protocol: 'HTTP',
    target: page,
    port,
    customer_id: 1100,
  })
  await world.service.setStatus(uuid, 'UNHEALTHY')
  await member.command('/hc', `diagnose ${uuid}`, { until: REFUSAL })
  await member.command('/hc', 'diagnose "same page"', { until: REFUSAL })
  await member.command('/threat', `kit ${ID}`, { until: 'Sent to your DMs' })
  await member.command('/threat', `down ${ID}`, { until: 'The case is closed.' })
  await member.command('/hc', 'diagnose "same page"', { until: REFUSAL })
  expectNoVisits(other)
  await member.command('/hc', 'diagnose "other page"', { until: 'Seen from where Signalman runs' })
  expect(other.visits).toContain('/shop')
  expect(other.visits).not.toContain('/login?victim=1')
})
