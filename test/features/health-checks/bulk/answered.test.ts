import { expect, it } from 'vitest'
import { shareWorld } from '../../../shared-world.ts'

const ANN = 'ann@example.com'
const CHECK = '/healthcheck/v1/healthchecks'

const REFUSED = { errors: [{ code: 'BAD_REQUEST', message: 'Not today.' }] }

const WINDOWS: [
  line: string,
  method: 'POST' | 'PUT' | 'DELETE',
  typed: Record<string, string>,
  outcome: RegExp,
][] = [
  ['create', 'POST', { Name: 'new', Target: 'new.example.com', 'Customer ID': '1' }, /outcome is unknown/],
  ['edit web', 'PUT', { Port: '8443' }, /Nothing was changed\./],
  ['alert-add web', 'POST', { 'Email addresses': 'bob@example.com' }, /Nothing was changed\./],
  ['alert-remove web ID', 'DELETE', {}, /Nothing was changed\./],
]

// The lock would stay for a minute if a request could still be under way.
const share = shareWorld({ workTimes: { maxInFlightMs: 60_000 } })

it.each(WINDOWS)(
  'a window of /hc %s says what the service refused inside a 200, and can be sent again at once',
  async (line, method, typed, outcome) => {
    const { service, slack } = await share({ name: 'web', alerts: [[ANN], ['other@example.com']] })
    const { member } = slack
    const [{ uuid = '' } = {}] = await service.checksNamed('web')
    const [{ id = '' } = {}] = await service.alerts(uuid)
    await member.command('/hc', line.replace('ID', id))
    await service.faults({ method, path: CHECK, kind: 'status', status: 200, body: REFUSED, times: 1 })
    const refused = await member.submit(typed, { until: outcome })
    expect(refused.text).toContain('Not today')
    if (line === 'create') return
    const done = await member.submit(typed, { until: /Your change: / })
    expect(done.text).not.toContain('Not today')
  },
)
