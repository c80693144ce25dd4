import { describe, expect, it } from 'vitest'
import { examineServerAddresses } from '../../src/doctor/server-addresses.ts'
import type { ServerAddresses } from '../../src/domain/server-addresses.ts'

const rows = (...addresses: (string | undefined)[]) => [
  ...addresses.map((httpServerAddress) => ({ protocol: 'HTTPS', httpServerAddress })),
  { protocol: 'TCP' },
]
const examine = (setting: ServerAddresses, addresses: (string | undefined)[]) =>
  examineServerAddresses('API_TOKEN', 'ote', setting, rows(...addresses))

describe('the doctor, about server addresses', () => {
  it.each(['none', 'all'] as const)('says how to find out if the setting is %s', (setting) => {
    const { state, message, part } = examine(setting, [undefined, undefined])
    expect(state).toBe('ok')
    expect(part).toBe('server addresses ote (API_TOKEN)')
    expect(message).toContain('The list shows an address for 0 of 2 HTTP and HTTPS health checks.')
    expect(message).toContain(`API_OTE_SERVER_ADDRESSES is ${setting}, so Signalman asks`)
    expect(message).toContain(
      'set a server address on one HTTP or HTTPS health check, leave it empty on another',
    )
  })

  it('suggests given if some rows show an address and others don’t, but leaves it to the operator', () => {
    const { state, message, fix } = examine('none', ['192.0.2.7', undefined])
    expect(state).toBe('advice')
    expect(message).toContain('for 1 of 2')
    expect(fix).toContain(
      'If these are exactly the ones that someone set, set API_OTE_SERVER_ADDRESSES=given.',
    )
  })

  it.each([
    {
      addresses: ['192.0.2.7', '192.0.2.8'],
      fix: 'Unless someone set every one of them, set API_OTE_SERVER_ADDRESSES=all.',
    },
    { addresses: [undefined, undefined], fix: 'If someone did, set API_OTE_SERVER_ADDRESSES=none.' },
  ])('doubts given if the list shows $addresses', ({ addresses, fix }) => {
    expect(examine('given', addresses)).toMatchObject({ state: 'advice', fix })
  })

  it.each([[['192.0.2.7', undefined]], [['192.0.2.7']], [[undefined]], [[]]])(
    'accepts given if the list shows %j',
    (addresses) => {
      expect(examine('given', addresses).state).toBe('ok')
    },
  )
})
