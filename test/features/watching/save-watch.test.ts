import { expect, it } from 'vitest'
import type { CommandContext } from '../../../src/bot/routes/command-context.ts'
import { tellCommand } from '../../../src/domain/write-command.ts'
import { withEnvironment } from '../../../src/features/watching/save-watch.ts'

it('asks the service, and tells lines, in the environment of the watch', async () => {
  // Cast: only these are used.
  const request = {
    environment: 'production',
    api: async (environment: string) => environment,
    tell: async (...parts: Parameters<CommandContext['tell']>) => tellCommand(...parts),
  } as unknown as CommandContext
  const context = withEnvironment(request, 'ote')
  expect(context.environment).toBe('ote')
  expect(await context.api()).toBe('ote')
  expect(await context.tell('/hc page')).toBe('/hc page --env ote')
  expect(withEnvironment(request, 'production')).toBe(request)
})
