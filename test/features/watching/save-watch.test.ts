import { expect, it } from 'vitest'
import type { AuditDetails, CommandContext } from '../../../src/bot/routes/command-context.ts'
import { tellCommand } from '../../../src/domain/write-command.ts'
import { withEnvironment } from '../../../src/features/watching/save-watch.ts'

const AUDITED = ['step', 'decide', 'record', 'recordRefusal'] as const

it('asks the service, tells lines, and records what was done in the environment of the watch', async () => {
  // Cast: only these are used.
  const request = {
    environment: 'production',
    api: async (environment: string) => environment,
    tell: async (...parts: Parameters<CommandContext['tell']>) => tellCommand(...parts),
    ...Object.fromEntries(
      AUDITED.map((name) => [name, async (details: AuditDetails) => details.environment]),
    ),
  } as unknown as CommandContext
  const context = withEnvironment(request, 'ote')
  expect(context.environment).toBe('ote')
  expect(await context.api()).toBe('ote')
  expect(await context.tell('/hc page')).toBe('/hc page --env ote')
  const details = { verb: '/hc watch', object: 'watch' }
  for (const name of AUDITED) {
    expect(await context[name](details, async () => undefined), name).toBe('ote')
    expect(await context[name]({ ...details, environment: 'production' }, async () => undefined)).toBe(
      'production',
    )
  }
  expect(withEnvironment(request, 'production')).toBe(request)
})
