import { describe, expect, it } from 'vitest'
import type { Act } from '../../../packages/durable/src/engine/act.ts'
import type { AccessRequirement } from '../../../src/bot/access/access.ts'
import { createFind, unlessAct } from '../../../src/bot/find.ts'
import type { Handler } from '../../../src/bot/handler.ts'
import { createRun } from '../../../src/bot/run.ts'
import { createLog } from '../../../src/log.ts'
import { startWorld } from '../../world.ts'

const ORIGIN = {
  workspaceId: 'T1',
  userId: 'U1',
  channelId: 'C1',
  reference: 'R',
  surface: { kind: 'none' },
} as const
const VERB: Handler = { verb: '/hc edit', needs: 'operator', ack: '', run: async () => undefined }

/** Runs a handler. Returns how the person was checked, and the environment, which is that of the channel. */
async function runOnce(handler: Handler, act?: Pick<Act, 'hasNoStepYet' | 'once'>) {
  const authorized: (AccessRequirement | 'only identified')[] = []
  const environments: unknown[] = []
  // Only the methods that this test needs.
  const run = createRun({
    openAnswer: () => ({ close: () => undefined }) as never,
    access: {
      authorize: async (_: unknown, requirement: AccessRequirement) => {
        authorized.push(requirement)
        return {}
      },
      findActor: async () => {
        authorized.push('only identified')
        return {}
      },
    } as never,
    makeContext: (_, environment) => {
      environments.push(environment)
      return {} as never
    },
    findHiddenButtons: async () => undefined,
    windowStates: { read: async () => undefined },
    cached: { channelEnvironment: async () => 'ote' },
    channels: { environment: async () => 'ote' },
    refreshHome: async () => undefined,
    log: createLog('silent'),
  })
  await run({ kind: 'home', origin: ORIGIN }, ORIGIN, handler, act as Act | undefined)
  return { authorized, environment: environments[0] }
}

describe('a person’s roles', () => {
  it('may come from a cache for a read, but not for an act', async () => {
    const act = { hasNoStepYet: true, once: (async (_: string, read: () => unknown) => read()) as never }
    expect((await runOnce(VERB)).authorized).toMatchObject([{ needs: 'operator', usesCache: true }])
    expect((await runOnce({ ...VERB, isAct: true }, act)).authorized).toMatchObject([
      { needs: 'operator', usesCache: false },
    ])
  })

  it('aren’t checked again for an act that has begun a step, because each further step checks them', async () => {
    const act = { hasNoStepYet: false, once: (async (_: string, read: () => unknown) => read()) as never }
    expect((await runOnce({ ...VERB, isAct: true }, act)).authorized).toEqual(['only identified'])
  })
})

it('keeps an act in the environment that it began in', async () => {
  const once = (async () => 'production') as never
  expect(await runOnce(VERB)).toMatchObject({ environment: 'ote' })
  expect(await runOnce({ ...VERB, isAct: true }, { hasNoStepYet: true, once })).toMatchObject({
    environment: 'production',
  })
})

describe('a line or button that runs nothing', () => {
  it('says that nothing was changed if its verb changes something', async () => {
    await using world = await startWorld({ checks: [{ name: 'web' }] })
    for (const [line, isChange] of [
      ['mute web 2h --nonsense', true],
      ['edit web --nonsense', true],
      ['list web --nonsense', false],
    ] as const) {
      const { text } = await world.slack.member.command('/hc', line)
      expect(text.includes('Nothing was changed.'), line).toBe(isChange)
    }
  })

  it('is too old if it has no command line', async () => {
    const find = createFind({} as never)
    const { run } = find(
      { kind: 'action', origin: ORIGIN, actionId: 'command.0', value: 'v1:abc', view: undefined } as never,
      ORIGIN,
    )
    await expect(run?.({} as never, undefined)).rejects.toThrow('This button is too old')
  })

  it('is a line of a read that would change something', () => {
    expect(() => unlessAct({ ...VERB, isAct: true })).toThrow('changes something')
    expect(unlessAct(VERB)).toBe(VERB)
  })
})
