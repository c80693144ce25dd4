import { describe, expect, it } from 'vitest'
import type { Edit, Fields, StepRecord } from '../../../../src/features/health-checks/rules/change.ts'
import { decide } from '../../../../src/features/health-checks/rules/decide.ts'

const FIELDS: Fields = {
  name: 'web',
  protocol: 'TCP',
  target: 'web.example.com',
  port: 443,
  frequency: 30,
  customerId: 7,
  address: { is: 'none' },
}

/** A check has this frequency already, and differs from the preview in these fields. */
function decideAbout(changed: Partial<Fields>, set: Edit['set'] = { frequency: 30 }) {
  const { name = '', protocol, target } = FIELDS
  const step: Edit = {
    do: 'edit',
    line: 1,
    name,
    uuid: 'u',
    set,
    expects: { name, protocol, target },
    seen: { modifiedAt: undefined, address: { is: 'none' } },
  }
  const record: StepRecord = { step }
  const current = {
    uuid: 'u',
    modifiedAt: undefined,
    state: { fields: { ...FIELDS, ...changed }, alerts: [] },
  }
  return decide(record, { current, namesakes: [] })
}

describe('a check that already has the wanted values', () => {
  it('is the same if it’s still the one of the preview', () => {
    expect(decideAbout({})).toMatchObject({ is: 'settled', state: 'same' })
    expect(decideAbout({ customerId: 8 })).toMatchObject({ is: 'settled', state: 'same' })
  })

  it.each([{ name: 'shop' }, { target: 'shop.example.com' }, { protocol: 'HTTPS' }])(
    'is skipped if it became another one since the preview: %o',
    (changed) => {
      const decision = decideAbout(changed)
      expect(decision).toMatchObject({ is: 'settled', state: 'skipped' })
      expect(decision.record.reason).toBeTruthy()
    },
  )

  it('is the same if the step itself gives it the name that it has', () => {
    expect(decideAbout({ name: 'shop' }, { name: 'shop' })).toMatchObject({ is: 'settled', state: 'same' })
  })
})

describe('an edit that may have been sent, of a check with the old values', () => {
  const before = { fields: FIELDS, alerts: [] }
  function decideAgain(beforeVersion: string | undefined, modifiedAt: string | undefined) {
    const first = decideAbout({}, { frequency: 45 })
    const current = { uuid: 'u', modifiedAt, state: before }
    return decide({ ...first.record, beforeVersion }, { current, namesakes: [] })
  }

  it('is sent again if the check has the old version, too', () => {
    expect(decideAgain('v1', 'v1')).toMatchObject({ is: 'write', record: { beforeVersion: 'v1' } })
  })

  it('isn’t sent again if someone may have changed it back', () => {
    expect(decideAgain('v1', 'v2')).toMatchObject({
      is: 'settled',
      state: 'unclear',
      record: { reason: 'Its settings or its recipients were changed while this ran.' },
    })
  })

  it.each([
    [undefined, 'v2'],
    ['v1', undefined],
  ])('is sent again if the service says no version: %s, %s', (beforeVersion, modifiedAt) => {
    expect(decideAgain(beforeVersion, modifiedAt)).toMatchObject({ is: 'write' })
  })

  it('remembers the version that it was decided on', () => {
    const { record } = decideAbout({}, { frequency: 45 })
    const current = { uuid: 'u', modifiedAt: 'v7', state: before }
    expect(decide({ step: record.step }, { current, namesakes: [] }).record.beforeVersion).toBe('v7')
  })
})
