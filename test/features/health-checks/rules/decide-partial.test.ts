import { expect, it } from 'vitest'
import type { Fields, State, StepRecord } from '../../../../src/features/health-checks/rules/change.ts'
import { decide } from '../../../../src/features/health-checks/rules/decide.ts'

const FIELDS: Fields = {
  name: 'web',
  protocol: 'TCP',
  target: 'mx.example.com',
  port: 25,
  frequency: 60,
  customerId: 1,
  address: { is: 'none' },
}
const alert = (address: string) => ({ type: 'EMAIL', recipients: [address] })
const BEFORE: State = { fields: FIELDS, alerts: [alert('ann@example.com')] }
const PART: State = { ...BEFORE, fields: { ...FIELDS, frequency: 30 } }
/** An edit of which the settings were changed, but not the recipients. */
const RECORD: StepRecord = {
  step: {
    do: 'edit',
    line: 1,
    name: 'web',
    uuid: 'u',
    set: { frequency: 30 },
    alerts: { exactly: [alert('bob@example.com')] },
    expects: {},
    seen: { modifiedAt: undefined, address: { is: 'none' } },
  },
  before: BEFORE,
  after: PART,
  partlyDone: PART,
  mayHaveBeenSent: true,
}
const decideOn = (state: State) =>
  decide(RECORD, { current: { uuid: 'u', modifiedAt: undefined, state }, namesakes: [] })

it('does the rest of a partly done edit', () => {
  expect(decideOn(PART)).toMatchObject({
    is: 'write',
    requests: [{ method: 'alerts', uuid: 'u', to: [alert('bob@example.com')] }],
  })
})

it.each([
  { what: 'changed back', state: BEFORE },
  { what: 'changed', state: { ...PART, fields: { ...FIELDS, frequency: 45 } } },
])('leaves a partly done edit that someone has $what since', ({ state }) => {
  expect(decideOn(state)).toMatchObject({
    is: 'settled',
    state: 'partial',
    record: { reason: 'Someone has changed it since.', after: PART },
  })
})
