import { expect, it } from 'vitest'
import { findEnvironment } from '../../../../src/bot/grammar/flags.ts'
import { noteButtons } from '../../../../src/features/health-checks/views/notes.ts'

const UUID = '7e57ed00-0000-4000-8000-000000000001'

it.each(['192.0.2.1', '2001:db8::1', '192.0.2.1 --env ote', '" --name x', '1 \u2014env ote'])(
  'keeps what the service calls a server address one value of its flag: %j',
  (wanted) => {
    const address = { uuid: UUID, wanted, now: undefined, isKept: false }
    const [button] = noteButtons({ addresses: [address] }, 'production')
    expect(button?.value).toMatch(
      /^\/hc edit [0-9a-f-]{36} --server-address (?:[0-9a-f.:]+|"(?:[^"\\]|\\.)*")$/,
    )
    expect(findEnvironment(button?.value ?? '')).toBeUndefined()
  },
)
