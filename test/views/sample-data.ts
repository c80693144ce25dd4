// The sample service's data, without any real name, address, or key (RFC 2606, RFC 5737).

import { createThreatEvent } from '../features/threats/events.ts'
import type { CheckSeed } from '../sandbox-control.ts'

export const SAMPLE_WORKSPACE = 'T0SAMPLE01'
export const SAMPLE_CHANNEL = 'C0SAMPLE01'
export const SAMPLE_THREATS = [
  '7e57ed00-0000-4000-8000-00000000000a',
  '7e57ed00-0000-4000-8000-00000000000b',
  '7e57ed00-0000-4000-8000-00000000000c',
] as const
/** Their cards are in one thread. */
export const THREAD_THREATS = [
  '7e57ed00-0000-4000-8000-00000000000d',
  '7e57ed00-0000-4000-8000-00000000000e',
] as const
export const SAMPLE_CERTIFICATE = 'C-4711'
export const SAMPLE_ADDRESS = 'ann@example.com'

export const SAMPLE_TOKEN = 'sample-token-of-nobody'

const STATUSES = ['HEALTHY', 'HEALTHY', 'UNHEALTHY', 'INSTALLING']

/** Enough for two pages of a listing. */
export const SAMPLE_CHECKS: readonly CheckSeed[] = Array.from({ length: 20 }, (_, nth) => ({
  name: `web-${nth}`,
  status: STATUSES[nth % STATUSES.length] ?? '',
  customer_id: 1100 + (nth % 2),
  protocol: 'HTTP',
  target: 'www.example.com',
  http_server_address: '192.0.2.1',
  alerts: [[SAMPLE_ADDRESS, 'bo@example.com'], ['cy@example.com']],
}))

/** A threat event with a value in every field. Its pictures are on the sandbox. */
export function createSampleThreat(origin: string, id: string) {
  const event = createThreatEvent('example-shops.example')
  const pictures = `${origin}/cti/v2/resources/${id}`
  Object.assign(event.observed_data.website, {
    screenshot_resource_url: `${pictures}/screenshot.png`,
    source_resource_url: `${pictures}/source`,
  })
  return event
}

export const SAMPLE_PERSON = {
  team_id: SAMPLE_WORKSPACE,
  name: 'ann',
  real_name: 'Ann Example',
  tz: 'Europe/Paris',
  is_admin: true,
  profile: { real_name: 'Ann Example', display_name: 'ann', email: SAMPLE_ADDRESS },
}

/** Slack's answers to Web API methods, besides the usual ones. */
export const SLACK_ANSWERS = {
  'auth.test': { user_id: 'U0SAMPLEBOT', team_id: SAMPLE_WORKSPACE, bot_id: 'B0SAMPLE01' },
  'usergroups.list': {
    usergroups: [
      { id: 'S0SAMPLE01', handle: 'oncall', name: 'On call' },
      { id: 'S0SAMPLE02', handle: 'leads', name: 'Leads' },
    ],
  },
  'conversations.info': {
    channel: { id: SAMPLE_CHANNEL, name: 'operations', is_channel: true, is_member: true },
  },
  'conversations.members': { members: ['U0SAMPLE01', 'U0SAMPLE02'] },
  'files.info': { file: { id: 'F0STUB', name: 'sample.png', mimetype: 'image/png', size: 1 } },
}
