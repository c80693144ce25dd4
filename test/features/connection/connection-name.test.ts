import { expect, it } from 'vitest'
import { connectionName } from '../../../src/features/connection/rules/connection.ts'

it.each([
  { environment: 'production', name: 'connection to production' },
  { environment: 'ote', name: 'connection to the OTE environment' },
] as const)('names the connection of $environment in the audit log', ({ environment, name }) => {
  expect(connectionName(environment)).toBe(name)
})
