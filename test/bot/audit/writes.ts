import { expect } from 'vitest'
import type { World } from '../../world.ts'

export const CHECK = {
  name: 'web',
  target: 'www.example.com',
  alerts: [['ann@example.com', 'bo@example.com']],
}

/** A change of a health check that a person makes with a form. */
export interface Write {
  verb: string
  method: 'POST' | 'PUT' | 'DELETE'
  /** What is typed after `/hc` to open the form. `$ALERT` stands for the ID of the alert. */
  line: string
  answers: Record<string, string>
  /** The object in the audit row. */
  object: RegExp
  before?: unknown
  after?: unknown
  /** The row's `after` if the change failed. Defaults to `after`. */
  requested?: unknown
}

export async function openForm({ service, slack }: World, { line }: Write): Promise<void> {
  const [check] = await service.checksNamed('web')
  const [alert] = await service.alerts(check?.uuid ?? '')
  await slack.member.command('/hc', line.replace('$ALERT', String(alert?.id)))
}

const BODY = {
  name: 'api',
  customerId: 1,
  protocol: 'HTTPS',
  target: 'api.example.com',
  port: 443,
  frequency: 60,
}
const OBJECT = /^health-check [0-9a-f-]{36} \(web\)$/
const alerts = (...recipients: string[]) => ({ name: 'web', alerts: [{ type: 'EMAIL', recipients }] })
const ALERT = alerts('ann@example.com', 'bo@example.com')

export const WRITES: readonly Write[] = [
  {
    verb: '/hc create',
    method: 'POST',
    line: 'create',
    answers: { Name: 'api', Target: 'api.example.com', 'Customer ID': '1' },
    object: /^health-check api$/,
    after: { ...BODY, uuid: expect.any(String) },
    requested: BODY,
  },
  {
    verb: '/hc edit',
    method: 'PUT',
    line: 'edit web',
    answers: { Name: 'www' },
    object: OBJECT,
    // Only the changed fields.
    before: { name: 'web' },
    after: { name: 'www' },
  },
  {
    verb: '/hc alert-add',
    method: 'POST',
    line: 'alert-add web',
    answers: { 'Email addresses': 'cy@example.com' },
    object: OBJECT,
    // Only this alert. Others may change meanwhile.
    before: { name: 'web', alerts: [] },
    after: alerts('cy@example.com'),
  },
  {
    verb: '/hc alert-edit',
    method: 'PUT',
    line: 'alert-edit web $ALERT',
    answers: { 'Email addresses': 'bo@example.com' },
    object: OBJECT,
    before: ALERT,
    after: alerts('bo@example.com'),
  },
  {
    verb: '/hc alert-remove',
    method: 'DELETE',
    line: 'alert-remove web $ALERT',
    answers: {},
    object: OBJECT,
    before: ALERT,
    after: { name: 'web', alerts: [] },
  },
]
