import type { Channel, Person } from '../src/protocol/protocol.ts'

export const person = (id: string, overrides: Partial<Person> = {}): Person => ({
  id,
  teamId: 'T1',
  name: id.toLowerCase(),
  realName: `Person ${id}`,
  role: 'member',
  deleted: false,
  ...overrides,
})

export const channel = (id: string, overrides: Partial<Channel> = {}): Channel => ({
  id,
  teamId: 'T1',
  name: id.toLowerCase(),
  kind: 'channel',
  members: ['U1'],
  topic: '',
  ...overrides,
})
